import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { z } from 'zod';
import { balanceOf } from '../../dev/chain/chain.ts';
import { localNetwork } from '../../dev/chain/network.ts';
import { price } from '../../dev/chain/payment.ts';
import { createTestAccount } from '../../dev/lib/api-accounts.ts';
import { startConnectedApi } from '../support/api/connected.ts';
import { stdioCommand } from '../support/mcp/stdio.ts';
import { newPayer, payTo } from '../support/payments/payers.ts';
import { setChainStage } from '../support/stages/chain.ts';
import { setSampleStage } from '../support/stages/features.ts';

// Follows docs/agents.md like a reader: saves its files and runs its commands, in a folder that looks like the demo's,
// against a service with the sample, a chain and a facilitator. Then every tool over stdio, by published clients.

const root = join(import.meta.dirname, '..', '..');
const execute = promisify(execFile);
const page = readFileSync(join(root, 'docs', 'agents.md'), 'utf8');
const demoUrl = 'http://127.0.0.1:3000';

const resources = new AsyncDisposableStack();
let url: string;
let key: string;
let payer: Awaited<ReturnType<typeof newPayer>>;
let folder: string;
let chainUrl: string;

beforeAll(async () => {
  await execute('npm', ['run', 'build'], { cwd: join(root, 'clients', 'typescript') });
  const [stage, chain] = await Promise.all([setSampleStage(), setChainStage()]);
  resources.use(stage);
  resources.use(chain);
  chainUrl = chain.chain;
  const api = resources.use(
    await startConnectedApi({
      ...stage.env,
      X402_PAY_TO: payTo,
      X402_NETWORK: localNetwork.name,
      X402_RPC_URL: chain.chain,
      X402_FACILITATOR_URL: chain.facilitator.url,
    }),
  );
  url = api.url;
  ({ key } = await createTestAccount(stage.pool, 'agents', null));
  payer = await newPayer(chain.chain);
  folder = resources.adopt(mkdtempSync(join(tmpdir(), 'agents-page-')), (path) => rmSync(path, { recursive: true }));
  mkdirSync(join(folder, '.local', 'demo'), { recursive: true });
  writeFileSync(join(folder, '.local', 'demo', 'api-key'), key);
  writeFileSync(
    join(folder, '.local', 'demo', 'payer.json'),
    JSON.stringify({ chain: chain.chain, payerKey: payer.key }),
  );
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const { name, code } of files) writeFileSync(join(folder, name), code);
});
afterAll(() => resources.disposeAsync());

/** The files that the page asks readers to save, by the name before their code. */
const files = [...page.matchAll(/[Aa]s `([\w-]+\.\w+)`(?:(?!```)[\s\S])*```(?:js|py)\n([\s\S]*?)^```$/gm)].map(
  ([, name = '', code = '']) => ({ name, code }),
);
/** The commands of the page; those that start the demo or change the reader's own clients are not marked as such. */
const [exports = '', ...commands] = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);

/** Adapts the page's commands: Python is the clients' own if that is installed, and their code is this tree's. */
const environment = {
  HOME: process.env.HOME,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  PATH: [join(root, '.local', 'clients-python', 'bin'), process.env.PATH].join(delimiter),
  PYTHONPATH: join(root, 'clients', 'python', 'src'),
  PYTHONDONTWRITEBYTECODE: '1',
};

async function run(command: string) {
  const script = `set -euo pipefail\n${exports.replace(demoUrl, url)}\n${command}`;
  // The wallet's program keeps its state in the home directory.
  const env = { ...environment, HOME: folder };
  const child = spawn('bash', ['-c', script], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, out, err };
}

/** The installed Python packages decide which files of the page can be run. */
const pythonModules = [{ file: 'first_search.py', modules: 'entity_search_client, x402, eth_account' }];
const skipped = pythonModules
  .filter(({ modules }) => spawnSync('python3', ['-c', `import ${modules}`], { env: environment }).status !== 0)
  .map(({ file }) => file);
for (const file of skipped) {
  process.stderr.write(
    `SKIPPED: ${file} of docs/agents.md is not tried (pip install -e 'clients/python[test]' in .local/clients-python)\n`,
  );
}

/** The output of each command of the page, in the page's order. */
const shown: readonly (readonly [string, RegExp])[] = [
  ['curl', /"x402Version":2.*"accepts"/],
  ['node first-search.mjs', /^\S.* \S+\npaid 0\.01 USD in 0x[0-9a-f]{64}\n$/m],
  ['python3 first_search.py', /^paid 0\.01 USD in 0x[0-9a-f]{64}\n$/m],
  ['node paid-search.mjs', /^\S.* \S+\npaid 0\.01 USD in 0x[0-9a-f]{64}\n$/m],
  ['node paid-tool.mjs', /companies/],
  ['curl', /"success":true/],
  ['npx', /ENTITY_SEARCH_URL/],
];

test('the page names every file that its commands run, and the test knows a result for each command', () => {
  expect(files.map(({ name }) => name)).toEqual([
    ...['first-search.mjs', 'first_search.py', 'paid-search.mjs', 'paid-tool.mjs'],
  ]);
  expect(commands.map((command) => command.trim())).toEqual(
    shown.map(([start]) => expect.stringMatching(new RegExp(`^${start}`))),
  );
  expect(exports).toContain(demoUrl);
});

for (const [index, [start, pattern]] of shown.entries()) {
  const runnable = !skipped.some((file) => start.endsWith(file));
  (runnable ? test : test.skip)(`${start}, command ${index + 1}, does what the page says`, async () => {
    const { code, out, err } = await run(commands[index] ?? '');
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(pattern);
  });
}

test('following the page costs two searches, since repeating one in another language is not charged', async () => {
  expect(payer.funds - (await balanceOf(chainUrl, payer.account.address))).toBe(2n * price);
});

const listed = z.object({ tools: z.array(z.looseObject({ name: z.string() })) });

/** A call of every tool with results. */
const calls: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  search_entities: { query: 'Plover Spire', kind: 'companies', limit: 2 },
  suggest_names: { query: 'plov' },
  get_entity: { kind: 'companies', identifier: 'plover-spire' },
  find_similar: { kind: 'companies', identifier: 'plover-spire', limit: 2 },
  lookup_entities: { kind: 'companies', identifiers: ['plover-spire'] },
};

test.each(['1.x', '2.x'] as const)('the published client %s lists and calls every tool over stdio', async (version) => {
  const command = stdioCommand({ ENTITY_SEARCH_URL: url, ENTITY_SEARCH_API_KEY: key });
  const info = { name: 'test', version: '1' };
  const client =
    version === '1.x' ? new FormerClient(info) : new Client(info, { versionNegotiation: { mode: 'auto' } });
  if (client instanceof Client) await client.connect(new StdioClientTransport(command));
  else await client.connect(new FormerTransport(command));
  const { tools } = listed.parse(await client.listTools());
  expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(calls).sort());
  for (const [name, args] of Object.entries(calls)) {
    const { isError = false, content } = await client.callTool({ name, arguments: args });
    expect({ name, isError }).toEqual({ name, isError: false });
    expect(JSON.stringify(content).toLowerCase()).toContain('plover');
  }
  await client.close();
});
