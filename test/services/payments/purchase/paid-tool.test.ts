import { price } from '../../../../dev/chain/payment.ts';
import {
  type AgentResult,
  connectAgent,
  connectFormerAgent,
  offerOf,
  receiptOf,
  signOffer,
} from '../../../support/payments/mcp-agent.ts';
import { expectServed } from '../../../support/payments/paid-answer.ts';
import { newPayer, signPayment } from '../../../support/payments/payers.ts';
import { faults } from '../../../support/proxies/facilitator.ts';
import { paidStage } from '../../../support/stages/paid.ts';

// search_entities without a key, on a real chain: the promises of the paid route, as tool results.

const stage = await paidStage();
const api = await stage.startApi();
const agent = await connectAgent(api.url);
const args = { query: 'quartz', kind: 'companies', limit: 3 } as const;
const sameByHttp = 'q=quartz&type=companies&limit=3';

const asked = () => ({ ...stage.chain.facilitator.asked });

/** Expects an error without an offer: published clients would sign again. */
function expectError(result: AgentResult, code: string): void {
  expect({ isError: result.isError, code: result.structuredContent?.code }).toEqual({ isError: true, code });
  expect(JSON.stringify(result)).not.toContain('accepts');
  expect(receiptOf(result)).toBeNull();
}

test.each([
  ['2.x', agent],
  ['1.x', await connectFormerAgent(api.url)],
])('the published client %s gets an offer, pays for one search and reads every result', async (_version, client) => {
  const payer = await newPayer(stage.chain.chain);
  const before = asked();
  const offer = await client.call(args);
  expect(offerOf(offer)).toMatchObject({
    code: 'payment_required',
    resource: { url: `${api.url}/mcp` },
    accepts: [{ amount: '10000', scheme: 'exact' }],
  });
  expectError(await client.call({ limit: 99 }), 'invalid_parameter');
  expect(asked()).toEqual(before);
  const result = await client.call(args, await signOffer(payer, offer));
  expect(result.isError).toBeFalsy();
  expect(result.content[0]?.text).toContain('Quartz Ledger');
  const receipt = receiptOf(result);
  expect(receipt).toMatchObject({ success: true, network: 'eip155:84532', payer: payer.address });
  expect(await stage.spent(payer)).toBe(price);
  expect(await stage.settledRows(payer)).toMatchObject([
    { status: 'settled', tx_hash: receipt?.transaction, delivered_at: expect.any(Date) },
  ]);
  const nothing = await client.call({ query: 'zzqxjkwv', kind: 'people' }, (await signPayment(payer)).header);
  expect({ isError: nothing.isError ?? false, found: nothing.structuredContent?.results }).toEqual({
    isError: false,
    found: [],
  });
  expect(await stage.spent(payer)).toBe(2n * price);
});

test('the same payment as an object, as base64 and over HTTP is one purchase with one transaction', async () => {
  const payer = await newPayer(stage.chain.chain);
  const payment = await signOffer(payer, await agent.call(args));
  const header = Buffer.from(JSON.stringify(payment)).toString('base64');
  const first = await agent.call(args, payment);
  const again = await agent.call(args, header);
  expect(again._meta?.['x402/payment-replayed']).toBe(true);
  expect(again.structuredContent).toEqual(first.structuredContent);
  const byHttp = await api.get(sameByHttp, header);
  expect(byHttp.headers.get('Payment-Replayed')).toBe('true');
  expect(receiptOf(first)?.transaction).toBe(expectServed(byHttp).transaction);
  expect(receiptOf(again)).toEqual(receiptOf(first));
  expect(await stage.spent(payer)).toBe(price);
});

test('a payment signed for HTTP buys the same search over MCP, once, and no other', async () => {
  const payer = await newPayer(stage.chain.chain);
  const { header } = await signPayment(payer);
  const [byHttp, byMcp] = await Promise.all([api.get(sameByHttp, header), agent.call(args, header)]);
  expect(receiptOf(byMcp)?.transaction).toBe(expectServed(byHttp).transaction);
  const other = await agent.call({ ...args, query: 'something else' }, header);
  expect(offerOf(other)?.code).toBe('payment_already_used');
  expect(await stage.spent(payer)).toBe(price);
});

test('a client without memory that signs again for the same call is charged once', async () => {
  const payer = await newPayer(stage.chain.chain);
  stage.chain.facilitator.next('settle', faults.reset);
  const offer = await agent.call(args);
  const first = await signOffer(payer, offer);
  expectError(await agent.call(args, first), 'settlement_unknown');
  const again = await agent.call(args, await signOffer(payer, offer));
  expect(again._meta?.['x402/payment-replayed']).toBe(true);
  const { nonce } = (first.payload as { readonly authorization: { readonly nonce: string } }).authorization;
  expect(await stage.settledRows(payer)).toMatchObject([{ nonce }]);
  expect(await stage.spent(payer)).toBe(price);
});

test('invalid arguments are refused before a payment is requested or claimed', async () => {
  const payer = await newPayer(stage.chain.chain);
  const { header } = await signPayment(payer);
  const before = asked();
  for (const wrong of [
    ...[{ limit: 11 }, { limit: 0 }, { limit: 'many' }, { kind: 'events' }, { query: 'x'.repeat(257) }],
    ...[{ query: { text: 'x' } }, { query: ['x', 'y'] }, { q: 'x' }, { tag: 'DeFi' }, { cursor: 'abc' }],
  ]) {
    for (const payment of [undefined, header]) expectError(await agent.call(wrong, payment), 'invalid_parameter');
  }
  expect(asked()).toEqual(before);
  expect(await stage.rows(payer)).toEqual([]);
});

test('placeholders that models send for unused arguments are ignored, and lists of one are single values', async () => {
  const payer = await newPayer(stage.chain.chain);
  const { header } = await signPayment(payer);
  const first = await agent.call({ ...args, cursor: null, tag: [] }, header);
  const again = await agent.call({ query: 'quartz', kind: ['companies'], limit: '3' }, header);
  expect(again._meta?.['x402/payment-replayed']).toBe(true);
  expect(again.structuredContent).toEqual(first.structuredContent);
  expect(await stage.spent(payer)).toBe(price);
});

test('a failed search, an unreachable facilitator and a refused settlement charge nothing', async () => {
  const payer = await newPayer(stage.chain.chain);
  const { header } = await signPayment(payer);
  await stage.elasticsearch.set('refuse');
  expectError(await agent.call(args, header), 'search_unavailable');
  await stage.elasticsearch.set('pass');
  stage.chain.facilitator.next('verify', faults.error);
  expectError(await agent.call(args, header), 'facilitator_unavailable');
  expect(await stage.spent(payer)).toBe(0n);
  expect((await agent.call(args, header)).isError).toBeFalsy();
  expect(await stage.spent(payer)).toBe(price);
  const poor = await newPayer(stage.chain.chain, 0);
  expect(offerOf(await agent.call(args, (await signPayment(poor)).header))?.code).toBe('insufficient_funds');
});

test('a malformed payment is refused with a reason', async () => {
  for (const payment of [1, {}, '{', { x402Version: 1 }]) {
    expect(offerOf(await agent.call(args, payment))?.code).toMatch(/^invalid_/);
  }
});

test('other tools require a key, not a payment', async () => {
  const before = asked();
  const { header } = await signPayment(await newPayer(stage.chain.chain));
  const called = await agent.call({ kind: 'companies', identifier: 'quartz-ledger' }, header, 'get_entity');
  expect(called.isError).toBe(true);
  expect(JSON.stringify(called)).not.toContain('accepts');
  expect(asked()).toEqual(before);
});
