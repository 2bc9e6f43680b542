import { expect, test } from '@jest/globals';
import { entitySearch } from '../../../../dev/lib/command-line.ts';
import { expectRetry, expectServed } from '../../../support/payments/paid-answer.ts';
import { faults } from '../../../support/proxies/facilitator.ts';
import {
  api,
  audit,
  buy,
  client,
  makeFinal,
  payer,
  plainTransfer,
  sign,
  stage,
  useAuditStage,
} from '../../../support/stages/audit.ts';

// Problems with payments are reported by metrics, log, lists, export and doctor.

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
      settled_at = case when status = 'settled' then now() - interval '2 hours' end, confirmed = false, final = false`);
  await stage.stage.pool.query(
    `update x402_recipients set created_at = now() - interval '2 days', finished_at = now() - interval '2 days'`,
  );
  const there = await ledgerFindings();
  expect(there.map(({ found }) => found)).toEqual([
    expect.stringContaining('1 payment(s) are open for more than an hour'),
    expect.stringContaining("1 payment(s) are settled on the facilitator's word"),
    expect.stringContaining('Ledger and chain differ in 1 finding(s)'),
    expect.stringContaining('The audit of 1 recipient(s) has not come to its end'),
  ]);
  expect(there.filter(({ todo, level }) => todo === null || level !== 'warn')).toEqual([]);
  await stage.stage.pool.query(`update x402_payments set network = 'eip155:8453' where status = 'unknown'`);
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

// The last one: the chain's clock goes on an hour.
test("a facilitator's lie while the node is away is denied: log, metrics, list, export and doctor report it", async () => {
  const { transaction: real } = await buy('real');
  stage.chain.facilitator.next('settle', async (exchange) => {
    await stage.rpc.set('refuse');
    exchange.answer(
      200,
      JSON.stringify({
        success: true,
        payer: payer.address,
        transaction: `0x${'de'.repeat(32)}`,
        network: 'eip155:84532',
      }),
    );
  });
  const { header } = await sign({ validForSeconds: 30 });
  expectServed(await api.get('q=lie', header));
  await stage.settledRows(payer);
  await stage.rpc.set('pass');
  await api.paid.observe();
  expect(api.paid.figures()?.payments).toMatchObject({ unconfirmed: 1, denied: 0 });
  await client().increaseTime({ seconds: 3_600 });
  await makeFinal();
  await api.paid.observe();
  expect(api.paid.figures()?.payments).toMatchObject({ unconfirmed: 0, denied: 1 });
  expect(api.log.filter(({ level }) => level === 'error')).toMatchObject([{ transaction: `0x${'de'.repeat(32)}` }]);
  const listed = await entitySearch(['payments', 'list', '--status', 'denied'], stage.env);
  expect(JSON.parse(listed.out)).toMatchObject([{ status: 'denied', confirmed: false }]);
  const exported = (await entitySearch(['payments', 'export'], stage.env)).out.trimEnd().split('\n');
  expect(exported.map((line) => line.split(',').slice(-2))).toEqual([
    ['status', 'final'],
    ['settled', 'true'],
    ['denied', 'false'],
  ]);
  expect(await ledgerFindings()).toMatchObject([
    { level: 'warn', found: expect.stringContaining('1 payment(s) were served') },
  ]);
  expect(await audit()).toMatchObject({ code: 0, recipients: [{ received: '10000' }] });
  expect(exported[1]).toContain(real);
});
