import { sendTransfer } from '../../../../dev/chain/authorizations.ts';
import { balanceOf, chainClient } from '../../../../dev/chain/chain.ts';
import { price } from '../../../../dev/chain/payment.ts';
import { expectPaymentRequired, expectRetry, expectServed } from '../../../support/payments/paid-answer.ts';
import { newPayer, type Payer, signPayment } from '../../../support/payments/payers.ts';
import { type Behaviour, faults } from '../../../support/proxies/facilitator.ts';
import { paidStage } from '../../../support/stages/paid.ts';

// Once it may have been sent to the chain, an authorization and its signature are public. Presenting them proves
// nothing: not with another search, not with other words. And blocks may be replaced by others.

const stage = await paidStage();
const api = await stage.startApi();
let payer: Payer;

beforeEach(async () => {
  payer = await newPayer(stage.chain.chain);
});

const spent = () => stage.spent(payer);

const says =
  (errorReason: string, transaction = ''): Behaviour =>
  (exchange) =>
    exchange.answer(200, JSON.stringify({ success: false, errorReason, transaction, network: 'eip155:84532' }));

test('a payment that lands after a refusal is served to its payer, and not to a stranger with another search', async () => {
  const payment = await signPayment(payer);
  stage.chain.facilitator.next('settle', says('insufficient_funds'));
  expectRetry(await api.get('q=quartz', payment.header), 503, 'settlement_unknown');
  await sendTransfer(stage.chain.chain, payment);
  for (const query of ['q=exchange', 'q=quartz&limit=9']) {
    expectPaymentRequired(await api.get(query, payment.header), 'payment_already_used');
  }
  const answer = await api.get('q=quartz', payment.header);
  expectServed(answer);
  expect(answer.body.meta).toMatchObject({ query: 'quartz' });
  expect(await spent()).toBe(price);
});

test('a payment given up without a 402 is tried again for its own search alone', async () => {
  const payment = await signPayment(payer);
  stage.chain.facilitator.next('verify', faults.reset);
  expectRetry(await api.get('q=quartz', payment.header), 503, 'facilitator_unavailable');
  expectPaymentRequired(await api.get('q=exchange', payment.header), 'payment_already_used');
  expectServed(await api.get('q=quartz', payment.header));
  expect(await spent()).toBe(price);
});

test('a payment whose settlement was refused is settled again, before a new one is', async () => {
  const poor = await newPayer(stage.chain.chain, 2);
  const payment = await signPayment(poor);
  stage.chain.facilitator.next('settle', says('insufficient_funds'));
  expectRetry(await api.get('q=quartz', payment.header), 503, 'settlement_unknown');
  const fresh = await signPayment(poor);
  expectServed(await api.get('q=quartz', fresh.header));
  expect(await stage.settledRows(poor)).toMatchObject([
    { nonce: payment.authorization.nonce, delivered_at: expect.any(Date) },
  ]);
  // One remains.
  expect(await balanceOf(stage.chain.chain, poor.account.address)).toBe(price);
});

test('a stranger who shows an undelivered payment gets a copy, and the payer still gets the answer later', async () => {
  const payment = await signPayment(payer);
  stage.chain.facilitator.next('settle', faults.reset);
  expectRetry(await api.get('q=quartz', payment.header), 503, 'settlement_unknown');
  await sendTransfer(stage.chain.chain, payment);
  await api.paid.observe();
  expectServed(await api.get('q=quartz', payment.header));
  expect(await stage.restingRows(payer)).toMatchObject([{ status: 'settled', delivered_at: null }]);
  expectServed(await api.get('q=quartz', (await signPayment(payer)).header));
  expect(await stage.settledRows(payer)).toMatchObject([{ delivered_at: expect.any(Date) }]);
  expect(await spent()).toBe(price);
});

test('a known signature with other words is no proof, and changes nothing', async () => {
  const payment = await signPayment(payer);
  stage.chain.facilitator.next('verify', faults.reset);
  expectRetry(await api.get('q=quartz', payment.header), 503, 'facilitator_unavailable');
  const before = await stage.rows(payer);
  const asked = { ...stage.chain.facilitator.asked };
  for (const draft of [{ validForSeconds: 250 }, { validAfter: 1n }]) {
    const { nonce } = payment.authorization;
    const forged = await signPayment(payer, { nonce, ...draft, tamper: () => payment.signature });
    for (const query of ['q=quartz', 'q=exchange']) {
      expectPaymentRequired(await api.get(query, forged.header), 'invalid_exact_evm_payload_signature');
    }
  }
  expect(await stage.rows(payer)).toEqual(before);
  expect(stage.chain.facilitator.asked).toEqual(asked);
  expectServed(await api.get('q=quartz', payment.header));
});

test('a signature in a form that tokens refuse is refused at once', async () => {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const flipped = (signature: string): `0x${string}` => {
    const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
    return `0x${signature.slice(2, 66)}${s}${signature.endsWith('1b') ? '1c' : '1b'}`;
  };
  const low = (signature: string): `0x${string}` =>
    `0x${signature.slice(2, -2)}${signature.endsWith('1b') ? '00' : '01'}`;
  for (const tamper of [flipped, low]) {
    const { header } = await signPayment(payer, { tamper });
    expectPaymentRequired(await api.get('q=quartz', header), 'invalid_exact_evm_payload_signature');
  }
  expect(await stage.rows(payer)).toEqual([]);
});

test('a payment that gets into a lower block than was there when it came is found', async () => {
  const chain = chainClient(stage.chain.chain);
  const before = await chain.snapshot();
  await chain.mine({ blocks: 5 });
  const payment = await signPayment(payer);
  stage.chain.facilitator.next('settle', faults.reset);
  expectRetry(await api.get('q=quartz', payment.header), 503, 'settlement_unknown');
  await chain.revert({ id: before });
  await sendTransfer(stage.chain.chain, payment);
  expectServed(await api.get('q=quartz', payment.header));
  expect(await spent()).toBe(price);
  expect(await stage.restingRows(payer)).toMatchObject([{ status: 'settled' }]);
});

test("a stranger who shows a public payment again and again does not use up its payer's attempts", async () => {
  const payer = await newPayer(stage.chain.chain);
  const { header } = await signPayment(payer);
  expectServed(await api.get('q=mine', header));
  for (let n = 0; n < 70; n += 1) {
    expectPaymentRequired(await api.get('q=not+mine', header), 'payment_already_used');
  }
  expectServed(await api.get('q=next', (await signPayment(payer)).header));
});
