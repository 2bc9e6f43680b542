import { consoleSettings } from '../../../dev/demo/console.ts';
import { readConsoleConfig } from '../../../src/config/console.ts';

const payerKey = `0x${'5'.repeat(64)}`;
const network = {
  X402_PAY_TO: `0x${'a'.repeat(40)}`,
  X402_NETWORK: 'eip155:84532',
  X402_RPC_URL: 'http://127.0.0.1:8545',
};

test("the demo's console gives every wallet an account, and visitors without one the payer's wallet", () => {
  const config = readConsoleConfig({ ...network, ...consoleSettings(payerKey) });
  expect(config).toMatchObject({ signUp: 'open', signUpPlan: 'demo', demoWallet: { privateKey: payerKey } });
});

test('a public address, a proxy or the console in the environment does not stop the demo', () => {
  const elsewhere = { PUBLIC_URL: 'https://search.example.com', TRUST_PROXY: '2', CONSOLE: 'false', SIGN_UP: 'closed' };
  const config = readConsoleConfig({ ...network, ...elsewhere, ...consoleSettings(payerKey) });
  expect(config).toMatchObject({ origin: undefined, signUp: 'open', demoWallet: { privateKey: payerKey } });
});
