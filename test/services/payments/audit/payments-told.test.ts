import { entitySearch } from '../../../../dev/lib/command-line.ts';
import { expectRetry } from '../../../support/payments/paid-answer.ts';
import { faults } from '../../../support/proxies/facilitator.ts';
import {
  api,
  audit,
  buy,
  makeFinal,
  payer,
  plainTransfer,
  sign,
  stage,
  useAuditStage,
} from '../../../support/stages/audit.ts';

// Problems with payments are reported by doctor.

useAuditStage();

test('doctor reports each problem of the ledger in a sentence, with the next step', async () => {
  await buy('one');
  stage.chain.facilitator.next('settle', faults.reset);
  expectRetry(await api.get('q=open', (await sign()).header), 503, 'settlement_unknown');
  await stage.restingRows(payer);
  await plainTransfer(2n);
  await makeFinal();
  expect(await ledgerFindings()).toMatchObject([{ level: 'ok' }]);
  await audit();
  await stage.stage.pool.query(`update x402_payments set created_at = now() - interval '2 hours',
      settled_at = case when status = 'settled' then now() - interval '2 hours' end`);
  await stage.stage.pool.query(
    `update x402_recipients set created_at = now() - interval '2 days', finished_at = now() - interval '2 days'`,
  );
  const there = await ledgerFindings();
  expect(there.map(({ found }) => found)).toEqual([
    expect.stringContaining('1 payment(s) are open for more than an hour'),
    expect.stringContaining('Ledger and chain differ in 1 finding(s)'),
    expect.stringContaining('The audit of 1 recipient(s) has not come to its end'),
  ]);
  expect(there.filter(({ todo, level }) => todo === null || level !== 'warn')).toEqual([]);
  await stage.stage.pool.query(`update x402_payments set network = 'eip155:8453' where status = 'settling'`);
  expect((await ledgerFindings()).map(({ found }) => found)).toContainEqual(
    expect.stringContaining('1 payment(s) stay open: they are of another network than eip155:84532'),
  );
});

async function ledgerFindings() {
  const { out } = await entitySearch(['doctor', '--json'], stage.env);
  const found = JSON.parse(out) as readonly {
    readonly check: string;
    readonly level: string;
    readonly found: string;
    readonly todo: string | null;
  }[];
  return found.filter(({ check }) => check === 'payments');
}
