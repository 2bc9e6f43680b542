import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recoverTypedDataAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { assets } from '../../../src/payments/protocol/assets.ts';
import { typedAuthorization } from '../../../src/payments/protocol/signature.ts';
import { forFile } from '../../support/for-file.ts';
import { cutOff, type FakeBehaviour, type FakeService, startFakeService } from '../../support/mcp/fake-service.ts';
import { newState, startStdio, textOf } from '../../support/mcp/stdio.ts';

// A wallet that talks to a service that lies, which can do no more damage than the signed amounts.

const key = `0x${'5d'.repeat(32)}` as const;
const payTo = '0x976EA74026E726554dB657fA54763abd0C3a0aa9';
const [usdc] = assets;
if (usdc === undefined) throw new Error('There is a token.');

const offer = {
  scheme: 'exact',
  network: usdc.network,
  amount: '10000',
  asset: usdc.address as string,
  payTo,
  maxTimeoutSeconds: 300,
  extra: { ...usdc.domain } as Readonly<Record<string, string>>,
};

function paymentRequired(...accepts: readonly unknown[]) {
  const required = {
    x402Version: 2,
    error: 'Payment required',
    resource: { url: 'http://127.0.0.1/mcp', description: 'Search', mimeType: 'application/json' },
    accepts: accepts.length === 0 ? [offer] : accepts,
  };
  return {
    isError: true,
    structuredContent: required,
    content: [{ type: 'text', text: JSON.stringify({ 'x402/error': { code: 402, message: 'Pay', data: required } }) }],
  };
}

const found = {
  content: [{ type: 'text', text: 'found' }],
  _meta: { 'x402/payment-response': { success: true, transaction: `0x${'ab'.repeat(32)}`, network: usdc.network } },
};

const hex = z.templateLiteral(['0x', z.string()]);
const number = z.coerce.bigint();
const paymentSchema = z.object({
  x402Version: z.literal(2),
  accepted: z.looseObject({ amount: z.string() }),
  payload: z.object({
    signature: hex,
    authorization: z.object({ from: hex, to: hex, value: number, validAfter: number, validBefore: number, nonce: hex }),
  }),
});

/** The authorizations that the service has received, and their sum. */
function collected({ calls }: FakeService) {
  const payments = calls
    .filter(({ payment }) => payment !== undefined)
    .map(({ payment }) => paymentSchema.parse(payment));
  const byNonce = new Map(payments.map((payment) => [payment.payload.authorization.nonce, payment]));
  const worth = [...byNonce.values()].reduce((sum, { payload }) => sum + payload.authorization.value, 0n);
  return { sent: payments, different: byNonce.size, worth };
}

const env = (service: FakeService, more: Readonly<Record<string, string>> = {}) => ({
  ENTITY_SEARCH_URL: service.url,
  ENTITY_SEARCH_WALLET_KEY: key,
  ...more,
});

const sell: FakeBehaviour['call'] = ({ payment }) => (payment === undefined ? paymentRequired() : found);
const payingService = () => startFakeService({ call: sell });

/** A service whose behaviour tests set, and a session of a wallet with it. */
const behaviour = { call: sell };
const shared = await forFile(startFakeService(behaviour));
const session = await forFile(startStdio(env(shared)));
beforeEach(() => {
  behaviour.call = sell;
  shared.calls.length = 0;
});

test('a search is paid for once, with a signature over the token of the network', async () => {
  const result = await session.call();
  expect(result).toMatchObject(found);
  const { sent, worth } = collected(shared);
  expect(worth).toBe(10_000n);
  const { signature, authorization } = sent[0]?.payload ?? paymentSchema.parse(null).payload;
  const signer = await recoverTypedDataAddress({ ...typedAuthorization(authorization, usdc), signature });
  expect(signer).toBe(privateKeyToAccount(key).address);
  expect({ from: authorization.from, to: authorization.to }).toEqual({ from: signer, to: payTo });
  expect(Number(authorization.validBefore) * 1000 - Date.now()).toBeLessThanOrEqual(300_000);
});

const lies: readonly (readonly [string, unknown, RegExp])[] = [
  [
    'ten times the price',
    { ...offer, amount: '100000' },
    /costs 0\.10 USD, and one call may cost 0\.05.*owner has set this limit/,
  ],
  ['another token', { ...offer, asset: payTo }, /token that is not allowed: .* allows payments in USDC/],
  ['another network', { ...offer, network: 'eip155:8453' }, /not allowed: .* on eip155:8453.*owner allows/],
  ['an offer that is no object', 'give me money', /cannot be read/],
];

test('an unexpected offer is not signed, and the model gets the reason', async () => {
  const told = lies.values();
  behaviour.call = () => paymentRequired(told.next().value?.[1]);
  for (const [lie, , reason] of lies) {
    const { isError, ...result } = await session.call();
    expect({ lie, isError }).toEqual({ lie, isError: true });
    expect(textOf(result)).toMatch(reason);
  }
  expect(collected(shared).sent).toEqual([]);
});

test('repeated offers get one signature per call, up to the limit per day', async () => {
  await using service = await startFakeService({ call: () => paymentRequired() });
  await using session = await startStdio(env(service, { ENTITY_SEARCH_MAX_USD_PER_DAY: '0.03' }));
  for (let index = 0; index < 5; index += 1) {
    const result = await session.call({ query: `quartz ${index}` });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(
      index < 3
        ? /The payment was refused, and this call signs no other/
        : /of 0\.03, 0\.03 are spent or bound by signatures\. The wallet's owner has set this limit/,
    );
    expect(textOf(result)).not.toMatch(/restart|raise|MAX_USD|state-/);
  }
  expect(collected(service)).toMatchObject({ different: 3, worth: 30_000n });
});

test('processes share the limit, at the same time and in succession, even after one was killed before paying', async () => {
  const XDG_STATE_HOME = newState();
  const limited = { XDG_STATE_HOME, ENTITY_SEARCH_MAX_USD_PER_DAY: '0.05' };
  const starting = Promise.withResolvers<void>();
  await using silent = await startFakeService({
    async call({ payment }) {
      if (payment === undefined) return paymentRequired();
      starting.resolve();
      return new Promise(() => undefined);
    },
  });
  const killed = await startStdio(env(silent, limited));
  const lost = killed.call().catch(() => 'killed');
  await starting.promise;
  if (killed.pid !== null) process.kill(killed.pid, 'SIGKILL');
  expect(await lost).toBe('killed');
  await using service = await payingService();
  await using one = await startStdio(env(service, limited));
  await using other = await startStdio(env(service, limited));
  const results = await Promise.all(
    Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? one : other).call({ query: `quartz ${index}` })),
  );
  expect(results.filter(({ isError }) => isError !== true)).toHaveLength(4);
  expect(collected(service)).toMatchObject({ different: 4, worth: 40_000n });
});

test('nothing is signed if the record of signed amounts is unusable, and the log has the reason', async () => {
  await using service = await payingService();
  const damaged = newState();
  {
    await using session = await startStdio(env(service, { XDG_STATE_HOME: damaged }));
    await session.call();
  }
  const folder = join(damaged, 'entity-search-mcp');
  const [file] = readdirSync(folder);
  appendFileSync(join(folder, file ?? ''), 'half a li');
  const noFolder = join(newState(), 'file');
  writeFileSync(noFolder, '');
  const paid = collected(service).different;
  for (const XDG_STATE_HOME of [damaged, noFolder]) {
    const session = await startStdio(env(service, { XDG_STATE_HOME }));
    const result = await session.call({ query: 'more' });
    expect({ isError: result.isError, text: textOf(result) }).toEqual({
      isError: true,
      text: expect.stringContaining("record of this wallet's spending can't be read or written, so nothing is signed"),
    });
    expect(await session.end()).toContain("the record of what was spent can't be used");
  }
  expect(collected(service).different).toBe(paid);
});

test('a paid call that fails or gets no answer is repeated with the same payment', async () => {
  let failures = 0;
  behaviour.call = ({ payment }) => {
    if (payment === undefined) return paymentRequired();
    failures += 1;
    if (failures === 1) throw cutOff;
    if (failures === 2) return { isError: true, content: [{ type: 'text', text: 'Its outcome is not known yet.' }] };
    return found;
  };
  const failed = await session.call();
  expect(textOf(failed)).toMatch(/outcome is not known[\s\S]*the same payment is used/);
  expect(await session.call()).toMatchObject(found);
  const { sent, different } = collected(shared);
  expect({ sent: sent.length, different }).toEqual({ sent: 3, different: 1 });
});

test("a client's own payment is passed on unchanged", async () => {
  const own = { x402Version: 2, own: true };
  await session.client.request({
    method: 'tools/call',
    params: { name: 'search_entities', arguments: { query: 'quartz' }, _meta: { 'x402/payment': own } },
  });
  expect(shared.calls.map(({ payment }) => payment)).toEqual([own]);
});

test('without a key or wallet, the offer is passed on with the settings to add', async () => {
  await using service = await payingService();
  await using session = await startStdio({ ENTITY_SEARCH_URL: service.url });
  const result = await session.call();
  expect(result).toMatchObject({ isError: true, structuredContent: { x402Version: 2 } });
  expect(textOf(result)).toMatch(/set ENTITY_SEARCH_API_KEY, or ENTITY_SEARCH_WALLET_KEY/);
});
