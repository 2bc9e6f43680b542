import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { price } from '../../../../dev/chain/payment.ts';
import {
  type AgentResult,
  connectAgent,
  offerOf,
  receiptOf,
  signOffer,
  toolResult,
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

test('without a payment the call is answered by an offer, and nothing is asked of the facilitator', async () => {
  const before = asked();
  const result = await agent.call(args);
  expect(offerOf(result)).toMatchObject({
    code: 'payment_required',
    resource: { url: `${api.url}/mcp` },
    accepts: [{ amount: '10000', scheme: 'exact' }],
  });
  expect(asked()).toEqual(before);
});

test('a signature of the published wallet buys one search, whose receipt is in _meta', async () => {
  const payer = await newPayer(stage.chain.chain);
  const payment = await signOffer(payer, await agent.call(args));
  const result = await agent.call(args, payment);
  expect(result.isError).toBeFalsy();
  expect(result.content[0]?.text).toContain('Quartz Ledger');
  const receipt = receiptOf(result);
  expect(receipt).toMatchObject({ success: true, network: 'eip155:84532', payer: payer.address });
  expect(await stage.spent(payer)).toBe(price);
  expect(await stage.settledRows(payer)).toMatchObject([
    { status: 'settled', tx_hash: receipt?.transaction, delivered_at: expect.any(Date) },
  ]);
});

test('the same payment again, as an object, as base64 and by HTTP, is one purchase with one transaction', async () => {
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

test('a payment that was signed for HTTP buys the same search by MCP, once, and no other one', async () => {
  const payer = await newPayer(stage.chain.chain);
  const { header } = await signPayment(payer);
  const [byHttp, byMcp] = await Promise.all([api.get(sameByHttp, header), agent.call(args, header)]);
  expect(receiptOf(byMcp)?.transaction).toBe(expectServed(byHttp).transaction);
  const other = await agent.call({ ...args, query: 'something else' }, header);
  expect(offerOf(other)?.code).toBe('payment_already_used');
  expect(await stage.spent(payer)).toBe(price);
});

test('a client without memory that signs again for the same call is not charged twice', async () => {
  const payer = await newPayer(stage.chain.chain);
  stage.chain.facilitator.next('settle', async (exchange) => {
    await exchange.forward();
    await stage.rpc.set('refuse');
    exchange.reset();
  });
  const offer = await agent.call(args);
  expectError(await agent.call(args, await signOffer(payer, offer)), 'settlement_unknown');
  await stage.rpc.set('pass');
  const again = await agent.call(args, await signOffer(payer, offer));
  expect(again._meta?.['x402/payment-replayed']).toBe(true);
  expect(await stage.spent(payer)).toBe(price);
});

test('wrong arguments are refused before a payment is requested or taken', async () => {
  const payer = await newPayer(stage.chain.chain);
  const { header } = await signPayment(payer);
  const before = asked();
  for (const wrong of [
    { limit: 11 },
    { limit: 0 },
    { limit: 'many' },
    { kind: 'events' },
    { query: 'x'.repeat(257) },
    { query: { text: 'x' } },
    { query: ['x', 'y'] },
    { q: 'x' },
    { tag: 'DeFi' },
    { cursor: 'abc' },
  ]) {
    for (const payment of [undefined, header]) expectError(await agent.call(wrong, payment), 'invalid_parameter');
  }
  expect(asked()).toEqual(before);
  expect(await stage.rows(payer)).toEqual([]);
});

test('placeholders of models for unused arguments are ignored, and lists of one are single values', async () => {
  const payer = await newPayer(stage.chain.chain);
  const { header } = await signPayment(payer);
  const first = await agent.call({ ...args, cursor: null, tag: [] }, header);
  const again = await agent.call({ query: 'quartz', kind: ['companies'], limit: '3' }, header);
  expect(again._meta?.['x402/payment-replayed']).toBe(true);
  expect(again.structuredContent).toEqual(first.structuredContent);
  expect(await stage.spent(payer)).toBe(price);
});

test('a failed search, an absent facilitator and a refused settlement charge nothing', async () => {
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
  for (const payment of [1, true, [], {}, '?', '{', 'A'.repeat(9_000), { x402Version: 1 }]) {
    expect(offerOf(await agent.call(args, payment))?.code).toMatch(/^invalid_/);
  }
});

test('lists are free, and other tools ask for a key and not for money', async () => {
  const before = asked();
  const { tools } = await agent.client.listTools();
  expect(tools.map(({ name }) => name)).toContain('search_entities');
  const { header } = await signPayment(await newPayer(stage.chain.chain));
  const called = await agent.client.callTool({
    name: 'get_entity',
    arguments: { kind: 'companies', identifier: 'quartz-ledger' },
    _meta: { 'x402/payment': header },
  });
  expect(called.isError).toBe(true);
  expect(JSON.stringify(called)).not.toContain('accepts');
  expect(asked()).toEqual(before);
});

test('clients that hold every result against the output schema, as those of the 1.x SDK do, take all of them', async () => {
  const client = new OlderClient({ name: 'older-agent', version: '1.0.0' });
  await client.connect(new OlderTransport(new URL(`${api.url}/mcp`)));
  // From now on it knows the schema.
  await client.listTools();
  const call = async (given: object, payment?: unknown) =>
    toolResult.parse(
      await client.callTool({
        name: 'search_entities',
        arguments: { ...given },
        ...(payment === undefined ? {} : { _meta: { 'x402/payment': payment } }),
      }),
    );
  const payer = await newPayer(stage.chain.chain);
  const payment = await signOffer(payer, await call(args));
  expect(receiptOf(await call(args, payment))).toMatchObject({ success: true });
  expectError(await call({ limit: 99 }), 'invalid_parameter');
  const nothing = await call({ query: 'zzqxjkwv', kind: 'people' }, (await signPayment(payer)).header);
  expect({ isError: nothing.isError ?? false, found: nothing.structuredContent?.results }).toEqual({
    isError: false,
    found: [],
  });
  expect(await stage.spent(payer)).toBe(2n * price);
  await client.close();
});
