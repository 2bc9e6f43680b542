import { readConsoleConfig } from '../../../src/config/console.ts';

const privateKey = `0x${'5'.repeat(64)}`;
const demo = { DEMO_WALLET_PRIVATE_KEY: privateKey, X402_NETWORK: 'eip155:84532' };

test('the demo gives the page a demo wallet, and no other process does', () => {
  expect(readConsoleConfig(demo)?.demoWallet).toEqual({ privateKey });
  expect(readConsoleConfig({ ...demo, PUBLIC_URL: 'http://localhost:3000' })?.demoWallet).toEqual({ privateKey });
  expect(readConsoleConfig({})?.demoWallet).toBeNull();
  expect(readConsoleConfig({ ...demo, DEMO_WALLET_PRIVATE_KEY: '' })?.demoWallet).toBeNull();
});

test.each<[string, Readonly<Record<string, string>>, RegExp]>([
  ['in production', { NODE_ENV: 'production' }, /remove it in production/],
  ['on a main network', { X402_NETWORK: 'eip155:8453' }, /set X402_NETWORK to a testnet/],
  ['on no network', { X402_NETWORK: '' }, /set X402_NETWORK to a testnet/],
  ['if others can reach the process', { HOST: '0.0.0.0' }, /every visitor of 0\.0\.0\.0/],
  ['under a public address', { PUBLIC_URL: 'https://search.example.com' }, /search\.example\.com would get it/],
  ['behind a proxy', { TRUST_PROXY: '1' }, /set TRUST_PROXY to 0/],
  ['that is not a key', { DEMO_WALLET_PRIVATE_KEY: '0x1234' }, /64 hexadecimal digits/],
  ['that is not a number', { DEMO_WALLET_PRIVATE_KEY: `0x${'g'.repeat(64)}` }, /64 hexadecimal digits/],
])('a demo wallet %s is refused', (_, change, reason) => {
  expect(() => readConsoleConfig({ ...demo, ...change })).toThrow(reason);
});
