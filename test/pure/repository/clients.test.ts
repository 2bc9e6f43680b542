import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientsDocument, documentPath } from '../../../dev/clients/document.ts';
import { generatedFolder, generateTypeScript, hasGenerator, howToInstall } from '../../../dev/clients/typescript.ts';
import { version } from '../../../src/lib/service-description.ts';

test('the clients are generated from the present document: else run `npm run clients`', () => {
  expect(readFileSync(documentPath, 'utf8') === clientsDocument()).toBe(true);
});

test('the TypeScript client is what its generator makes of the document: else run `npm run clients`', () => {
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
