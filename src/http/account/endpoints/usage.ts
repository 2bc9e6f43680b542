import { z } from 'zod';
import { callDaysMax } from '../../../access/calls.ts';
import { accountUsage as usageData } from '../../../account/answers.ts';
import { wholeNumber } from '../../../lib/parameter-schemas.ts';
import { readUsage } from '../../endpoints/usage.ts';
import { accountEndpoint } from '../account-endpoint.ts';
import { sessionOf } from '../middleware/session.ts';

/** The number of days (UTC), today included. */
const parameters = z.strictObject({ days: wholeNumber(1, callDaysMax).default(callDaysMax) });

const gates = ['slot', 'session', 'records slot'] as const;

export const accountUsage = accountEndpoint({
  method: 'get',
  path: 'usage',
  gates,
  query: parameters,
  answer: usageData,
  handler: async ({ account, ctx, deps, query: { days } }) => {
    const { id, plan } = sessionOf(ctx).account;
    const calls = await account.callCounts.read(id, days);
    const { data, message } = await readUsage(deps, { accountId: id, plan });
    return [{ ...data, calls }, message];
  },
});
