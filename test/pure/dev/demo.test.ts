import { execFileSync } from 'node:child_process';
import { demoConfig } from '../../../dev/demo/config.ts';
import { consoleSettings } from '../../../dev/demo/console.ts';
import { demoInstructions, misspelt } from '../../../dev/demo/instructions.ts';
import { readConsoleConfig } from '../../../src/config/console.ts';

const addresses = { api: 'http://127.0.0.1:3001', console: 'http://localhost:3001/' };
const names = [`O'Reilly $HOME \`id\` "x"`, '名前 の 🦩 会社', '!a & b; c | d > e', 'Plain Name', 'x', ''];

/** The words that a shell passes to the command of a pasted line. */
function wordsOf(line: string): readonly string[] {
  const script = `curl() { printf '%s\\n' "$@"; }; npm() { printf '%s\\n' "$@"; }; ${line}`;
  return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n');
}

test.each(names)('the printed commands search for %j even after a shell has parsed them', (name) => {
  const config = demoConfig({ PORT: '3001', STATE: "it's here" });
  const lines = demoInstructions(config, addresses, 'es_live_x', name).split('\n');
  const asked = lines.filter((line) => line.startsWith('  curl ')).map((line) => new URL(wordsOf(line).at(-1) ?? ''));
  expect(asked.map((url) => url.searchParams.get('query'))).toEqual([name, misspelt(name), null]);
  const pay = lines.find((line) => line.includes('demo:pay')) ?? '';
  expect(wordsOf(pay)).toEqual(['run', 'demo:pay', '--', ...(name === '' ? [] : [name])]);
});

test('three commands are printed even without a company', () => {
  const text = demoInstructions(demoConfig({}), addresses, 'es_live_x', undefined);
  expect(text.match(/^ {2}curl /gm)).toHaveLength(3);
  expect(text).toContain('Open http://localhost:3001/ ');
  expect(text).toContain("  npm run demo:pay -- 'exchange'");
});

const payerKey = `0x${'5'.repeat(64)}`;
const network = {
  X402_PAY_TO: `0x${'a'.repeat(40)}`,
  X402_NETWORK: 'eip155:84532',
  X402_RPC_URL: 'http://127.0.0.1:8545',
};

test('the demo opens an account for every wallet, and gives visitors without one a demo wallet', () => {
  const config = readConsoleConfig({ ...network, ...consoleSettings(payerKey) });
  expect(config).toMatchObject({ signUp: 'open', signUpPlan: 'demo', demoWallet: { privateKey: payerKey } });
});

test('a public address, a proxy or the console in the environment do not stop the demo', () => {
  const elsewhere = { PUBLIC_URL: 'https://search.example.com', TRUST_PROXY: '2', CONSOLE: 'false', SIGN_UP: 'closed' };
  const config = readConsoleConfig({ ...network, ...elsewhere, ...consoleSettings(payerKey) });
  expect(config).toMatchObject({ origin: undefined, signUp: 'open', demoWallet: { privateKey: payerKey } });
});
