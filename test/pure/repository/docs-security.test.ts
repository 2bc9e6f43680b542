import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

// docs/security.md claims nothing that no test holds.

const root = join(import.meta.dirname, '..', '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const page = read('docs/security.md');

/** Paths of tests in a text; where a command names one, without its ending. */
function tests(text: string): readonly string[] {
  return [...text.matchAll(/\btest\/[\w./-]*\w/g)].map(([path]) => path);
}

function section(heading: string): string {
  return page.split(/\n## /).find((part) => part.startsWith(`${heading}\n`)) ?? '';
}

test('every test that it names exists, and has tests in it', () => {
  const named = [...new Set(tests(page))];
  const files = named.map((path) => (path.endsWith('.ts') ? path : `${path}.test.ts`));
  expect(files.length).toBeGreaterThan(25);
  expect(files.filter((file) => !/^test\/(pure|http|services|e2e|matrix)\/[\w/-]+\.test\.ts$/.test(file))).toEqual([]);
  const missing = files.filter((file) => !existsSync(join(root, file)) || !/^\s*test(\.each\b.*)?\(/m.test(read(file)));
  expect(missing).toEqual([]);
});

test('every threat names a test of its defence, or states that there is none', () => {
  const [table = ''] = section('Threats').split('\n### ');
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (---|threat) /.test(line))
    .map((line) => line.slice(2, -2).split(' | '));
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter((cells) => cells.length !== 4)).toEqual([]);
  const unshown = rows.filter(([, , shown = '']) => tests(shown).length === 0);
  // Payments have a page of their own with a test for each row. The driver's TLS is marked as not tested.
  const elsewhere = unshown.filter(([, , shown = '']) => /\(payments\.md#|; not tested here$/.test(shown));
  expect(unshown).toEqual(elsewhere);
  expect(elsewhere.length).toBeLessThanOrEqual(2);
});

test('every boundary that it draws names what shows it', () => {
  const [, list = ''] = section('Actors and boundaries').split('```\n\n');
  const boundaries = list.split(/^\d\. /m).slice(1);
  expect(boundaries).toHaveLength(6);
  expect(boundaries.filter((text) => tests(text).length === 0)).toEqual([]);
});

test('every rule of static analysis that it names exists', () => {
  const { rules } = z
    .object({ rules: z.array(z.looseObject({ id: z.string() })) })
    .parse(parse(read('ops/semgrep/security.yml')));
  const named = [...page.matchAll(/\brules? `([a-z-]+)`(?: and `([a-z-]+)`)?/g)].flatMap(([, ...names]) => names);
  const known = new Set(rules.map(({ id }) => id));
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => name !== undefined && !known.has(name))).toEqual([]);
});
