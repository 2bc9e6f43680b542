import { withCommandLimits } from '../../../dev/lib/limits.ts';
import { forFile } from '../../support/for-file.ts';
import { setImportStage } from '../../support/stages/import.ts';

const stage = await forFile(setImportStage());
beforeEach(() => stage.rows('truncate companies, people, investors, events cascade'));

const company = (id: number, more: object = {}) => ({ id, name: `Company ${id}`, slug: `company-${id}`, ...more });
const counts = (out: string) => JSON.parse(out)[0];

test('bad lines are reported by file and line, good ones are imported, and the exit code shows it', async () => {
  stage.files({
    'companies.ndjson': `${JSON.stringify(company(1))}\r\n\n{"id":2\n{"id":3,"name":" x","slug":"x y"}\n${JSON.stringify(company(4))}`,
  });
  const run = await stage.import();
  expect(run.code).toBe(2);
  expect(run.err).toMatch(/^companies\.ndjson:3: is not JSON/m);
  expect(run.err).toMatch(/^companies\.ndjson:4: name: must not begin or end with white space$/m);
  expect(run.err).toMatch(/^companies\.ndjson:4: slug: must not contain white space$/m);
  expect(counts(run.out)).toMatchObject({ kind: 'companies', read: 4, inserted: 2, bad: 2 });
  expect(await stage.value('select array_agg(id::int order by id) from companies')).toEqual([1, 4]);
});

test('--strict imports nothing if any line of any file is bad, and everything otherwise', async () => {
  stage.files({ 'companies.ndjson': [company(1)], 'people.ndjson': [{ id: 1 }] });
  const refused = await stage.import(['--strict']);
  expect(refused.code).toBe(3);
  expect(refused.err).toMatch(/^people\.ndjson:1: name: /m);
  expect(refused.err).toMatch(/with --strict nothing is imported/);
  expect(await stage.value('select count(*)::int from companies')).toBe(0);
  stage.files({ 'companies.ndjson': [company(1)] });
  expect((await stage.import(['--strict'])).code).toBe(0);
  expect(await stage.value('select count(*)::int from companies')).toBe(1);
});

test('--strict imports nothing if a slug is already taken in the database', async () => {
  stage.files({ 'companies.ndjson': [company(1)] });
  await stage.import();
  stage.files({ 'companies.ndjson': [company(2), company(3, { slug: 'company-1' })] });
  const run = await stage.import(['--strict']);
  expect(run.code).toBe(3);
  expect(run.err).toMatch(/^companies\.ndjson:2: slug: "company-1" belongs to id 1 in the database$/m);
  expect(await stage.value('select array_agg(id::int order by id) from companies')).toEqual([1]);
});

test('an id or slug of an earlier line makes a line bad, even in a later batch', async () => {
  const lines = [company(1), company(2), company(1, { name: 'Again' }), company(3, { slug: 'company-2' }), company(4)];
  stage.files({ 'companies.ndjson': lines });
  for (const rows of ['1', '2', '100']) {
    const run = await stage.import([], withCommandLimits({}, { import: { batchRows: Number(rows) } }));
    expect(run.code).toBe(2);
    expect(run.err).toMatch(/^companies\.ndjson:3: id: 1 is also in line 1$/m);
    expect(run.err).toMatch(/^companies\.ndjson:4: slug: "company-2" is also in line 2$/m);
    expect(await stage.value('select array_agg(id::int order by id) from companies')).toEqual([1, 2, 4]);
    expect(await stage.value('select name from companies where id = 1')).toBe('Company 1');
  }
});

test('a slug of another entity in the database makes a line bad, and its neighbours are imported', async () => {
  stage.files({ 'companies.ndjson': [company(1)] });
  await stage.import();
  stage.files({ 'companies.ndjson': [company(2), company(3, { slug: 'company-1' }), company(4)] });
  const run = await stage.import();
  expect(run.code).toBe(2);
  expect(run.err).toMatch(/^companies\.ndjson:2: slug: "company-1" belongs to id 1 in the database$/m);
  expect(counts(run.out)).toMatchObject({ inserted: 2, bad: 1 });
  expect(await stage.value('select array_agg(id::int order by id) from companies')).toEqual([1, 2, 4]);
});

test.each(['1', '100'])('slugs can be exchanged and passed around in a circle, %s rows per batch', async (rows) => {
  const slugs = ['a', 'b', 'c', 'd'];
  const lines = (shift: number) => slugs.map((_, at) => company(at + 1, { slug: slugs[(at + shift) % 4] }));
  stage.files({ 'companies.ndjson': lines(0) });
  await stage.import();
  stage.files({ 'companies.ndjson': lines(1) });
  const run = await stage.import([], withCommandLimits({}, { import: { batchRows: Number(rows) } }));
  expect(counts(run.out)).toMatchObject({ updated: 4, unchanged: 0, bad: 0 });
  expect(await stage.value(`select string_agg(slug, '' order by id) from companies`)).toBe('bcda');
});

test('a chain of slugs is refused as a whole if its last slug stays taken', async () => {
  stage.files({
    'companies.ndjson': [company(1, { slug: 'a' }), company(2, { slug: 'b' }), company(3, { slug: 'c' })],
  });
  await stage.import();
  stage.files({ 'companies.ndjson': [company(1, { slug: 'b' }), company(2, { slug: 'c' })] });
  const run = await stage.import();
  expect(run.code).toBe(2);
  expect(counts(run.out)).toMatchObject({ updated: 0, bad: 2 });
  expect(await stage.value(`select string_agg(slug, '' order by id) from companies`)).toBe('abc');
});

test('a file that is not one object per line is explained', async () => {
  stage.files({ 'companies.ndjson': JSON.stringify([company(1)]) });
  expect((await stage.import()).err).toMatch(/^companies\.ndjson:1: is an array.*jq -c '\.\[\]'$/m);
  stage.files({ 'companies.ndjson': JSON.stringify(company(1), null, 2) });
  expect((await stage.import()).err).toMatch(/^companies\.ndjson:1: begins a value of several lines.*jq -c \.$/m);
  stage.files({ 'companies.ndjson': `{\n${JSON.stringify(company(1))}\n` });
  expect(counts((await stage.import()).out)).toMatchObject({ read: 2, bad: 1 });
});

test('invalid UTF-8 and lines over the limit are bad lines, and a byte order mark is not', async () => {
  const good = Buffer.from(JSON.stringify(company(1)));
  const long = Buffer.from(JSON.stringify(company(2, { overview: 'x'.repeat(5_000) })));
  const invalid = Buffer.from('{"id":3,"name":"\xff","slug":"x"}', 'latin1');
  const end = Buffer.from('\n');
  stage.files({ 'companies.ndjson': Buffer.concat([Buffer.from('\ufeff'), good, end, long, end, invalid, end]) });
  const run = await stage.import([], withCommandLimits({}, { import: { maxLineBytes: 4_096 } }));
  expect(run.err).toMatch(/^companies\.ndjson:2: is longer than 4096 bytes/m);
  expect(run.err).toMatch(/^companies\.ndjson:3: is not valid UTF-8/m);
  expect(counts(run.out)).toMatchObject({ read: 3, inserted: 1, bad: 2 });
});

test('the report of bad lines is limited, and the others are counted', async () => {
  stage.files({ 'companies.ndjson': '7\n'.repeat(20) });
  const run = await stage.import([], withCommandLimits({}, { import: { badLinesShown: 5 } }));
  expect(run.err.match(/^companies\.ndjson:/gm)).toHaveLength(5);
  expect(run.err).toMatch(/15 more problems/);
});

test('characters special to COPY, arrays or JSON are imported unchanged', async () => {
  const odd = 'tab\t back\\slash "quote" {brace} \\N \\. new\nline \u2028 😀';
  stage.files({ 'companies.ndjson': [company(1, { overview: odd, tags: [odd, 'NULL', ''], links: { x: odd } })] });
  expect((await stage.import()).code).toBe(0);
  expect(await stage.rows(`select overview, tags, links->>'x' as x from companies`)).toEqual([
    { overview: odd, tags: [odd, 'NULL', ''], x: odd },
  ]);
});

test('a folder that is empty or missing is refused with what to do', async () => {
  stage.files({});
  const empty = await stage.import();
  expect([empty.code, empty.err]).toEqual([1, expect.stringMatching(/has none of companies\.ndjson.*Name the folder/)]);
});

test('the kind of a missing file is unchanged, which is reported', async () => {
  stage.files({ 'companies.ndjson': [company(1)] });
  const run = await stage.import();
  expect(run.err).toMatch(/people\.ndjson is missing; people stay unchanged/);
  expect(JSON.parse(run.out)).toHaveLength(1);
});
