import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

// `.ci/security` runs semgrep, which is not an npm package. This file checks rules that semgrep cannot.

const root = join(import.meta.dirname, '..', '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const { rules } = z
  .object({ rules: z.array(z.looseObject({ id: z.string(), severity: z.string() })) })
  .parse(parse(read('ops/semgrep/security.yml')));
const ids = rules.map(({ id }) => id);

/** Rules that a file names after a mark, such as `ruleid`. */
function named(text: string, mark: string): readonly string[] {
  return [...text.matchAll(new RegExp(`// ${mark}: ([a-z-]+)$`, 'gm'))].map(([, id = '']) => id);
}

test('every rule has code that it must report and code that it must accept, and fails the build', () => {
  const examples = read('ops/semgrep/security.ts');
  expect(ids.length).toBeGreaterThan(10);
  expect([...new Set(named(examples, 'ruleid'))].sort()).toEqual([...ids].sort());
  expect(ids.filter((id) => id !== 'environment-in-mains-only' && !named(examples, 'ok').includes(id))).toEqual([]);
  expect(rules.filter(({ severity }) => severity !== 'ERROR')).toEqual([]);
});
