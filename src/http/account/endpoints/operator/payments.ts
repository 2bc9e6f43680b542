import { z } from 'zod';
import { type Ledger, ledger } from '../../../../account/answers.ts';
import type { PaymentSum } from '../../../../account/operator.ts';
import { counted } from '../../../../lib/text/counted.ts';
import { assetOf, usd } from '../../../../payments/protocol/assets.ts';
import type { Endpoint } from '../../../endpoint.ts';
import { accountComponents, accountOperation } from '../../../openapi/account-operation.ts';
import { envelopeOf, exampleOf } from '../../../openapi/components.ts';
import { parseParameters } from '../../../request/parameters.ts';
import { answer, fromStore } from '../../answer.ts';
import { accountPorts } from '../../console.ts';

const gates = ['slot', 'session', 'operator', 'records slot'] as const;

const ledgerAnswer = envelopeOf(ledger).register(accountComponents, { id: 'OperatorPaymentsAnswer' });

/** GET /account/api/operator/payments */
export const operatorPayments: Endpoint = {
  method: 'get',
  path: '/account/api/operator/payments',
  gates,
  operation: () =>
    accountOperation({
      operationId: 'operatorPayments',
      tag: 'Operator',
      summary: 'The ledger of paid searches by state, and its comparison with the chain',
      gates,
      answer: ledgerAnswer,
      examples: {
        ledger: exampleOf(
          {
            by_status: [{ status: 'settled', count: 1_204, amount_usd: '12.04' }],
            audit: { finished_at: '2026-01-31T12:00:00.000Z', recipients: 1, open_findings: 0 },
          },
          '1204 payments.',
        ),
      },
    }),
  handler: (deps) => async (ctx) => {
    parseParameters(z.strictObject({}), ctx.querystring);
    const { sums, audited_at, recipients, open_findings } = fromStore(await accountPorts(deps).operator.ledger());
    const data = {
      by_status: [...Map.groupBy(sums, ({ status }) => status)].map(([status, same]) => toStatus(status, same)),
      audit: recipients === 0 ? null : { finished_at: audited_at, recipients, open_findings },
    };
    const payments = sums.reduce((sum, { count: some }) => sum + some, 0);
    answer(ctx, deps.clock, data, `${counted(payments, 'payment')}.`);
  },
};

/** Dollars of several tokens, each with decimals of its own. */
function toStatus(status: string, sums: readonly PaymentSum[]): Ledger['by_status'][number] {
  const decimals = Math.max(...sums.map((sum) => assetOf(sum).decimals));
  const amount = sums.reduce(
    (total, sum) => total + BigInt(sum.amount) * 10n ** BigInt(decimals - assetOf(sum).decimals),
    0n,
  );
  return { status, count: sums.reduce((total, sum) => total + sum.count, 0), amount_usd: usd(amount, { decimals }) };
}
