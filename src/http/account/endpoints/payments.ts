import { z } from 'zod';
import { payment, payments as paymentPage } from '../../../account/answers.ts';
import type { AccountPayment } from '../../../account/payments.ts';
import { oneOf, wholeNumber } from '../../../lib/parameter-schemas.ts';
import { counted } from '../../../lib/text/counted.ts';
import type { Deps } from '../../../ports.ts';
import type { Context } from '../../context.ts';
import type { Endpoint } from '../../endpoint.ts';
import { NotInAccount } from '../../errors/account-errors.ts';
import { accountComponents, answerOf, downloadOperation, idParameter } from '../../openapi/account-operation.ts';
import { queryParameters } from '../../openapi/query-parameters.ts';
import { toSchema } from '../../openapi/to-schema.ts';
import { parseParameters } from '../../request/parameters.ts';
import { answerJson } from '../../response/json.ts';
import { accountEndpoint, nameDownload, pathId } from '../account-endpoint.ts';
import { accountPorts, fromStore } from '../console.ts';
import { sessionOf } from '../middleware/session.ts';
import { paymentTable, receipt, toPaymentEntry, toReceipt } from '../payment-view.ts';

const gates = ['slot', 'session', 'records slot'] as const;

/** Larger than any id that a row could have, and still exact. */
const idMax = 999_999_999_999_999;
const before = wholeNumber(1, idMax).optional();
const beforeText = { text: 'The id of a payment: only older ones are answered.' };
const tableParameters = z.strictObject({ before });

payment.register(accountComponents, { id: 'Payment' });

const examplePayment = {
  id: 17,
  status: 'settled',
  network: 'eip155:8453',
  payer: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  amount: '10000',
  amount_usd: '0.01',
  asset_symbol: 'USDC',
  transaction: null,
  transaction_url: null,
  confirmed: true,
  created_at: '2026-01-31T12:00:00.000Z',
  settled_at: '2026-01-31T12:00:02.000Z',
  delivered_at: '2026-01-31T12:00:02.100Z',
  request: { q: 'zk rollups', type: 'companies', limit: 10, page: 1 },
} as const;

export const payments = accountEndpoint({
  method: 'get',
  path: 'payments',
  gates,
  query: z.strictObject({ limit: wholeNumber(1, 100).default(50), before }),
  texts: { limit: { text: 'Payments at most.' }, before: beforeText },
  answer: answerOf('PaymentsAnswer', paymentPage),
  operation: () => ({
    operationId: 'payments',
    tag: 'Payments',
    summary: "Searches that the account's wallets paid for",
    description: 'The newest first.',
    examples: { payments: [{ payments: [examplePayment], next: null }, '1 payment.'] },
  }),
  handler:
    (deps) =>
    async ({ ctx, query: { limit, before = null } }) => {
      const rows = await read(deps, ctx, limit + 1, before);
      const page = rows.slice(0, limit);
      const next = rows.length > limit ? (page.at(-1)?.id ?? null) : null;
      return [{ payments: page.map(toPaymentEntry), next }, `${counted(page.length, 'payment')}.`];
    },
});

/**
 * The largest number of payments in one table, which is sent in one piece. The next table starts before the last id.
 */
const tableMax = 10_000;

export const paymentsCsv: Endpoint = {
  method: 'get',
  path: '/account/api/payments.csv',
  gates,
  operation: () =>
    downloadOperation({
      operationId: 'paymentsCsv',
      tag: 'Payments',
      summary: 'The same as a table',
      description: `${tableMax} at most, the newest first.`,
      gates,
      parameters: queryParameters(tableParameters, { before: beforeText }),
      files: { 'text/csv': { type: 'string' } },
    }),
  handler: (deps) => async (ctx) => {
    const { before = null } = parseParameters(tableParameters, ctx.querystring);
    const rows = await read(deps, ctx, tableMax, before);
    nameDownload(ctx, 'payments.csv', 'text/csv');
    ctx.body = paymentTable(rows);
  },
};

const receiptParameters = z.strictObject({ format: oneOf(['json', 'csv']).default('json') });

export const paymentReceipt: Endpoint = {
  method: 'get',
  path: '/account/api/payments/{id}/receipt',
  gates,
  operation: () =>
    downloadOperation({
      operationId: 'paymentReceipt',
      tag: 'Payments',
      summary: 'The receipt of a paid search',
      gates,
      parameters: [
        idParameter('id', 'The id of a payment that is settled.'),
        ...queryParameters(receiptParameters, { format: { text: 'The form of the file.' } }),
      ],
      files: { 'application/json': toSchema(receipt, 'output'), 'text/csv': { type: 'string' } },
      errors: [new NotInAccount('paid search')],
    }),
  handler: (deps) => async (ctx) => {
    const { format } = parseParameters(receiptParameters, ctx.querystring);
    const id = pathId(ctx, { of: 'paid search' });
    const row = fromStore(await accountPorts(deps).payments.find(sessionOf(ctx).account.id, id));
    const found = row && toReceipt(row);
    if (row === null || found === null) throw new NotInAccount('paid search');
    if (format === 'csv') {
      nameDownload(ctx, `receipt-${id}.csv`, 'text/csv');
      ctx.body = paymentTable([row]);
    } else {
      nameDownload(ctx, `receipt-${id}.json`, 'application/json');
      answerJson(ctx, found);
    }
  },
};

async function read(
  deps: Deps,
  ctx: Context,
  limit: number,
  before: number | null,
): Promise<readonly AccountPayment[]> {
  return fromStore(await accountPorts(deps).payments.list(sessionOf(ctx).account.id, { limit, before }));
}
