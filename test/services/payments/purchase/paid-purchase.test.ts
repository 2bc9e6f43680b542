import { encodeAbiParameters } from 'viem';
import { balanceOf, chainClient, deploy, mint } from '../../../../dev/chain/chain.ts';
import { compileContracts } from '../../../../dev/chain/contracts.ts';
import { price } from '../../../../dev/chain/payment.ts';
import { expectPaymentRequired, expectRetry, expectServed } from '../../../support/payments/paid-answer.ts';
import { cancel, newPayer, signPayment, submitByStranger } from '../../../support/payments/payers.ts';
import { faults } from '../../../support/proxies/facilitator.ts';
import { hasty, paidStage } from '../../../support/stages/paid.ts';

// Rows 9 to 17 and 25 to 30 of the behaviours: a purchase, its repetitions, and what is wrong before settlement.

const stage = await paidStage();
const api = await stage.startApi();

/** More blocks than can be taken back. */
const finalBlocks = 20;

const asked = () => ({ ...stage.chain.facilitator.asked, searches: api.searches() });

test('row 9: a payer without money gets that reason, and the claim is released', async () => {
  const poor = await newPayer(stage.chain.chain, 0);
  expectPaymentRequired(await api.get('q=x', (await signPayment(poor)).header), 'insufficient_funds');
  expect(await stage.rows(poor)).toEqual([]);
});

test('row 10: a contract wallet pays; its replay is served; another signature of the same payment is not', async () => {
  const owner = await newPayer(stage.chain.chain, 0);
  const code = compileContracts().LocalWallet;
  const argument = encodeAbiParameters([{ type: 'address' }], [owner.account.address]).slice(2);
  const wallet = await deploy(stage.chain.chain, code + argument);
  await mint(stage.chain.chain, wallet, price * 3n);
  const held = () => balanceOf(stage.chain.chain, wallet);
  // The wallet's signatures have a byte of their own in front.
  const paid = await signPayment(owner, { from: wallet, tamper: (signature) => `0x00${signature.slice(2)}` });
  const first = await api.get('q=wallet', paid.header);
  expectServed(first);
  expect(await held()).toBe(price * 2n);
  await stage.settledRows({ address: wallet });
  const again = await api.get('q=wallet', paid.header);
  expect(again.text).toBe(first.text);
  const forged = await signPayment(owner, {
    from: wallet,
    nonce: paid.authorization.nonce,
    tamper: () => `0x00${'11'.repeat(65)}`,
  });
  expectPaymentRequired(await api.get('q=wallet', forged.header), 'invalid_exact_evm_payload_signature');
  expect(await held()).toBe(price * 2n);
});

describe('row 11: the same payment for the same request', () => {
  test('is answered the same to the byte, without any work, however the request is spelled', async () => {
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
    for (const query of ['q=quartz', 'page=1&limit=10&type=all&q=quartz', 'type=all&q=quartz']) {
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

  test('also after a restart and after the authorization has expired; not after the window', async () => {
    const payer = await newPayer(stage.chain.chain);
    const { header } = await signPayment(payer);
    const first = await api.get('q=quartz', header);
    await stage.settledRows(payer);
    await using restarted = await stage.startApi();
    stage.shiftMs = 400_000;
    try {
      expect((await restarted.get('q=quartz', header)).text).toBe(first.text);
      await stage.stage.pool.query(
        `update x402_payments set delivered_at = delivered_at - interval '15 minutes' where payer = $1`,
        [payer.address],
      );
      expectPaymentRequired(await restarted.get('q=quartz', header), 'payment_already_used');
    } finally {
      stage.shiftMs = 0;
    }
    expect(await stage.spent(payer)).toBe(price);
  });
});

test('row 12: the same payment for another request buys nothing', async () => {
  const payer = await newPayer(stage.chain.chain);
  const { header } = await signPayment(payer);
  expectServed(await api.get('q=quartz', header));
  for (const query of ['q=other', 'q=quartz&type=people', 'q=quartz&limit=9', 'q=quartz&page=2']) {
    expectPaymentRequired(await api.get(query, header), 'payment_already_used');
  }
  expect(await stage.spent(payer)).toBe(price);
});

test('row 13: ten at once with one payment, through two processes: one purchase, ten answers', async () => {
  await using second = await stage.startApi();
  const payer = await newPayer(stage.chain.chain);
  const { header } = await signPayment(payer);
  const before = { ...stage.chain.facilitator.asked };
  const searchesBefore = api.searches() + second.searches();
  const all = await Promise.all(
    Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? api : second).get('type=companies', header)),
  );
  expect(new Set(all.map((answer) => expectServed(answer).transaction)).size).toBe(1);
  expect(new Set(all.map((answer) => answer.text)).size).toBe(1);
  expect(stage.chain.facilitator.asked).toEqual({ verify: before.verify + 1, settle: before.settle + 1 });
  // Without words to match there is one pass, so one call is one search.
  expect(api.searches() + second.searches()).toBe(searchesBefore + 1);
  expect(await stage.spent(payer)).toBe(price);
  expect(await stage.settledRows(payer)).toMatchObject([{ status: 'settled', delivered_at: expect.any(Date) }]);
});

test('row 14: five at once with one payment for five searches: one is bought', async () => {
  const payer = await newPayer(stage.chain.chain);
  const { header } = await signPayment(payer);
  const all = await Promise.all([1, 2, 3, 4, 5].map((n) => api.get(`q=search+${n}`, header)));
  expect(all.map(({ status }) => status).sort()).toEqual([200, 402, 402, 402, 402]);
  for (const answer of all) if (answer.status === 402) expectPaymentRequired(answer, 'payment_already_used');
  expect(await stage.spent(payer)).toBe(price);
});

describe('row 15: an authorization that was used before it came', () => {
  test('is served once if its transfer has paid us: its row was lost, or a third party was quicker', async () => {
    const payer = await newPayer(stage.chain.chain, 1);
    const payment = await signPayment(payer);
    const transaction = await submitByStranger(stage.chain.chain, payment);
    const asked = { ...stage.chain.facilitator.asked };
    const answer = await api.get('q=quartz', payment.header);
    expect(expectServed(answer)).toEqual({ transaction });
    expectPaymentRequired(await api.get('q=other', payment.header), 'payment_already_used');
    expect((await api.get('q=quartz', payment.header)).text).toBe(answer.text);
    expect(stage.chain.facilitator.asked).toEqual(asked);
    // Its bearer has shown nothing that is not public, so it stays the payer's.
    expect(await stage.restingRows(payer)).toMatchObject([{ status: 'settled', delivered_at: null }]);
    expect(await stage.spent(payer)).toBe(price);
  });

  test('is served again after the database has lost its row, also when it has expired', async () => {
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

  test('buys nothing if it was cancelled', async () => {
    const payer = await newPayer(stage.chain.chain);
    const payment = await signPayment(payer);
    await cancel(stage.chain.chain, payer, payment);
    expectRetry(await api.get('q=quartz', payment.header), 503, 'settlement_unknown');
    await chainClient(stage.chain.chain).mine({ blocks: finalBlocks });
    expectPaymentRequired(await api.get('q=quartz', payment.header), 'authorization_cancelled');
    expect(await stage.rows(payer)).toEqual([]);
    expect(await stage.spent(payer)).toBe(0n);
  });
});

describe('row 16: the facilitator fails at verification', () => {
  test.each(['reset', 'hang', 'error', 'html', 'garbage', 'shape', 'busy'] as const)('%s', async (fault) => {
    const payer = await newPayer(stage.chain.chain);
    const { header } = await signPayment(payer);
    stage.chain.facilitator.next('verify', faults[fault]);
    await using asked = await stage.startApi({}, fault === 'hang' ? hasty.verify : {});
    expectRetry(await asked.get('q=quartz', header), 503, 'facilitator_unavailable');
    expect(await stage.rows(payer)).toMatchObject([{ status: 'released', tx_hash: null, lease_until: null }]);
    expect(await stage.spent(payer)).toBe(0n);
    expectServed(await api.get('q=quartz', header));
    expect(await stage.spent(payer)).toBe(price);
  });
});

test('row 17: without a facilitator the service starts, asks for payment, and answers payments with 503', async () => {
  await using alone = await stage.startApi({ X402_FACILITATOR_URL: 'http://127.0.0.1:9' });
  const payer = await newPayer(stage.chain.chain);
  expectPaymentRequired(await alone.get('q=x'), 'payment_required');
  const { header } = await signPayment(payer);
  const answer = await alone.get('q=x', header);
  expectRetry(answer, 503, 'facilitator_unavailable');
  expect(answer.body.error).toContain('Nothing was charged');
  expect(await stage.rows(payer)).toMatchObject([{ status: 'released', tx_hash: null, lease_until: null }]);
});

test('row 25: whatever a facilitator refuses with, only the chain ends a payment, and the answer confirms it', async () => {
  const payer = await newPayer(stage.chain.chain);
  const { header, authorization } = await signPayment(payer, { validForSeconds: 20 });
  stage.chain.facilitator.next('settle', (exchange) =>
    exchange.answer(200, JSON.stringify({ success: false, errorReason: 'insufficient_funds', transaction: '' })),
  );
  const answer = await api.get('q=quartz', header);
  expectRetry(answer, 503, 'settlement_unknown');
  expect(answer.text).not.toContain('Quartz Ledger');
  expect(await stage.rows(payer)).toMatchObject([{ status: 'settling', lease_until: null }]);
  const chain = chainClient(stage.chain.chain);
  await chain.setNextBlockTimestamp({ timestamp: authorization.validBefore });
  await chain.mine({ blocks: finalBlocks });
  const last = await api.get('q=quartz', header);
  expectPaymentRequired(last, 'invalid_exact_evm_payload_authorization_valid_before');
  expect(last.receipt).toMatchObject({ success: false, transaction: '' });
  expect(await stage.rows(payer)).toEqual([]);
  expect(await stage.spent(payer)).toBe(0n);
});

test('row 26: a third party settles the authorization while we work: served with that transaction', async () => {
  const payer = await newPayer(stage.chain.chain);
  const payment = await signPayment(payer);
  let brought = '';
  stage.chain.facilitator.next('settle', async (exchange) => {
    brought = await submitByStranger(stage.chain.chain, payment);
    exchange.answer(200, await exchange.forward());
  });
  const answer = await api.get('q=quartz', payment.header);
  expect(expectServed(answer)).toEqual({ transaction: brought });
  expect(await stage.spent(payer)).toBe(price);
  expect(await stage.settledRows(payer)).toMatchObject([{ status: 'settled', tx_hash: brought }]);
});

test('row 27: the payer takes the authorization back while we work: nothing is sent', async () => {
  const payer = await newPayer(stage.chain.chain);
  const payment = await signPayment(payer);
  stage.chain.facilitator.next('settle', async (exchange) => {
    await cancel(stage.chain.chain, payer, payment);
    exchange.answer(200, await exchange.forward());
  });
  const answer = await api.get('q=quartz', payment.header);
  expectRetry(answer, 503, 'settlement_unknown');
  expect(answer.text).not.toContain('Quartz Ledger');
  await chainClient(stage.chain.chain).mine({ blocks: finalBlocks });
  expectPaymentRequired(await api.get('q=quartz', payment.header), 'authorization_cancelled');
  expect(await stage.spent(payer)).toBe(0n);
  expect(await stage.rows(payer)).toEqual([]);
});

test('row 28: money for one search and six payments at once: one is served, five are refused', async () => {
  const payer = await newPayer(stage.chain.chain, 1);
  const payments = await Promise.all(Array.from({ length: 6 }, () => signPayment(payer)));
  const all = await Promise.all(payments.map(({ header }, n) => api.get(`q=race+${n}`, header)));
  expect(all.map(({ status }) => status).sort()).toEqual([200, 402, 402, 402, 402, 402]);
  expect(await stage.spent(payer)).toBe(price);
  for (const answer of all) if (answer.status === 402) expectPaymentRequired(answer, 'insufficient_funds');
  expect(await stage.settledRows(payer)).toMatchObject([{ status: 'settled' }]);
});

test('row 29: the search backend fails: 500 as on the keyed search, nothing is charged', async () => {
  const payer = await newPayer(stage.chain.chain);
  const { header } = await signPayment(payer);
  const settled = stage.chain.facilitator.asked.settle;
  await stage.elasticsearch.set('refuse');
  const answer = await api.get('q=quartz', header);
  await stage.elasticsearch.set('pass');
  expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 500, code: 'search_unavailable' });
  expect(answer.body.error).toMatch(/External search service error.*Nothing was charged/);
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
  expect(stage.chain.facilitator.asked.settle).toBe(settled);
  expect(await stage.rows(payer)).toMatchObject([{ status: 'released', tx_hash: null, lease_until: null }]);
  expectServed(await api.get('q=quartz', header));
  expect(await stage.spent(payer)).toBe(price);
});

test('row 30: a client that leaves before settlement is not charged', async () => {
  const payer = await newPayer(stage.chain.chain);
  const { header } = await signPayment(payer);
  const settled = stage.chain.facilitator.asked.settle;
  const client = new AbortController();
  stage.chain.facilitator.next('verify', async (exchange) => {
    const answer = await exchange.forward();
    client.abort();
    // The server sees the closed connection before it answers a later request.
    await api.get('q=later');
    exchange.answer(200, answer);
  });
  await expect(api.get('q=quartz', header, { signal: client.signal })).rejects.toThrow();
  expect(await stage.restingRows(payer)).toMatchObject([{ status: 'released', tx_hash: null, lease_until: null }]);
  expect(stage.chain.facilitator.asked.settle).toBe(settled);
  expect(await stage.spent(payer)).toBe(0n);
});
