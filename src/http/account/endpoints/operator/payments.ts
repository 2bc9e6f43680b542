import { z } from 'zod';
import { type Ledger, ledger } from '../../../../account/answers.ts';
import type { PaymentSum } from '../../../../account/operator.ts';
import { counted } from '../../../../lib/text/counted.ts';
import { assetOf, usd } from '../../../../payments/protocol/assets.ts';
import { answerOf } from '../../../openapi/account-operation.ts';
import { accountEndpoint } from '../../account-endpoint.ts';
import { accountPorts, fromStore } from '../../console.ts';

export const operatorPayments = accountEndpoint({
  method: 'get',
  path: 'operator/payments',
  gates: ['slot', 'session', 'operator', 'records slot'],
  query: z.strictObject({}),
  answer: answerOf('OperatorPaymentsAnswer', ledger),
  operation: () => ({
    operationId: 'operatorPayments',
    tag: 'Operator',
    summary: 'The ledger of paid searches by state, and its comparison with the chain',
    examples: {
      ledger: [
        {
          by_status: [{ status: 'settled', count: 1_204, amount_usd: '12.04' }],
          audit: { finished_at: '2026-01-31T12:00:00.000Z', recipients: 1, open_findings: 0 },
        },
        '1204 payments.',
      ],
    },
  }),
  handler: (deps) => async () => {
    const { sums, audited_at, recipients, open_findings } = fromStore(await accountPorts(deps).operator.ledger());
    const data = {
      by_status: [...Map.groupBy(sums, ({ status }) => status)].map(([status, same]) => toStatus(status, same)),
      audit: recipients === 0 ? null : { finished_at: audited_at, recipients, open_findings },
    };
    const payments = sums.reduce((sum, { count: some }) => sum + some, 0);
    return [data, `${counted(payments, 'payment')}.`];
  },
});

/** Adds dollars of several tokens, each with its own decimals. */
function toStatus(status: string, sums: readonly PaymentSum[]): Ledger['by_status'][number] {
  const decimals = Math.max(...sums.map((sum) => assetOf(sum).decimals));
  const amount = sums.reduce(
    (total, sum) => total + BigInt(sum.amount) * 10n ** BigInt(decimals - assetOf(sum).decimals),
    0n,
  );
  return { status, count: sums.reduce((total, sum) => total + sum.count, 0), amount_usd: usd(amount, { decimals }) };
}
