import { localAccounts } from '../../../../dev/chain/accounts.ts';
import { balanceOf } from '../../../../dev/chain/chain.ts';
import { price } from '../../../../dev/chain/payment.ts';
import { expectPaymentRequired, expectRetry, expectServed } from '../../../support/payments/paid-answer.ts';
import { newPayer, type Payer, signPayment, submitByStranger } from '../../../support/payments/payers.ts';
import { leaveUnknown, paidStage } from '../../../support/stages/paid.ts';
import { until } from '../../../support/until.ts';

// Payments that were made under other terms than those of today, and what the observer does with many.

const stage = await paidStage();
const api = await stage.startApi();
let payer: Payer;
const otherRecipient = localAccounts.facilitator.address;

beforeEach(async () => {
  payer = await newPayer(stage.chain.chain);
});

const spent = () => stage.spent(payer);
const asUnknown = { status: 'settling', lease_until: null } as const;

const unknown = async (query: string) => leaveUnknown(stage, api, query, await signPayment(payer));

describe('after a restart with another recipient', () => {
  const restart = () => stage.startApi({ X402_PAY_TO: otherRecipient });

  test('payments to the old recipient, who keeps them, are found and served, and new payments to it are refused', async () => {
    const [landed, open] = [await unknown('q=landed'), await unknown('q=unknown')];
    await submitByStranger(stage.chain.chain, landed);
    const before = { received: await stage.received(), other: await balanceOf(stage.chain.chain, otherRecipient) };
    await using restarted = await restart();
    await restarted.paid.observe();
    expect(await stage.rows(payer)).toMatchObject([{ status: 'settled', delivered_at: null }, asUnknown]);
    const late = await restarted.get('q=new', (await signPayment(payer)).header);
    expectPaymentRequired(late, 'invalid_exact_evm_payload_recipient_mismatch');
    expect(await stage.rows(payer)).toHaveLength(2);
    expectServed(await restarted.get('q=landed', landed.header));
    expectServed(await restarted.get('q=unknown', open.header));
    expect(await stage.restingRows(payer)).toMatchObject([{ status: 'settled' }, { status: 'settled' }]);
    // Both went to the recipient that their payer had signed for.
    expect(await stage.received()).toBe(before.received + price);
    expect(await balanceOf(stage.chain.chain, otherRecipient)).toBe(before.other);
    expect(await spent()).toBe(price * 2n);
  });

  test('a payment whose row was lost is served again, charged once, and followed by no new one to its recipient', async () => {
    await api.paid.audit(0);
    const { header } = await signPayment(payer);
    expectServed(await api.get('q=restored', header));
    await stage.settledRows(payer);
    await stage.stage.pool.query('delete from x402_payments where payer = $1', [payer.address]);
    await using restarted = await restart();
    expectServed(await restarted.get('q=restored', header));
    const late = await restarted.get('q=new', (await signPayment(payer)).header);
    expectPaymentRequired(late, 'invalid_exact_evm_payload_recipient_mismatch');
    expect(await stage.rows(payer)).toMatchObject([{ status: 'settled' }]);
    expect(await spent()).toBe(price);
  });
});

test('after a restart with a lower price, the balance must still cover the higher amounts of open payments', async () => {
  const value = price * 10n;
  await using dear = await stage.startApi({ X402_AMOUNT: `${value}` });
  await leaveUnknown(stage, dear, 'q=dear', await signPayment(payer, { value, accepted: { amount: `${value}` } }));
  expectPaymentRequired(await api.get('q=cheap', (await signPayment(payer)).header), 'insufficient_funds');
  expect(await stage.rows(payer)).toMatchObject([asUnknown]);
});

describe('after a restart with another network', () => {
  const restart = () => stage.startApi({ X402_NETWORK: 'eip155:8453' });

  test('landed payments are served, unknown ones stay and are reported as unknown, and nothing is deleted', async () => {
    const paid = await signPayment(payer);
    const first = await api.get('q=paid', paid.header);
    expectServed(first);
    const open = await unknown('q=unknown');
    await stage.settledRows({ address: payer.address });
    {
      await using restarted = await restart();
      const again = await restarted.get('q=paid', paid.header);
      expectServed(again);
      expect(again.text).toBe(first.text);
      expectRetry(await restarted.get('q=unknown', open.header), 503, 'settlement_unknown');
      await restarted.paid.observe();
      const [, row] = await stage.rows(payer);
      expect(row).toMatchObject(asUnknown);
      expect(restarted.paid.figures()?.payments).toMatchObject({ no_node: expect.any(Number) });
    }
    expectServed(await api.get('q=unknown', open.header));
    expect(await stage.settledRows(payer)).toMatchObject([{ status: 'settled' }, { status: 'settled' }]);
    expect(await spent()).toBe(price * 2n);
  });
});

/** Rows of others, older than all that come. Nothing can be decided about them. */
async function addUndecidable(count: number, network: string): Promise<void> {
  await stage.stage.pool.query(
    `insert into x402_payments (network, asset, pay_to, payer, nonce, amount, valid_before, status,
       request, request_hash, signature_hash, header, body, from_block)
     select $2, '0x036cbd53842c5426634e7929541ec2318f3dcf7e', $3, '0x' || lpad(to_hex(n), 40, '0'),
       '0x' || lpad(to_hex(n), 64, '0'), 10000, 9999999999, 'settling', '{"q":"","type":"all","limit":1,"page":1}',
       md5(n::text) || md5(n::text), md5(n::text) || md5(n::text), 'eA==', '{}', 0
     from generate_series(1, $1) as n`,
    [count, network, otherRecipient.toLowerCase()],
  );
}

describe('two hundred and fifty payments that cannot be decided', () => {
  const many = 250;

  test.each([
    ['if they are open', 'eip155:84532'],
    ['if their network is not configured', 'eip155:8453'],
  ])('block no others %s', async (_why, network) => {
    await addUndecidable(many, network);
    const landed = await unknown('q=starved');
    await submitByStranger(stage.chain.chain, landed);
    // Two passes see them all.
    await api.paid.observe();
    await api.paid.observe();
    expect(await stage.rows(payer)).toMatchObject([{ status: 'settled' }]);
    const left = await stage.stage.pool.query(`select 1 from x402_payments where header = 'eA=='`);
    expect(left.rowCount).toBe(many);
    await stage.stage.pool.query(`delete from x402_payments where header = 'eA=='`);
  });
});

test('an answer stored as delivered before its payment is stored as settled ends up as both', async () => {
  const { pool } = stage.stage;
  await pool.query(`create function refuse_settled() returns trigger language plpgsql as
    $$ begin raise exception 'not now'; end $$`);
  await pool.query(`create trigger refuse_settled before update on x402_payments for each row
    when (new.status = 'settled' and old.status <> 'settled') execute function refuse_settled()`);
  await using strict = await stage.startApi({}, { paid: { rows: { repeatMs: 0 } } });
  expectServed(await strict.get('q=quartz', (await signPayment(payer)).header));
  let rows = await stage.rows(payer);
  await until(async () => {
    rows = await stage.rows(payer);
    return rows[0]?.delivered_at !== null;
  }, 'the note of the delivery');
  expect(rows).toMatchObject([{ status: 'settling', delivered_at: expect.any(Date) }]);
  await pool.query('drop function refuse_settled cascade');
  await stage.lapse(payer);
  while (rows[0]?.status !== 'settled') {
    await strict.paid.observe();
    rows = await stage.rows(payer);
  }
  expect(rows).toMatchObject([{ status: 'settled', delivered_at: expect.any(Date) }]);
  // A delivered search is not given to the next purchase.
  const next = await strict.get('q=quartz', (await signPayment(payer)).header);
  expectServed(next);
  expect(next.headers.get('Payment-Replayed')).toBeNull();
  expect(await spent()).toBe(price * 2n);
});
