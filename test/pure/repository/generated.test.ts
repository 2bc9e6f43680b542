import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { clientsDocument, documentPath } from '../../../dev/clients/document.ts';
import { generatedFolder, generateTypeScript, hasGenerator, howToInstall } from '../../../dev/clients/typescript.ts';
import { packageServerJson, serverJsonPath } from '../../../dev/docs/server-json.ts';
import { readWish } from '../../../packages/entity-search-mcp/src/settings.ts';
import { version } from '../../../src/lib/service-description.ts';
import { serverJsonRules } from '../../support/mcp/registry-rules.ts';

test('the clients are generated from the current document: else run `npm run clients`', () => {
  expect(readFileSync(documentPath, 'utf8') === clientsDocument()).toBe(true);
});

test('the TypeScript client is the current output of its generator: else run `npm run clients`', () => {
  if (!hasGenerator) process.stderr.write(`SKIPPED: the types of the TypeScript client. First: ${howToInstall}\n`);
  const folder = mkdtempSync(join(tmpdir(), 'client-'));
  try {
    generateTypeScript(documentPath, folder);
    const made = readdirSync(folder);
    expect(made.length).toBe(hasGenerator ? 3 : 2);
    for (const file of made) {
      const same = readFileSync(join(folder, file), 'utf8') === readFileSync(join(generatedFolder, file), 'utf8');
      expect({ file, same }).toEqual({ file, same: true });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('clients and packages have the version of the service', () => {
  for (const file of ['clients/typescript/package.json', 'packages/entity-search-mcp/package.json']) {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
    expect([file, found]).toEqual([file, expect.objectContaining({ version })]);
  }
  expect(readFileSync('clients/python/pyproject.toml', 'utf8')).toContain(`\nversion = "${version}"\n`);
});

const root = join(import.meta.dirname, '..', '..', '..');
const document = serverJsonRules.parse(JSON.parse(readFileSync(join(root, serverJsonPath), 'utf8')));
const [published] = document.packages ?? [];
const packageFile = z
  .looseObject({ name: z.string(), version: z.string(), mcpName: z.string(), bin: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(root, 'packages/entity-search-mcp/package.json'), 'utf8')));

test('server.json is the output of `npm run docs`', () => {
  expect(readFileSync(join(root, serverJsonPath), 'utf8')).toBe(packageServerJson());
});

test('server.json names the package as the registry will find it', () => {
  const { name, version, mcpName } = packageFile;
  expect(document).toMatchObject({ name: mcpName, version });
  expect(published).toMatchObject({ identifier: name, version });
  expect(Object.keys(packageFile.bin)).toEqual([name]);
});

test('the program reads every variable of server.json, with its default', () => {
  const variables = published?.environmentVariables ?? [];
  const given = Object.fromEntries(variables.flatMap(({ name, default: preset }) => (preset ? [[name, preset]] : [])));
  const wish = readWish([], {
    ...given,
    ENTITY_SEARCH_URL: 'https://api.example.com',
    ENTITY_SEARCH_WALLET_KEY: `0x${'5d'.repeat(32)}`,
  });
  expect(wish).toMatchObject({
    kind: 'serve',
    settings: {
      timeoutMs: 60_000,
      access: { kind: 'wallet', network: 'eip155:84532', perCallUsd: '0.05', perDayUsd: '1.00' },
    },
  });
  expect(variables.filter(({ isSecret }) => isSecret).map(({ name }) => name)).toEqual([
    'ENTITY_SEARCH_API_KEY',
    'ENTITY_SEARCH_WALLET_KEY',
  ]);
});
