import { readPaidConfig } from '../../../src/config/payments.ts';

const payTo = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720';
const good = { X402_PAY_TO: payTo, X402_RPC_URL: 'http://127.0.0.1:8545' };

test('paid search is off without a recipient', () => {
  expect(readPaidConfig({})).toBeNull();
  expect(readPaidConfig({ X402_PAY_TO: '' })).toBeNull();
});

test('two variables are enough for the testnet', () => {
  expect(readPaidConfig(good)).toMatchObject({
    terms: { payTo, amount: 10_000n, maxTimeoutSeconds: 300, asset: { network: 'eip155:84532', symbol: 'USDC' } },
    facilitator: { url: 'https://www.x402.org/facilitator', headers: {} },
  });
});

test('a lower-case address gets its checksum', () => {
  expect(readPaidConfig({ ...good, X402_PAY_TO: payTo.toLowerCase() })?.terms.payTo).toBe(payTo);
});

const mainnet = { ...good, X402_NETWORK: 'eip155:8453' };
const facilitatedBy = (url: string) => ({ ...mainnet, X402_FACILITATOR_URL: url });
const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://api.example.com' };

describe('contradictory settings are reported as sentences', () => {
  test.each<[string, Record<string, string>, RegExp]>([
    ['a mistyped recipient', { ...good, X402_PAY_TO: payTo.replace('a0', 'A0') }, /X402_PAY_TO: has a wrong checksum/],
    ['an invalid address', { ...good, X402_PAY_TO: 'me' }, /X402_PAY_TO: must be an address/],
    ['the zero address', { ...good, X402_PAY_TO: `0x${'0'.repeat(40)}` }, /zero address/],
    ['the token as recipient', { ...good, X402_PAY_TO: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' }, /token itself/],
    ['a token that the network does not offer', { ...good, X402_ASSET: 'DOGE' }, /X402_ASSET: must be a token on/],
    ['a price of zero', { ...good, X402_AMOUNT: '0' }, /X402_AMOUNT: must be from 1 to 1000000000 base units/],
    ['a price with a comma', { ...good, X402_AMOUNT: '0.01' }, /X402_AMOUNT: must be a whole number of base units/],
    ['no node', { X402_PAY_TO: payTo }, /X402_RPC_URL: is not set/],
    ['mainnet without a facilitator', mainnet, /X402_FACILITATOR_URL: is not set/],
    ["mainnet with the testnet's facilitator", facilitatedBy('https://www.x402.org/facilitator'), /on testnets only/],
    [
      "the testnet's facilitator by its bare name",
      facilitatedBy('https://x402.org/facilitator'),
      /settles on testnets only/,
    ],
    ['rows kept too briefly', { ...good, X402_KEEP_DAYS: '30' }, /X402_KEEP_DAYS: must be a whole number, from 31/],
    ['another network', { ...good, X402_NETWORK: 'eip155:1' }, /X402_NETWORK: must be one of/],
    ['production without a network', { ...good, ...production }, /X402_NETWORK: must be named in production/],
    ['no public address', { ...facilitatedBy('https://f.example'), NODE_ENV: 'production' }, /PUBLIC_URL/],
    ['invalid headers', { ...good, X402_FACILITATOR_HEADERS: 'Bearer x' }, /_HEADERS: must be a JSON object/],
  ])('%s', (_what, env, words) => {
    expect(() => readPaidConfig(env)).toThrow(words);
  });

  test('all problems are reported together', () => {
    expect(() => readPaidConfig({ X402_PAY_TO: 'me', ...production })).toThrow(
      /X402_PAY_TO[\s\S]*X402_RPC_URL[\s\S]*X402_NETWORK/,
    );
  });
});

test('test money in production causes a warning', () => {
  expect(readPaidConfig({ ...good, ...production, X402_NETWORK: 'eip155:84532' })?.warning).toContain('testnet');
  expect(readPaidConfig(good)?.warning).toBeUndefined();
});
