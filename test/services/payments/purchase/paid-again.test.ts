import { balanceOf } from '../../../../dev/chain/chain.ts';
import { price } from '../../../../dev/chain/payment.ts';
import { expectPaymentRequired, expectRetry, expectServed } from '../../../support/payments/paid-answer.ts';
import { newPayer, type Payer, signPayment } from '../../../support/payments/payers.ts';
import { paidStage } from '../../../support/stages/paid.ts';

// Rows 33 to 39 of the behaviours: buying again, other people's payments, other methods, pages, names and limits.

const stage = await paidStage();
const api = await stage.startApi();

/** As if everything that this payer has been sent had been sent so much earlier. */
const ago = (payer: Payer, seconds: number) =>
  stage.stage.pool.query(
    `update x402_payments set delivered_at = delivered_at - $2 * interval '1 s' where payer = $1`,
    [payer.address, seconds],
  );

test('row 33: the same search bought again some minutes after delivery is a new purchase', async () => {
  const payer = await newPayer(stage.chain.chain);
  for (const bought of [1n, 2n, 3n]) {
    expectServed(await api.get('q=quartz', (await signPayment(payer)).header));
    await stage.settledRows(payer);
    expect(await stage.spent(payer)).toBe(bought * price);
    await ago(payer, 181);
  }
});

test('asked again within minutes, the answer that is paid is given once more: a proxy may have had it alone', async () => {
  const payer = await newPayer(stage.chain.chain);
  const first = await api.get('q=quartz', (await signPayment(payer)).header);
  expectServed(first);
  await stage.settledRows(payer);
  await ago(payer, 170);
  const again = await api.get('q=quartz', (await signPayment(payer)).header);
  expect(again.text).toBe(first.text);
  expect(again.headers.get('Payment-Replayed')).toBe('true');
  expect(await stage.spent(payer)).toBe(price);
  // Another search, or another payer, has nothing of it.
  expectServed(await api.get('q=quartz&limit=9', (await signPayment(payer)).header));
  expect(await stage.spent(payer)).toBe(2n * price);
  const other = await newPayer(stage.chain.chain);
  expectServed(await api.get('q=quartz', (await signPayment(other)).header));
  expect(await stage.spent(other)).toBe(price);
});

test('after the time in which a search may be repeated, every purchase after delivery is charged', async () => {
  const payer = await newPayer(stage.chain.chain);
  await using strict = await stage.startApi({}, { paid: { rows: { repeatMs: 0 } } });
  for (const bought of [1n, 2n]) {
    expectServed(await strict.get('q=quartz', (await signPayment(payer)).header));
    await stage.settledRows(payer);
    expect(await stage.spent(payer)).toBe(bought * price);
  }
});

test('row 34: a forged signature with a known payer and nonce gets nothing', async () => {
  const [payer, thief] = [await newPayer(stage.chain.chain), await newPayer(stage.chain.chain, 0)];
  const payment = await signPayment(payer);
  expectServed(await api.get('q=quartz', payment.header));
  const forged = await signPayment(thief, { from: payer.account.address, nonce: payment.authorization.nonce });
  const answer = await api.get('q=quartz', forged.header);
  expectPaymentRequired(answer, 'invalid_exact_evm_payload_signature');
  expect(answer.text).not.toContain('Quartz Ledger');
});

test('row 35: no method but GET may be paid for', async () => {
  const payer = await newPayer(stage.chain.chain);
  const before = { received: await stage.received(), asked: { ...stage.chain.facilitator.asked } };
  const { header } = await signPayment(payer);
  for (const method of ['HEAD', 'POST', 'PUT', 'DELETE']) {
    const response = await fetch(`${api.url}/api/v1/x402/search?q=x`, {
      method,
      headers: { 'PAYMENT-SIGNATURE': header },
    });
    expect({ method, status: response.status, allow: response.headers.get('Allow') }).toEqual({
      method,
      status: 405,
      allow: 'GET, OPTIONS',
    });
  }
  expect({ received: await stage.received(), asked: { ...stage.chain.facilitator.asked } }).toEqual(before);
});

test('row 36: a page of any origin may pay, and may read the payment headers', async () => {
  const payer = await newPayer(stage.chain.chain);
  const url = `${api.url}/api/v1/x402/search?q=browser`;
  const origin = 'https://wallet.example';
  const preflight = await fetch(url, {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'payment-signature,access-control-expose-headers',
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('Access-Control-Allow-Origin')).toBe('*');
  const allowed = preflight.headers.get('Access-Control-Allow-Headers')?.toLowerCase();
  expect(allowed).toContain('payment-signature');
  expect(allowed).toContain('access-control-expose-headers');
  const { header } = await signPayment(payer);
  for (const headers of [{ Origin: origin }, { Origin: origin, 'PAYMENT-SIGNATURE': header }]) {
    const exposed = (await fetch(url, { headers })).headers.get('Access-Control-Expose-Headers');
    expect(exposed).toContain('PAYMENT-REQUIRED');
    expect(exposed).toContain('PAYMENT-RESPONSE');
  }
});

test('row 39: an answer without results is an answer, and costs the same', async () => {
  const fresh = await newPayer(stage.chain.chain, 1);
  const answer = await api.get('q=zzqxjkwv&type=people', (await signPayment(fresh)).header);
  expectServed(answer);
  expect(answer.body.data).toEqual({ companies: [], people: [], investors: [] });
  expect(answer.body.meta).toMatchObject({ total: 0 });
  expect(await balanceOf(stage.chain.chain, fresh.address)).toBe(0n);
  expect(await stage.settledRows(fresh)).toMatchObject([{ status: 'settled', delivered_at: expect.any(Date) }]);
});

test('registries find what is sold', async () => {
  const response = await fetch(`${api.url}/.well-known/x402`);
  expect(await response.json()).toEqual({ version: 1, resources: [`${api.url}/api/v1/x402/search`] });
});

test('row 37: a payment identifier: the same search is answered from the record, another one is a conflict', async () => {
  const payer = await newPayer(stage.chain.chain);
  const extensions = { 'payment-identifier': { info: { required: false, id: 'purchase-0123456789' } } };
  const required = (await api.get('q=quartz')).body as { extensions?: Record<string, { info: object }> };
  expect(required.extensions?.['payment-identifier']?.info).toEqual({ required: false });
  const first = await api.get('q=quartz', (await signPayment(payer, { extensions })).header);
  expectServed(first);
  await stage.settledRows(payer);
  const again = await api.get('q=quartz', (await signPayment(payer, { extensions })).header);
  expect(again.text).toBe(first.text);
  const other = await api.get('q=other', (await signPayment(payer, { extensions })).header);
  expect({ status: other.status, code: other.body.code }).toEqual({ status: 409, code: 'payment_identifier_used' });
  expect(await stage.spent(payer)).toBe(price);
});

test('row 38: concurrent payments of one payer beyond the limit are asked to wait, and cost nothing', async () => {
  const payer = await newPayer(stage.chain.chain);
  await using modest = await stage.startApi({}, { paid: { rows: { openMax: 2 }, limits: { openMax: 2 } } });
  const release = Promise.withResolvers<void>();
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  for (const { resolve } of begun) {
    stage.chain.facilitator.next('verify', async (exchange) => {
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
