import { sendTransfer } from '../../../../dev/chain/authorizations.ts';
import { chainClient } from '../../../../dev/chain/chain.ts';
import { price } from '../../../../dev/chain/payment.ts';
import { expectPaymentRequired, expectRetry, expectServed } from '../../../support/payments/paid-answer.ts';
import { newPayer, type Payer, signPayment } from '../../../support/payments/payers.ts';
import { type Behaviour, faults, saying } from '../../../support/proxies/facilitator.ts';
import { leaveUnknown, paidStage, patient } from '../../../support/stages/paid.ts';
import { until } from '../../../support/until.ts';

// Orders of events that happen rarely, forced; and strangers. Once it may have been sent to the chain, an authorization
// and its signature are public. Presenting them proves nothing: not with another search, not with other words.

const stage = await paidStage();
const api = await stage.startApi();
const { facilitator } = stage.chain;
let payer: Payer;

beforeEach(async () => {
  payer = await newPayer(stage.chain.chain);
});

const spent = () => stage.spent(payer);

test('a retry with a new payment while the first is settling for a disconnected client is charged once', async () => {
  const first = await signPayment(payer);
  const client = new AbortController();
  const settling = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  facilitator.next('settle', async (exchange) => {
    settling.resolve();
    await goOn.promise;
    exchange.answer(200, await exchange.forward());
  });
  const lost = api.get('q=quartz', first.header, { signal: client.signal });
  await settling.promise;
  client.abort();
  await expect(lost).rejects.toThrow();
  const second = api.get('q=quartz', (await signPayment(payer)).header);
  // The second request has arrived and waits.
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

test('two concurrent purchases of one search by one payer, both connected, are served one after the other', async () => {
  const [one, two] = [await signPayment(payer), await signPayment(payer)];
  const answers = await Promise.all([api.get('q=quartz', one.header), api.get('q=quartz', two.header)]);
  const transactions = new Set(answers.map((answer) => expectServed(answer).transaction));
  const rows = await stage.settledRows(payer);
  expect(rows.map(({ tx_hash }) => tx_hash).sort()).toEqual([...transactions].sort());
  expect(await spent()).toBe(price * BigInt(transactions.size));
});

test('a settlement that outlasts its lease is still one settlement for all who wait', async () => {
  const leaseMs = 500;
  await using brief = await stage.startApi({}, { paid: { limits: { leaseMs } } });
  const { header } = await signPayment(payer);
  const asked = facilitator.asked.settle;
  facilitator.next('settle', async (exchange) => {
    const answer = await exchange.forward();
    const leasedUntil = async () => (await stage.rows(payer))[0]?.lease_until?.getTime() ?? 0;
    const first = await leasedUntil();
    await until(async () => (await leasedUntil()) > first + 2 * leaseMs, 'a lease renewed beyond its own length');
    exchange.answer(200, answer);
  });
  const answers = await Promise.all([brief.get('q=quartz', header), brief.get('q=quartz', header)]);
  expect(new Set(answers.map((answer) => expectServed(answer).transaction)).size).toBe(1);
  expect(facilitator.asked.settle).toBe(asked + 1);
  expect(answers.map(({ headers }) => headers.get('Payment-Replayed')).sort()).toEqual([null, 'true'].sort());
  expect(await spent()).toBe(price);
});

test('a refused payment stays claimed until the chain shows that it is unused, so no other request settles it', async () => {
  await using patientApi = await stage.startApi({}, patient);
  const { header } = await signPayment(payer);
  facilitator.next('verify', async (exchange) => {
    await stage.rpc.set('refuse');
    exchange.answer(200, JSON.stringify({ isValid: false, invalidReason: 'insufficient_funds' }));
  });
  const answer = patientApi.get('q=quartz', header);
  await until(() => patientApi.log.some(({ msg }) => msg === 'the chain gave no answer'), 'a question to the chain');
  const meanwhile = await stage.rows(payer);
  await stage.rpc.set('pass');
  expectPaymentRequired(await answer, 'insufficient_funds');
  expect(meanwhile).toMatchObject([{ status: 'processing', lease_until: expect.any(Date) }]);
  expect(await stage.rows(payer)).toMatchObject([{ status: 'released', lease_until: null }]);
});

test('an authorization that expires during the search is not settled', async () => {
  const { header } = await signPayment(payer);
  const settled = facilitator.asked.settle;
  facilitator.next('verify', async (exchange) => {
    const answer = await exchange.forward();
    stage.shiftMs = 290_000;
    exchange.answer(200, answer);
  });
  const answer = await api.get('q=quartz', header);
  stage.shiftMs = 0;
  expectPaymentRequired(answer, 'invalid_exact_evm_payload_authorization_valid_before');
  expect(facilitator.asked.settle).toBe(settled);
  expect(await stage.rows(payer)).toMatchObject([{ status: 'released', tx_hash: null, lease_until: null }]);
  expect(await spent()).toBe(0n);
});

test('a payment that lands in a lower block than the current one at its arrival is found', async () => {
  const chain = chainClient(stage.chain.chain);
  const before = await chain.snapshot();
  await chain.mine({ blocks: 5 });
  const payment = await unanswered('q=quartz');
  await chain.revert({ id: before });
  await sendTransfer(stage.chain.chain, payment);
  expectServed(await api.get('q=quartz', payment.header));
  expect(await spent()).toBe(price);
  expect(await stage.restingRows(payer)).toMatchObject([{ status: 'settled' }]);
});

const unanswered = async (query: string, behaviour?: Behaviour) =>
  leaveUnknown(stage, api, query, await signPayment(payer), behaviour);

describe('the observer', () => {
  test('finds a payment that landed, keeps an open one, and never settles', async () => {
    const landed = await unanswered('q=landed');
    await sendTransfer(stage.chain.chain, landed);
    const open = await unanswered('q=open');
    const asked = { ...facilitator.asked };
    await api.paid.observe();
    expect(await stage.rows(payer)).toMatchObject([
      { status: 'settled', nonce: landed.authorization.nonce, delivered_at: null, lease_until: null },
      { status: 'settling', nonce: open.authorization.nonce, lease_until: null },
    ]);
    expect(facilitator.asked).toEqual(asked);
    // A stranger who shows it gets a copy, and the payer still gets the answer later.
    expectServed(await api.get('q=landed', landed.header));
    expect(await stage.restingRows(payer)).toMatchObject([{ delivered_at: null }, {}]);
    expectServed(await api.get('q=landed', (await signPayment(payer)).header));
    await until(async () => (await stage.rows(payer))[0]?.delivered_at !== null, 'the delivery');
    expect(await spent()).toBe(price);
  });

  test('deletes results that can no longer be fetched, and keeps the ledger including the queries', async () => {
    const { pool } = stage.stage;
    const { header } = await signPayment(payer);
    expectServed(await api.get('q=quartz', header));
    await stage.settledRows(payer);
    const bodies = async (): Promise<object[]> =>
      (await pool.query('select body, request, header from x402_payments where payer = $1', [payer.address])).rows;
    await api.paid.observe();
    expect(await bodies()).toMatchObject([{ body: expect.any(String), header: null }]);
    const earlier = `update x402_payments set delivered_at = delivered_at - interval '1 hour' where payer = $1`;
    await pool.query(earlier, [payer.address]);
    await api.paid.observe();
    expect(await bodies()).toEqual([{ body: null, request: expect.objectContaining({ q: 'quartz' }), header: null }]);
    expectPaymentRequired(await api.get('q=quartz', header), 'payment_already_used');
  });
});

describe('a stranger', () => {
  test('cannot use a payment that lands after a refusal for another search', async () => {
    const payment = await unanswered('q=quartz', saying('insufficient_funds'));
    await sendTransfer(stage.chain.chain, payment);
    for (const query of ['q=exchange', 'q=quartz&limit=9']) {
      expectPaymentRequired(await api.get(query, payment.header), 'payment_already_used');
    }
    const answer = await api.get('q=quartz', payment.header);
    expectServed(answer);
    expect(answer.body.meta).toMatchObject({ query: 'quartz' });
    expect(await spent()).toBe(price);
  });

  test('gains and changes nothing with a known signature and other terms, or a known nonce and another signature', async () => {
    const payment = await signPayment(payer);
    facilitator.next('verify', faults.reset);
    expectRetry(await api.get('q=quartz', payment.header), 503, 'facilitator_unavailable');
    const thief = await newPayer(stage.chain.chain, 0);
    const { from, nonce } = payment.authorization;
    const forged = await signPayment(thief, { from, nonce });
    const otherWords = await Promise.all(
      [{ validForSeconds: 250 }, { validAfter: 1n }].map((draft) =>
        signPayment(payer, { nonce, ...draft, tamper: () => payment.signature }),
      ),
    );
    const before = { rows: await stage.rows(payer), asked: { ...facilitator.asked } };
    for (const { header } of [forged, ...otherWords]) {
      for (const query of ['q=quartz', 'q=exchange']) {
        expectPaymentRequired(await api.get(query, header), 'invalid_exact_evm_payload_signature');
      }
    }
    // A payment that was given up is tried again for its own search alone.
    expectPaymentRequired(await api.get('q=exchange', payment.header), 'payment_already_used');
    expect({ rows: await stage.rows(payer), asked: { ...facilitator.asked } }).toEqual(before);
    expectServed(await api.get('q=quartz', payment.header));
    // Row 34: also once it is paid.
    expectPaymentRequired(await api.get('q=quartz', forged.header), 'invalid_exact_evm_payload_signature');
    expect(await spent()).toBe(price);
  });

  test("cannot exhaust a victim's limit with forged wallet payments", async () => {
    await using modest = await stage.startApi({}, { paid: { rows: { openMax: 1 }, limits: { openMax: 1 } } });
    const stranger = await newPayer(stage.chain.chain, 0);
    const asked = facilitator.asked.verify;
    const from = payer.account.address;
    const forged = await Promise.all(
      Array.from({ length: 20 }, () => signPayment(stranger, { from, tamper: (s) => `0x00${s.slice(2)}` })),
    );
    const attempts = forged.map(({ header }) => modest.get('q=quartz', header));
    expectServed(await modest.get('q=quartz', (await signPayment(payer)).header));
    for (const attempt of attempts) expectPaymentRequired(await attempt, 'invalid_exact_evm_payload_signature');
    expect(facilitator.asked.verify).toBe(asked + 1);
    expect(await spent()).toBe(price);
  });

  test("uses up none of a payer's attempts by repeating the payer's public payment", async () => {
    const { header } = await signPayment(payer);
    expectServed(await api.get('q=mine', header));
    for (let n = 0; n < 70; n += 1) {
      expectPaymentRequired(await api.get('q=not+mine', header), 'payment_already_used');
    }
    expectServed(await api.get('q=next', (await signPayment(payer)).header));
  });
});
