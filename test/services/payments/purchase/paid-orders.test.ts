import { price } from '../../../../dev/chain/payment.ts';
import { expectPaymentRequired, expectRetry, expectServed } from '../../../support/payments/paid-answer.ts';
import { newPayer, type Payer, signPayment } from '../../../support/payments/payers.ts';
import { faults } from '../../../support/proxies/facilitator.ts';
import { hastyPostgres, paidStage } from '../../../support/stages/paid.ts';
import { until } from '../../../support/until.ts';

// Orders of events that happen rarely, forced.

const stage = await paidStage();
const api = await stage.startApi();
/** Serves the requests during which Postgres is lost. */
const hasty = await stage.startApi({}, hastyPostgres);
let payer: Payer;

beforeEach(async () => {
  payer = await newPayer(stage.chain.chain);
});

const spent = () => stage.spent(payer);

test('a retry with a fresh payment while the first is still settling for a client that has gone: one charge', async () => {
  const first = await signPayment(payer);
  const client = new AbortController();
  const settling = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  stage.chain.facilitator.next('settle', async (exchange) => {
    settling.resolve();
    await goOn.promise;
    exchange.answer(200, await exchange.forward());
  });
  const lost = api.get('q=quartz', first.header, { signal: client.signal });
  await settling.promise;
  client.abort();
  await expect(lost).rejects.toThrow();
  const second = api.get('q=quartz', (await signPayment(payer)).header);
  // The second request is there and waits.
  await new Promise((resolve) => setImmediate(resolve));
  goOn.resolve();
  const answer = await second;
  expectServed(answer);
  expect(answer.headers.get('Payment-Replayed')).toBe('true');
  expect(await spent()).toBe(price);
  expect(await stage.settledRows(payer)).toMatchObject([
    { status: 'settled', nonce: first.authorization.nonce, delivered_at: expect.any(Date) },
  ]);
});

test('two purchases of the same search by one payer at once, both with clients: served one after the other', async () => {
  const [one, two] = [await signPayment(payer), await signPayment(payer)];
  const answers = await Promise.all([api.get('q=quartz', one.header), api.get('q=quartz', two.header)]);
  const transactions = new Set(answers.map((answer) => expectServed(answer).transaction));
  const rows = await stage.settledRows(payer);
  expect(rows.map(({ tx_hash }) => tx_hash).sort()).toEqual([...transactions].sort());
  expect(await spent()).toBe(price * BigInt(transactions.size));
});

test('a settlement that takes longer than a lease is still one settlement, for all who wait', async () => {
  const leaseMs = 500;
  await using patient = await stage.startApi({}, { paid: { limits: { leaseMs } } });
  const { header } = await signPayment(payer);
  const asked = stage.chain.facilitator.asked.settle;
  stage.chain.facilitator.next('settle', async (exchange) => {
    const answer = await exchange.forward();
    const leasedUntil = async () => (await stage.rows(payer))[0]?.lease_until?.getTime() ?? 0;
    const first = await leasedUntil();
    await until(async () => (await leasedUntil()) > first + 2 * leaseMs, 'a lease renewed beyond its own length');
    exchange.answer(200, answer);
  });
  const answers = await Promise.all([patient.get('q=quartz', header), patient.get('q=quartz', header)]);
  expect(new Set(answers.map((answer) => expectServed(answer).transaction)).size).toBe(1);
  expect(stage.chain.facilitator.asked.settle).toBe(asked + 1);
  expect(answers.map(({ headers }) => headers.get('Payment-Replayed')).sort()).toEqual([null, 'true'].sort());
  expect(await spent()).toBe(price);
});

describe('Postgres is lost', () => {
  test.each(['refuse', 'hang'] as const)('before the claim (%s): 503, nothing charged', async (fault) => {
    const { header } = await signPayment(payer);
    await stage.postgres.set(fault);
    const answer = await hasty.get('q=quartz', header);
    await stage.postgres.set('pass');
    expectRetry(answer, 503, 'service_unavailable');
    expect(answer.body.error).toContain('Nothing was charged');
    expectServed(await api.get('q=quartz', header));
    expect(await spent()).toBe(price);
  });

  // Refused: the intent is not stored. Muted: it is stored, and the caller gets no answer.
  test.each(['refuse', 'mute'] as const)('before settlement (%s): 503, nothing charged', async (fault) => {
    const { header } = await signPayment(payer);
    const settled = stage.chain.facilitator.asked.settle;
    stage.chain.facilitator.next('verify', async (exchange) => {
      const answer = await exchange.forward();
      await stage.postgres.set(fault);
      exchange.answer(200, answer);
    });
    const answer = await hasty.get('q=quartz', header);
    expectRetry(answer, 503, 'service_unavailable');
    expect(stage.chain.facilitator.asked.settle).toBe(settled);
    expect(await spent()).toBe(0n);
    await stage.postgres.set('pass');
    await stage.lapse(payer);
    expectServed(await api.get('q=quartz', header));
    expect(await spent()).toBe(price);
    expect(await stage.settledRows(payer)).toMatchObject([{ status: 'settled' }]);
  });

  test.each(['refuse', 'mute'] as const)('after settlement (%s): 200 all the same, the row follows', async (fault) => {
    const { header } = await signPayment(payer);
    stage.chain.facilitator.next('settle', async (exchange) => {
      const answer = await exchange.forward();
      await stage.postgres.set(fault);
      exchange.answer(200, answer);
    });
    const answer = await hasty.get('q=quartz', header);
    await stage.postgres.set('pass');
    const { transaction } = expectServed(answer);
    let rows = await stage.rows(payer);
    if (rows[0]?.status !== 'settled') await stage.lapse(payer);
    while (rows[0]?.status !== 'settled') {
      await api.paid.observe();
      rows = await stage.rows(payer);
    }
    expect(rows).toMatchObject([{ tx_hash: transaction }]);
    const again = await api.get('q=quartz', header);
    expect(again.text).toBe(answer.text);
    expect(await spent()).toBe(price);
  });
});

test('an authorization that runs out while we search is not settled', async () => {
  const { header } = await signPayment(payer);
  const settled = stage.chain.facilitator.asked.settle;
  stage.chain.facilitator.next('verify', async (exchange) => {
    const answer = await exchange.forward();
    stage.shiftMs = 290_000;
    exchange.answer(200, answer);
  });
  const answer = await api.get('q=quartz', header);
  stage.shiftMs = 0;
  expectPaymentRequired(answer, 'invalid_exact_evm_payload_authorization_valid_before');
  expect(stage.chain.facilitator.asked.settle).toBe(settled);
  expect(await stage.rows(payer)).toMatchObject([{ status: 'released', tx_hash: null, lease_until: null }]);
  expect(await spent()).toBe(0n);
});

test("a stranger's forged wallet payments can't use up a victim's limit", async () => {
  await using modest = await stage.startApi({}, { paid: { rows: { openMax: 1 }, limits: { openMax: 1 } } });
  const stranger = await newPayer(stage.chain.chain, 0);
  const asked = stage.chain.facilitator.asked.verify;
  const forged = await Promise.all(
    Array.from({ length: 20 }, () =>
      signPayment(stranger, { from: payer.account.address, tamper: (s) => `0x00${s.slice(2)}` }),
    ),
  );
  const attempts = forged.map(({ header }) => modest.get('q=quartz', header));
  expectServed(await modest.get('q=quartz', (await signPayment(payer)).header));
  for (const attempt of attempts) expectPaymentRequired(await attempt, 'invalid_exact_evm_payload_signature');
  expect(stage.chain.facilitator.asked.verify).toBe(asked + 1);
  expect(await spent()).toBe(price);
});

describe('the observer', () => {
  test('finds what landed, gives up what expired, and never settles', async () => {
    const landed = await signPayment(payer);
    stage.chain.facilitator.next('settle', async (exchange) => {
      await exchange.forward();
      await stage.rpc.set('refuse');
      exchange.reset();
    });
    expectRetry(await api.get('q=landed', landed.header), 503, 'settlement_unknown');
    await stage.rpc.set('pass');
    stage.chain.facilitator.next('settle', faults.reset);
    const open = await signPayment(payer);
    expectRetry(await api.get('q=open', open.header), 503, 'settlement_unknown');
    const asked = { ...stage.chain.facilitator.asked };
    await api.paid.observe();
    expect(await stage.rows(payer)).toMatchObject([
      { status: 'settled', nonce: landed.authorization.nonce, delivered_at: null, lease_until: null },
      { status: 'settling', nonce: open.authorization.nonce, lease_until: null },
    ]);
    expect(stage.chain.facilitator.asked).toEqual(asked);
    expect(await spent()).toBe(price);
    // The paid search still belongs to the payer, with the authorization that paid.
    expectServed(await api.get('q=landed', landed.header));
    expect(await spent()).toBe(price);
  });

  test('deletes results that can no longer be fetched, and keeps the ledger', async () => {
    const { header } = await signPayment(payer);
    expectServed(await api.get('q=quartz', header));
    await stage.settledRows(payer);
    const bodies = async () => {
      const { rows } = await stage.stage.pool.query<{ body: string | null; request: unknown; header: string | null }>(
        'select body, request, header from x402_payments where payer = $1',
        [payer.address],
      );
      return rows;
    };
    await api.paid.observe();
    expect(await bodies()).toMatchObject([{ body: expect.any(String), header: null }]);
    await stage.stage.pool.query(
      `update x402_payments set delivered_at = delivered_at - interval '1 hour' where payer = $1`,
      [payer.address],
    );
    await api.paid.observe();
    expect(await bodies()).toEqual([{ body: null, request: null, header: null }]);
    expectPaymentRequired(await api.get('q=quartz', header), 'payment_already_used');
  });
});
