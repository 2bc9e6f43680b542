import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { packageServerJson, serverJsonPath } from '../../../dev/docs/server-json.ts';
import { readWish } from '../../../packages/entity-search-mcp/src/settings.ts';
import { serverJsonRules } from '../../support/mcp/registry-rules.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const document = serverJsonRules.parse(JSON.parse(readFileSync(join(root, serverJsonPath), 'utf8')));
const [published] = document.packages ?? [];
const packageFile = z
  .looseObject({ name: z.string(), version: z.string(), mcpName: z.string(), bin: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(root, 'packages/entity-search-mcp/package.json'), 'utf8')));

test('server.json is what `npm run docs` writes', () => {
  expect(readFileSync(join(root, serverJsonPath), 'utf8')).toBe(packageServerJson());
});

test('server.json names the package as the registry will find it', () => {
  const { name, version, mcpName } = packageFile;
  expect(document).toMatchObject({ name: mcpName, version });
  expect(published).toMatchObject({ identifier: name, version });
  expect(Object.keys(packageFile.bin)).toEqual([name]);
});

test('the program takes every variable that server.json names, with its default', () => {
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
