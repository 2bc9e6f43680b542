import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Entity, readEntities } from '../../../dev/eval/generated/entities.ts';
import { misspell } from '../../../dev/eval/generated/misspell.ts';
import { NameIndex } from '../../../dev/eval/generated/name-index.ts';
import { generateQueries } from '../../../dev/eval/generated/queries.ts';
import { parseJudgments } from '../../../dev/eval/judgments.ts';
import { SAMPLE_DEFAULTS, writeSample } from '../../../dev/sample/generate.ts';
import { random } from '../../../dev/sample/random.ts';

let folder: string;
let entities: readonly Entity[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'entity-search-generated-'));
  await writeSample(folder, SAMPLE_DEFAULTS);
  entities = await readEntities(folder);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('a seed makes the same judged queries each time, another seed others', () => {
  const generated = generateQueries(entities, 1, 5, []);
  expect(generateQueries(entities, 1, 5, [])).toEqual(generated);
  expect(generateQueries(entities, 2, 5, []).queries).not.toEqual(generated.queries);
});

test('they have the form of judgments, and every class has at most as many as asked for', () => {
  const { queries } = parseJudgments(JSON.stringify(generateQueries(entities, 1, 5, [])));
  const classes = Map.groupBy(queries, (query) => query.class);
  expect(classes.size).toBeGreaterThan(40);
  expect([...classes.values()].every((of) => of.length <= 5)).toBe(true);
  const ids = new Set(entities.map(({ kind, id }) => `${kind} ${id}`));
  expect(queries.flatMap(({ relevant }) => relevant).every(({ kind, id }) => ids.has(`${kind} ${id}`))).toBe(true);
});

test('no text is asked that was looked at before', () => {
  const seen = generateQueries(entities, 1, 5, []).queries.map(({ q }) => q);
  const other = generateQueries(entities, 1, 5, seen).queries.map(({ q }) => q);
  expect(other.filter((q) => seen.includes(q))).toEqual([]);
});

test('a misspelt name is near the name and belongs to nothing else', () => {
  const dice = random('misspelt');
  for (const way of ['keys', 'sound'] as const) {
    const wrong = Array.from({ length: 50 }, () => misspell('Brindleforge Labs', way, dice)).filter(
      (text) => text !== null,
    );
    expect(wrong.length).toBeGreaterThan(20);
    expect(wrong.every((text) => text.endsWith(' labs') && text !== 'brindleforge labs')).toBe(true);
  }
});

test('absent names are of words that occur, but never together', () => {
  const names = new NameIndex(entities);
  const absent = generateQueries(entities, 1, 20, []).queries.filter((query) => query.eval === 'absent');
  expect(absent.length).toBeGreaterThan(20);
  expect(absent.filter(({ q }) => names.called(q).length > 0)).toEqual([]);
});
