import { entitySearch } from '../../../dev/lib/command-line.ts';
import { withCommandLimits } from '../../../dev/lib/limits.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { jsonLines } from '../../support/commands.ts';
import { forFile } from '../../support/for-file.ts';
import { companyCount, setReindexStage } from '../../support/stages/reindex.ts';

// `entity-search verify` and `repair` against an index that was tampered with.

const stage = await forFile(setReindexStage());
const env = withCommandLimits(stage.env, { verify: { windowRows: 150, waitMs: 200 } });
await entitySearch(['reindex'], env);
const index = (await stage.live('companies'))[0] ?? '';

interface Printed {
  readonly [field: string]: unknown;
  readonly samples: Readonly<Record<string, readonly string[]>>;
}

async function run(...args: readonly string[]): Promise<{ code: number; err: string; reports: readonly Printed[] }> {
  const { code, out, err } = await entitySearch(args, env);
  return { code, err, reports: jsonLines<Printed>(out) };
}

/** Returns the last comparison of a kind from status. */
async function verified(kind: string): Promise<unknown> {
  const { out } = await entitySearch(['status', kind, '--json'], env);
  const [status] = JSON.parse(out) as readonly { readonly verified: unknown }[];
  return status?.verified;
}

const source = async (id: number): Promise<Record<string, unknown>> => {
  const found = await stage.indices.client.get<Record<string, unknown>>({ index, id: String(id) });
  return found._source ?? {};
};

/** Changes a document unnoticed, at its present version. */
async function tamper(id: number, change: Readonly<Record<string, unknown>>): Promise<void> {
  const document = { ...(await source(id)), ...change };
  await stage.indices.client.index({ index, id: String(id), document, refresh: true });
}

test('an index with the content of the tables is equal, for all kinds', async () => {
  const { code, reports } = await run('verify');
  expect(code).toBe(0);
  expect(reports.map(({ kind, equal, rows, documents }) => [kind, equal, rows, documents])).toEqual([
    ['companies', true, companyCount, companyCount],
    ['people', true, 40, 40],
    ['investors', true, 30, 30],
    ['events', true, 0, 0],
  ]);
  expect((await run('verify', '--deep')).code).toBe(0);
  expect(await verified('people')).toMatchObject({ outcome: 'equal', rows: 40, differences: 0, deep: true });
});

test('missing, extra and stale documents are distinguished and shown, and repair writes exactly these', async () => {
  const { client } = stage.indices;
  for (const id of ['7', '250', String(companyCount)]) await client.delete({ index, id, refresh: true });
  await client.index({ index, id: '900001', document: { ...(await source(1)), id: 900_001 }, refresh: true });
  await client.index({ index, id: 'guest', document: { ...(await source(2)), id: 2 }, refresh: true });
  await client.index({ index, id: 'nameless', document: { name: 'Nobody' }, refresh: true });
  await tamper(20, { name: 'Renamed', hash: 'AAAAAAAAAAAAAAAAAAAAAA' });
  await tamper(21, { id: 22 });

  const { code, reports, err } = await run('verify', 'companies');
  expect(code).toBe(2);
  expect(reports[0]).toMatchObject({ equal: false, missing: 3, extra: 3, rows: companyCount, unjudged: 0 });
  expect(reports[0]?.samples).toMatchObject({
    missing: expect.arrayContaining(['7', '250', String(companyCount)]),
    extra: expect.arrayContaining(['900001', 'guest', 'nameless']),
  });
  expect(reports[0]?.samples.stale).toContain('20');
  expect(err).toContain(`entity-search repair companies`);
  expect(await verified('companies')).toMatchObject({ generation: index, outcome: 'different', rows: companyCount });

  const before = await client.get({ index, id: '100' });
  const repaired = await run('repair', 'companies');
  expect(repaired).toMatchObject({ code: 0, reports: [{ equal: true, written: 5, deleted: 3 }] });
  expect(await verified('companies')).toMatchObject({ outcome: 'equal', differences: 0 });
  expect((await source(20)).name).toBe('Company 20');
  expect((await source(21)).id).toBe(21);
  // Equal documents were not written.
  expect((await client.get({ index, id: '100' }))._version).toBe(before._version);
  expect((await run('verify', 'companies', '--deep')).code).toBe(0);
});

test('a document changed without its hash is found only with --deep', async () => {
  await tamper(30, { overview: 'Something else' });
  expect((await run('verify', 'companies')).code).toBe(0);
  const deep = await run('verify', 'companies', '--deep');
  expect(deep).toMatchObject({ code: 2, reports: [{ corrupt: 1, samples: { corrupt: ['30'] } }] });
  expect((await run('repair', 'companies', '--deep')).code).toBe(0);
  expect((await source(30)).overview).toMatch(/^Überblick/);
});

test('a foreign version does not block a repair', async () => {
  const document = { ...(await source(40)), hash: 'BBBBBBBBBBBBBBBBBBBBBB' };
  const version = await readValue<number>(stage.pool, 'select last_value + 1000000 as version from search_versions');
  await stage.indices.client.index({ index, id: '40', document, version, version_type: 'external', refresh: true });
  expect(await run('repair', 'companies')).toMatchObject({ code: 0, reports: [{ differed: 1, written: 1 }] });
});

test('after a restore, repair sets the position to the present and repairs, and sync continues', async () => {
  await stage.pool.query(
    `update search_generations set source_identity = 'another/1/1', position = '9000000000:9000000000:' where kind = 'companies'`,
  );
  await tamper(41, { hash: 'CCCCCCCCCCCCCCCCCCCCCC' });
  expect(await run('repair', 'companies')).toMatchObject({ code: 0, reports: [{ differed: 1, written: 1 }] });
  const { rows } = await stage.pool.query(
    `select halted, source_identity <> 'another/1/1' as ours,
            pg_snapshot_xmax(position) <= pg_snapshot_xmax(pg_current_snapshot()) as present
     from search_generations where kind = 'companies' and state = 'live'`,
  );
  expect(rows).toEqual([{ halted: null, ours: true, present: true }]);
  await stage.pool.query(`update companies set overview = 'after the restore' where id = 42`);
  expect((await run('sync', '--once')).code).toBe(0);
  expect((await source(42)).overview).toBe('after the restore');
  expect((await run('verify', 'companies')).code).toBe(0);
});

test('without a running sync, pending changes are not compared, and the rest is', async () => {
  await stage.pool.query(`update companies set name = 'Changed ' || id where id in (50, 51)`);
  const waiting = await run('verify', 'companies');
  expect(waiting).toMatchObject({ code: 4, reports: [{ equal: false, stale: 0, unjudged: 2, pending: 2 }] });
  expect(waiting.err).toContain('2 entries of the change log are pending');
  // A person of the renamed company is concerned by the same entry.
  expect(await run('verify', 'people')).toMatchObject({ code: 0 });
  await stage.pool.query(`update companies set name = 'Changed again' where id = 3`);
  expect(await run('verify', 'people')).toMatchObject({ code: 4, reports: [{ unjudged: 1 }] });
  await stage.indices.client.delete({ index, id: '60', refresh: true });
  expect(await run('verify', 'companies')).toMatchObject({ code: 2, reports: [{ missing: 1, unjudged: 3 }] });
});

const holdingTwo = () => withCommandLimits(env, { verify: { suspectsAtOnce: 2, differencesAtMost: 2 } });

test('more differences than the limit stop the comparison with a message', async () => {
  for (const id of ['70', '71', '72']) await stage.indices.client.delete({ index, id, refresh: true });
  const held = await entitySearch(['verify', 'companies'], holdingTwo());
  expect(held.code).toBe(2);
  expect(JSON.parse(held.out)).toMatchObject({ complete: false, equal: false });
  expect(held.err).toContain('stopped before its end');
});

test('repair makes several passes if there are more differences than the limit', async () => {
  const repaired = await entitySearch(['repair', 'companies'], holdingTwo());
  expect(JSON.parse(repaired.out)).toMatchObject({ missing: 0, complete: true, written: 4 });
  expect((await run('verify', 'companies')).reports[0]).toMatchObject({ missing: 0, complete: true });
});

test('pending suspects never end a comparison early, however few are held', async () => {
  // The windows are compared one after another, and every row changes under them: each window is full of suspects.
  await stage.pool.query(`update companies set overview = overview || '.'`);
  const patient = withCommandLimits(env, {
    verify: { suspectsAtOnce: 10, differencesAtMost: 10, windowRows: 25, windowsAtOnce: 1, waitMs: 20_000 },
  });
  const [found] = await Promise.all([
    entitySearch(['verify', 'companies'], patient),
    entitySearch(['sync', '--once'], env),
  ]);
  expect(found.code).toBe(0);
  expect(JSON.parse(found.out)).toMatchObject({ equal: true, complete: true, rows: companyCount });
});

test('a kind without an index and a missing generation are refused with the next step', async () => {
  const other = { ...env, INDEX_PREFIX: `${stage.indices.prefix}x-` };
  const none = await entitySearch(['verify', 'events'], other);
  expect([none.code, none.err]).toEqual([3, expect.stringContaining('Run: entity-search reindex events')]);
  expect(await run('verify', 'events', '--generation', '99')).toMatchObject({
    code: 3,
    err: expect.stringContaining('There is no generation 99 of events'),
  });
});
