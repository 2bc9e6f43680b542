import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { price } from '../../dev/chain/payment.ts';
import { startConnectedApi } from '../support/api/connected.ts';
import { forFile } from '../support/for-file.ts';
import { newPayer } from '../support/payments/payers.ts';
import { clientCompanies, setStage } from '../support/stages/api.ts';
import { setPaidStage } from '../support/stages/paid.ts';

// The TypeScript client as it is published, against the service: its package, its README and its examples.

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'clients', 'typescript');
const run = promisify(execFile);
const inherited = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };

await run('npm', ['run', 'build'], { cwd: folder });
const stage = await forFile(setPaidStage(undefined, () => setStage(clientCompanies)));
const api = await forFile(startConnectedApi(stage.env));

/** The lines that a program prints. */
async function printed(file: string, env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { stdout } = await run(process.execPath, [file], { env: { ...inherited, ...env }, timeout: 60_000 });
  return stdout.trim().split('\n');
}

test('the package contains the files that it needs, and no others', async () => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: folder });
  const files = JSON.parse(stdout)[0].files.map(({ path }: { readonly path: string }) => path);
  expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'dist/index.js', 'dist/index.d.ts']));
  expect(
    files.filter((path: string) => !/^(?:dist\/.*\.(?:js|d\.ts)|README\.md|LICENSE|package\.json)$/.test(path)),
  ).toEqual([]);
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  expect(dependencies).toBeUndefined();
  for (const path of files.filter((each: string) => each.endsWith('.js'))) {
    // Browsers have none of Node's modules.
    expect(readFileSync(join(folder, path), 'utf8')).not.toMatch(/from ["'](?!\.)|node:/);
  }
});

test('the code in the README runs as written', async () => {
  const payer = await newPayer(stage.chain.chain, 2);
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(folder, 'README.md'), 'utf8')) ?? [];
  const text = code
    .replaceAll('http://127.0.0.1:3000', api.url)
    .replace('es_test_…', await stage.stage.createKey())
    .replace('0x…', payer.key);
  mkdirSync(join(root, '.local'), { recursive: true });
  const own = mkdtempSync(join(root, '.local', 'client-readme-'));
  try {
    writeFileSync(join(own, 'readme.ts'), text);
    const lines = await printed(join(own, 'readme.ts'), {});
    expect(lines[0]).toMatch(/^Plover Spire.* 60$/);
    expect(lines.length).toBe(62);
    expect(lines.at(-1)).toMatch(/^Plover Spire.* 0\.01$/);
    expect(await stage.spent(payer)).toBe(price);
  } finally {
    rmSync(own, { recursive: true });
  }
});

test('the examples do what their comments promise', async () => {
  const payer = await newPayer(stage.chain.chain, 2);
  const url = { ENTITY_SEARCH_URL: api.url };
  const key = { ENTITY_SEARCH_API_KEY: await stage.stage.createKey() };
  const found = await printed(join(folder, 'examples', 'find-companies.ts'), { ...url, ...key });
  expect(found.length).toBe(5 + 60 + 1);
  expect(found.at(-1)).toMatch(/^not_found [\w-]{36}$/);
  const bought = await printed(join(folder, 'examples', 'paid-search.ts'), {
    ...url,
    ENTITY_SEARCH_WALLET_KEY: payer.key,
  });
  expect(bought.at(-1)).toMatch(/^0x[0-9a-f]{64} 0\.01$/);
  expect(await stage.spent(payer)).toBe(price);
});
