import { z } from 'zod';
import { payments as paymentPage } from '../../../account/answers.ts';
import { wholeNumber } from '../../../lib/parameter-schemas.ts';
import { counted } from '../../../lib/text/counted.ts';
import { accountEndpoint } from '../account-endpoint.ts';
import { sessionOf } from '../middleware/session.ts';
import { toPaymentEntry } from '../payment-view.ts';

/** Larger than any id that a row could have, and still exact. */
const idMax = 999_999_999_999_999;

export const payments = accountEndpoint({
  method: 'get',
  path: 'payments',
  gates: ['slot', 'session', 'records slot'],
  query: z.strictObject({
    limit: wholeNumber(1, 100).default(50),
    before: wholeNumber(1, idMax).optional().describe('The id of a payment: the answer has older ones'),
  }),
  answer: paymentPage,
  handler: async ({ account, ctx, query: { limit, before = null } }) => {
    const rows = await account.payments.list(sessionOf(ctx).account.id, { limit: limit + 1, before });
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? (page.at(-1)?.id ?? null) : null;
    return [{ payments: page.map(toPaymentEntry), next }, `${counted(page.length, 'payment')}.`];
  },
});
