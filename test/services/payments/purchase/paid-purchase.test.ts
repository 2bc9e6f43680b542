import { balanceOf, chainClient } from '../../../../dev/chain/chain.ts';
import { price } from '../../../../dev/chain/payment.ts';
import { expectPaymentRequired, expectRetry, expectServed } from '../../../support/payments/paid-answer.ts';
import { cancel, newPayer, type Payer, signPayment, submitByStranger } from '../../../support/payments/payers.ts';
import { saying } from '../../../support/proxies/facilitator.ts';
import { paidStage } from '../../../support/stages/paid.ts';

// Rows 11 to 15, 25 to 29 and 33 to 39 of the behaviours: a purchase, its repetitions, and buying again.

const stage = await paidStage();
const api = await stage.startApi();
const chain = chainClient(stage.chain.chain);
const { facilitator } = stage.chain;

/** More blocks than can be taken back. */
const finalBlocks = 20;

const asked = () => ({ ...facilitator.asked, searches: api.searches() });

/** Moves every delivery to this payer into the past. */
const ago = (payer: Payer, seconds: number) =>
  stage.stage.pool.query(
    `update x402_payments set delivered_at = delivered_at - $2 * interval '1 s' where payer = $1`,
    [payer.address, seconds],
  );

describe('row 11: the same payment for the same request', () => {
  test('gets a byte-identical answer without any work, however the request is spelled', async () => {
    const payer = await newPayer(stage.chain.chain);
    const { header } = await signPayment(payer);
    const quiet = api.log.filter(({ level }) => level !== 'info').length;
    const first = await api.get('q=quartz', header);
    const { transaction } = expectServed(first);
    expect(first.headers.get('Payment-Replayed')).toBeNull();
    expect(first.headers.get('X-Index-Lag')).toBe('0.3');
    expect(api.log.filter(({ level }) => level !== 'info')).toHaveLength(quiet);
    await stage.settledRows(payer);
    const before = asked();
    for (const query of ['q=quartz', 'page=1&limit=10&type=all&q=quartz', 'type=all&q=quartz', 'query=quartz']) {
      const replay = await api.get(query, header);
      expect(expectServed(replay)).toEqual({ transaction });
      expect(replay.text).toBe(first.text);
      expect(replay.headers.get('PAYMENT-RESPONSE')).toBe(first.headers.get('PAYMENT-RESPONSE'));
      expect(replay.headers.get('Payment-Replayed')).toBe('true');
      // The age of the stored result is unknown by now.
      expect(replay.headers.get('X-Index-Lag')).toBeNull();
    }
    expect(asked()).toEqual(before);
    expect(await stage.spent(payer)).toBe(price);
  });

  test('is answered even after a restart and after the authorization expired, but not after the window', async () => {
    const payer = await newPayer(stage.chain.chain);
    const { header } = await signPayment(payer);
    const first = await api.get('q=quartz', header);
    await stage.settledRows(payer);
    await using restarted = await stage.startApi();
    stage.shiftMs = 400_000;
    try {
      expect((await restarted.get('q=quartz', header)).text).toBe(first.text);
      await ago(payer, 900);
      expectPaymentRequired(await restarted.get('q=quartz', header), 'payment_already_used');
    } finally {
      stage.shiftMs = 0;
    }
    expect(await stage.spent(payer)).toBe(price);
  });
});

test('row 12: the same payment cannot buy another request', async () => {
  const payer = await newPayer(stage.chain.chain);
  const { header } = await signPayment(payer);
  expectServed(await api.get('q=quartz', header));
  for (const query of ['q=other', 'q=quartz&type=people', 'q=quartz&limit=9', 'q=quartz&page=2']) {
    expectPaymentRequired(await api.get(query, header), 'payment_already_used');
  }
  expect(await stage.spent(payer)).toBe(price);
});

test('row 13: ten concurrent requests with one payment to two processes: one purchase, ten answers', async () => {
  await using second = await stage.startApi();
  const payer = await newPayer(stage.chain.chain);
  const { header } = await signPayment(payer);
  const before = { ...facilitator.asked };
  const searches = () => api.searches() + second.searches();
  const searchesBefore = searches();
  const all = await Promise.all(
    Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? api : second).get('type=companies', header)),
  );
  expect(new Set(all.map((answer) => expectServed(answer).transaction)).size).toBe(1);
  expect(new Set(all.map((answer) => answer.text)).size).toBe(1);
  expect(facilitator.asked).toEqual({ verify: before.verify + 1, settle: before.settle + 1 });
  // Without words to match there is one pass, so one call is one search.
  expect(searches()).toBe(searchesBefore + 1);
  expect(await stage.spent(payer)).toBe(price);
  expect(await stage.settledRows(payer)).toMatchObject([{ status: 'settled', delivered_at: expect.any(Date) }]);
});

test.each([
  ['row 14: one payment for six searches', 'payment_already_used'],
  ['row 28: money for one search, and six payments', 'insufficient_funds'],
])('%s, concurrently: one is bought, and five are refused', async (_what, code) => {
  const payer = await newPayer(stage.chain.chain, 1);
  const one = await signPayment(payer);
  const all = await Promise.all(
    Array.from({ length: 6 }, async (_, n) => {
      const { header } = code === 'payment_already_used' ? one : await signPayment(payer);
      return api.get(`q=race+${n}`, header);
    }),
  );
  expect(all.map(({ status }) => status).sort()).toEqual([200, 402, 402, 402, 402, 402]);
  for (const answer of all) if (answer.status === 402) expectPaymentRequired(answer, code);
  expect(await stage.spent(payer)).toBe(price);
  expect(await stage.settledRows(payer)).toMatchObject([{ status: 'settled' }]);
});

describe('row 15: an authorization that was already used', () => {
  test('is served once if its transfer paid us, because its row was lost or a third party settled first', async () => {
    const payer = await newPayer(stage.chain.chain, 1);
    const payment = await signPayment(payer);
    const transaction = await submitByStranger(stage.chain.chain, payment);
    const before = { ...facilitator.asked };
    const answer = await api.get('q=quartz', payment.header);
    expect(expectServed(answer)).toEqual({ transaction });
    expectPaymentRequired(await api.get('q=other', payment.header), 'payment_already_used');
    expect((await api.get('q=quartz', payment.header)).text).toBe(answer.text);
    expect(facilitator.asked).toEqual(before);
    // Its bearer has shown nothing that is not public, so it stays the payer's.
    expect(await stage.restingRows(payer)).toMatchObject([{ status: 'settled', delivered_at: null }]);
    expect(await stage.spent(payer)).toBe(price);
  });

  test('is served again after the database lost its row, even when expired', async () => {
    const payer = await newPayer(stage.chain.chain, 1);
    const { header } = await signPayment(payer);
    const first = await api.get('q=quartz', header);
    await stage.settledRows(payer);
    for (const shiftMs of [0, 400_000]) {
      await stage.restingRows(payer);
      await stage.stage.pool.query('delete from x402_payments where payer = $1', [payer.address]);
      stage.shiftMs = shiftMs;
      const again = await api.get('q=quartz', header);
      stage.shiftMs = 0;
      expect(expectServed(again)).toEqual(expectServed(first));
      expect(again.headers.get('Payment-Replayed')).toBe('true');
    }
    expect(await stage.spent(payer)).toBe(price);
  });
});

test.each(['row 15: before it comes', 'row 27: while we work'])(
  'an authorization that its payer cancels buys nothing (%s)',
  async (when) => {
    const payer = await newPayer(stage.chain.chain);
    const payment = await signPayment(payer);
    const takeBack = () => cancel(stage.chain.chain, payer, payment);
    if (when.startsWith('row 15')) await takeBack();
    else {
      facilitator.next('settle', async (exchange) => {
        await takeBack();
        exchange.answer(200, await exchange.forward());
      });
    }
    const answer = await api.get('q=quartz', payment.header);
    expectRetry(answer, 503, 'settlement_unknown');
    expect(answer.text).not.toContain('Quartz Ledger');
    await chain.mine({ blocks: finalBlocks });
    expectPaymentRequired(await api.get('q=quartz', payment.header), 'authorization_cancelled');
    expect(await stage.rows(payer)).toEqual([]);
    expect(await stage.spent(payer)).toBe(0n);
  },
);

test('row 25: only the chain ends a payment that a facilitator refuses, and the answer confirms it', async () => {
  const payer = await newPayer(stage.chain.chain);
  const { header, authorization } = await signPayment(payer, { validForSeconds: 60 });
  facilitator.next('settle', saying('insufficient_funds'));
  const answer = await api.get('q=quartz', header);
  expectRetry(answer, 503, 'settlement_unknown');
  expect(answer.text).not.toContain('Quartz Ledger');
  expect(await stage.rows(payer)).toMatchObject([{ status: 'settling', lease_until: null }]);
  await chain.setNextBlockTimestamp({ timestamp: authorization.validBefore });
  await chain.mine({ blocks: finalBlocks });
  const last = await api.get('q=quartz', header);
  expectPaymentRequired(last, 'invalid_exact_evm_payload_authorization_valid_before');
  expect(last.receipt).toMatchObject({ success: false, transaction: '' });
  expect(await stage.rows(payer)).toEqual([]);
  expect(await stage.spent(payer)).toBe(0n);
});

test('row 26: if a third party settles the authorization first, the answer has that transaction', async () => {
  const payer = await newPayer(stage.chain.chain);
  const payment = await signPayment(payer);
  let brought = '';
  facilitator.next('settle', async (exchange) => {
    brought = await submitByStranger(stage.chain.chain, payment);
    exchange.answer(200, await exchange.forward());
  });
  expect(expectServed(await api.get('q=quartz', payment.header))).toEqual({ transaction: brought });
  expect(await stage.spent(payer)).toBe(price);
  expect(await stage.settledRows(payer)).toMatchObject([{ status: 'settled', tx_hash: brought }]);
});

test('row 29: a failed search is 500 like a keyed search, and nothing is charged', async () => {
  const payer = await newPayer(stage.chain.chain);
  const { header } = await signPayment(payer);
  const settled = facilitator.asked.settle;
  await stage.elasticsearch.set('refuse');
  const answer = await api.get('q=quartz', header);
  await stage.elasticsearch.set('pass');
  expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 500, code: 'search_unavailable' });
  expect(answer.body.error).toMatch(/External search service error.*Nothing was charged/);
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
  expect(facilitator.asked.settle).toBe(settled);
  expect(await stage.rows(payer)).toMatchObject([{ status: 'released', tx_hash: null, lease_until: null }]);
  expectServed(await api.get('q=quartz', header));
  expect(await stage.spent(payer)).toBe(price);
});

test('row 33: repeating a search within minutes returns the paid answer, and later a new one is bought', async () => {
  const payer = await newPayer(stage.chain.chain);
  const buy = async (query: string, by = payer) => api.get(query, (await signPayment(by)).header);
  const first = await buy('q=quartz');
  expectServed(first);
  await stage.settledRows(payer);
  await ago(payer, 170);
  // A proxy may have had the first answer alone.
  const again = await buy('q=quartz');
  expect(again.text).toBe(first.text);
  expect(again.headers.get('Payment-Replayed')).toBe('true');
  expect(await stage.spent(payer)).toBe(price);
  for (const bought of [2n, 3n]) {
    await stage.settledRows(payer);
    await ago(payer, 181);
    expectServed(await buy('q=quartz'));
    expect(await stage.spent(payer)).toBe(bought * price);
  }
  // Another search, or another payer, has nothing of it.
  expectServed(await buy('q=quartz&limit=9'));
  expect(await stage.spent(payer)).toBe(4n * price);
  const other = await newPayer(stage.chain.chain);
  expectServed(await buy('q=quartz', other));
  expect(await stage.spent(other)).toBe(price);
});

test('row 37: a payment identifier returns the stored answer for the same search, and conflicts for another', async () => {
  const payer = await newPayer(stage.chain.chain);
  const extensions = { 'payment-identifier': { info: { required: false, id: 'purchase-0123456789' } } };
  const buy = async (query: string) => api.get(query, (await signPayment(payer, { extensions })).header);
  const first = await buy('q=quartz');
  expectServed(first);
  await stage.settledRows(payer);
  expect((await buy('q=quartz')).text).toBe(first.text);
  const { status, body } = await buy('q=other');
  expect({ status, code: body.code }).toEqual({ status: 409, code: 'payment_identifier_used' });
  // Without the identifier, a new answer would be bought by now.
  await ago(payer, 600);
  expect((await buy('q=quartz')).text).toBe(first.text);
  await ago(payer, 900);
  expect((await buy('q=quartz')).body.code).toBe('payment_identifier_used');
  expect(await stage.spent(payer)).toBe(price);
});

test('row 38: concurrent payments of a payer beyond the limit must wait, and cost nothing', async () => {
  const payer = await newPayer(stage.chain.chain);
  await using modest = await stage.startApi({}, { paid: { rows: { openMax: 2 }, limits: { openMax: 2 } } });
  const release = Promise.withResolvers<void>();
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  for (const { resolve } of begun) {
    facilitator.next('verify', async (exchange) => {
      resolve();
      const answer = await exchange.forward();
      await release.promise;
      exchange.answer(200, answer);
    });
  }
  const pay = async (n: number) => modest.get(`q=cap+${n}`, (await signPayment(payer)).header);
  const under = [pay(1), pay(2)];
  await Promise.all(begun.map(({ promise }) => promise));
  expectRetry(await pay(3), 429, 'too_many_payments');
  release.resolve();
  for (const answer of await Promise.all(under)) expectServed(answer);
  expect(await stage.spent(payer)).toBe(price * 2n);
  expect(await stage.settledRows(payer)).toHaveLength(2);
});

test('row 39: an answer without results costs the same', async () => {
  const payer = await newPayer(stage.chain.chain, 1);
  const answer = await api.get('q=zzqxjkwv&type=people', (await signPayment(payer)).header);
  expectServed(answer);
  expect(answer.body.data).toEqual({ companies: [], people: [], investors: [] });
  expect(answer.body.meta).toMatchObject({ total: 0 });
  expect(await balanceOf(stage.chain.chain, payer.address)).toBe(0n);
  expect(await stage.settledRows(payer)).toMatchObject([{ status: 'settled', delivered_at: expect.any(Date) }]);
});
