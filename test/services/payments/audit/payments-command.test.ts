import { entitySearch } from '../../../../dev/lib/command-line.ts';
import { expectRetry, expectServed } from '../../../support/payments/paid-answer.ts';
import { newPayer, signPayment } from '../../../support/payments/payers.ts';
import { faults } from '../../../support/proxies/facilitator.ts';
import { paidStage } from '../../../support/stages/paid.ts';

// The operator's view: one payment that is settled, one that landed unseen, one whose outcome stays open.

const stage = await paidStage();
const payer = await newPayer(stage.chain.chain);
let transaction: string;
let openNonce: string;

beforeAll(async () => {
  await using api = await stage.startApi();
  ({ transaction } = expectServed(await api.get('q=quartz', (await signPayment(payer)).header)));
  stage.chain.facilitator.next('settle', async (exchange) => {
    await exchange.forward();
    await stage.rpc.set('refuse');
    exchange.reset();
  });
  expectRetry(await api.get('q=landed', (await signPayment(payer)).header), 503, 'settlement_unknown');
  await stage.rpc.set('pass');
  stage.chain.facilitator.next('settle', faults.reset);
  const open = await signPayment(payer);
  openNonce = open.authorization.nonce;
  expectRetry(await api.get('q=open', open.header), 503, 'settlement_unknown');
  await stage.settledRows(payer);
});

const run = (...args: string[]) => entitySearch(['payments', ...args], stage.env);

test('list shows the newest first, and filters', async () => {
  const all = await run('list');
  expect(JSON.parse(all.out)).toMatchObject([
    { status: 'settling', payer: payer.address },
    { status: 'settling', payer: payer.address },
    { status: 'settled', transaction, amount: '10000', delivered_at: expect.any(String) },
  ]);
  const settled = await run('list', '--status', 'settled', '--payer', payer.account.address);
  expect(JSON.parse(settled.out)).toHaveLength(1);
  expect((await run('list', '--payer', 'me')).code).toBe(64);
});

test('show finds a payment by id, nonce or transaction, and never shows the signature', async () => {
  const byTransaction = await run('show', transaction);
  const shown = JSON.parse(byTransaction.out) as { id: number; nonce: string };
  expect(shown).toMatchObject({ transaction, request: { q: 'quartz', type: 'all', limit: 10, page: 1 } });
  expect(shown).toMatchObject({ final: false, block: expect.any(Number), looked_at: null });
  for (const name of [String(shown.id), shown.nonce]) expect((await run('show', name)).out).toBe(byTransaction.out);
  expect((await run('show', openNonce)).out).not.toContain('signature');
  const missing = await run('show', '999');
  expect({ code: missing.code, err: missing.err }).toEqual({ code: 1, err: expect.stringContaining('no payment 999') });
});

test('reconcile reads the chain, reports the result, and settles nothing', async () => {
  const asked = { ...stage.chain.facilitator.asked };
  const first = await run('reconcile');
  expect({ code: first.code, out: JSON.parse(first.out) }).toEqual({
    code: 2,
    out: { landed: 1, voided: 0, open: 1, final: 0 },
  });
  expect(stage.chain.facilitator.asked).toEqual(asked);
  const off = await entitySearch(['payments', 'reconcile'], { DATABASE_URL: stage.env.DATABASE_URL ?? '' });
  expect({ code: off.code, err: off.err }).toEqual({ code: 64, err: expect.stringContaining('X402_PAY_TO') });
});

test('export writes settled payments as CSV, in order', async () => {
  const [head, ...lines] = (await run('export')).out.trimEnd().split('\n');
  expect(head).toBe(
    'id,settled_at,network,asset,payer,pay_to,amount,amount_usd,transaction,nonce,delivered_at,status,final',
  );
  expect(lines).toHaveLength(2);
  const fields = lines[0]?.split(',') ?? [];
  expect(fields).toHaveLength(13);
  expect([fields[2], fields[4], fields[6], fields[7], fields[8]]).toEqual([
    'eip155:84532',
    payer.address,
    '10000',
    '0.01',
    transaction,
  ]);
  expect((await run('export', '--to', '2020-01-01')).out).toBe(`${head}\n`);
});
