import { z } from 'zod';
import { type CallCount, callDaysMax } from '../../../access/calls.ts';
import { callCount, accountUsage as usageData } from '../../../account/answers.ts';
import { wholeNumber } from '../../../lib/parameter-schemas.ts';
import { csvLine } from '../../../lib/text/csv.ts';
import type { Endpoint } from '../../endpoint.ts';
import { exampleUsage, readUsage } from '../../endpoints/usage.ts';
import { accountComponents, answerOf, downloadOperation } from '../../openapi/account-operation.ts';
import { queryParameters } from '../../openapi/query-parameters.ts';
import { parseParameters } from '../../request/parameters.ts';
import { accountEndpoint, nameDownload } from '../account-endpoint.ts';
import { accountPorts, fromStore } from '../console.ts';
import { sessionOf } from '../middleware/session.ts';

const parameters = z.strictObject({ days: wholeNumber(1, callDaysMax).default(callDaysMax) });
const texts = { days: { text: 'Days (UTC) back, today included.' } };

callCount.register(accountComponents, { id: 'CallCount' });

const exampleCalls: readonly CallCount[] = [
  { day: '2026-01-31', endpoint: 'search', outcome: 'answered', calls: 208 },
  { day: '2026-01-31', endpoint: 'search', outcome: 'rate_limited', calls: 3 },
];

const gates = ['slot', 'session', 'records slot'] as const;

export const accountUsage = accountEndpoint({
  method: 'get',
  path: 'usage',
  gates,
  query: parameters,
  texts,
  answer: answerOf('AccountUsageAnswer', usageData),
  operation: () => ({
    operationId: 'accountUsage',
    tag: 'Usage',
    summary: 'The limits of the plan, the calls used, and the calls by day',
    description: `By day, endpoint and outcome, for at most ${callDaysMax} days. Queries are not stored.`,
    examples: { usage: [{ ...exampleUsage, calls: exampleCalls }, '3921 calls were used this month.'] },
  }),
  handler:
    (deps) =>
    async ({ ctx, query: { days } }) => {
      const { id, plan } = sessionOf(ctx).account;
      const calls = fromStore(await accountPorts(deps).callCounts.read(id, days));
      const { data, message } = await readUsage(deps, { accountId: id, plan });
      return [{ ...data, calls }, message];
    },
});

const csvColumns = ['day', 'endpoint', 'outcome', 'calls'] as const;

export const accountUsageCsv: Endpoint = {
  method: 'get',
  path: '/account/api/usage.csv',
  gates,
  operation: () =>
    downloadOperation({
      operationId: 'accountUsageCsv',
      tag: 'Usage',
      summary: 'The calls by day, as CSV',
      gates,
      parameters: queryParameters(parameters, texts),
      files: { 'text/csv': { type: 'string' } },
    }),
  handler: (deps) => async (ctx) => {
    const { days } = parseParameters(parameters, ctx.querystring);
    const rows = fromStore(await accountPorts(deps).callCounts.read(sessionOf(ctx).account.id, days));
    nameDownload(ctx, 'usage.csv', 'text/csv');
    ctx.body = [csvColumns, ...rows.map((row) => csvColumns.map((column) => row[column]))].map(csvLine).join('');
  },
};
