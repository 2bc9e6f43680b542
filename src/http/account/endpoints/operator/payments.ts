import { type Ledger, ledger } from '../../../../account/answers.ts';
import type { PaymentSum } from '../../../../account/data.ts';
import { counted } from '../../../../lib/text/counted.ts';
import { assetOf, usd } from '../../../../payments/protocol/assets.ts';
import { accountEndpoint } from '../../account-endpoint.ts';

export const operatorPayments = accountEndpoint({
  method: 'get',
  path: 'operator/payments',
  gates: ['slot', 'session', 'operator', 'records slot'],
  answer: ledger,
  summary: 'The ledger of paid searches by state, and its comparison with the chain',
  handler: async ({ account }) => {
    const { sums, audited_at, recipients, open_findings } = await account.operator.ledger();
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
