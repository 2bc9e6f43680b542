import { z } from 'zod';
import { payments as paymentPage } from '../../../account/answers.ts';
import { wholeNumber } from '../../../lib/parameter-schemas.ts';
import { counted } from '../../../lib/text/counted.ts';
import { NotInAccount } from '../../errors/account-errors.ts';
import { accountEndpoint, sendFile } from '../account-endpoint.ts';
import { sessionOf } from '../middleware/session.ts';
import { toPaymentEntry, toReceipt } from '../payment-view.ts';

const gates = ['slot', 'session', 'records slot'] as const;

/** Larger than any id that a row could have, and still exact. */
const idMax = 999_999_999_999_999;

export const payments = accountEndpoint({
  method: 'get',
  path: 'payments',
  gates,
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

export const paymentReceipt = accountEndpoint({
  method: 'get',
  path: 'payments/{id}/receipt',
  gates,
  id: 'paid search',
  handler: async ({ account, ctx, id }) => {
    const row = await account.payments.find(sessionOf(ctx).account.id, id);
    const found = row && toReceipt(row);
    if (found === null) throw new NotInAccount('paid search');
    return sendFile(ctx, `receipt-${id}.json`, 'application/json', JSON.stringify(found, null, 2));
  },
});
