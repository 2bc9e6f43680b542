import type pg from 'pg';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { findOrphanedDocuments } from '../../../indexer/change-log/orphaned-documents.ts';
import { liveGeneration } from '../../../indexer/generations/stored-generation.ts';
import { defaultLimits } from '../../../indexer/limits.ts';
import { type VerifyReport, verifyGeneration } from '../../../indexer/verify/verify.ts';
import type { KindName } from '../../../src/kinds/kind.ts';
import { forFile } from '../../support/for-file.ts';
import { setSyncStage } from '../../support/stages/sync.ts';

// Schedules under which a comparison once reported unequal data as equal, or pending changes as differences.

const stage = await forFile(setSyncStage());

const actions = { timeoutMs: 60_000, retries: 0, pauseMs: 10 };

/** A pool that calls `before` with the text of each statement. */
function watched(before: (sql: string) => Promise<void> | void): pg.Pool {
  return new Proxy(stage.pool, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'query') return value.bind(target);
      return async (query: string | { text: string }, ...rest: unknown[]) => {
        await before(typeof query === 'string' ? query : query.text);
        return value.call(target, query, ...rest);
      };
    },
  });
}

/** A pool that does something once, before rows are compared. */
function hooked(work: () => Promise<void>): pg.Pool {
  let done = false;
  return watched(async (sql) => {
    if (done || !sql.includes('limit 100000')) return;
    done = true;
    await work();
  });
}

async function verifyWith(
  kind: KindName,
  options: { pool?: pg.Pool; deep?: boolean; onProgress?: () => void },
): Promise<VerifyReport> {
  const cluster = { client: stage.indices.client, limits: actions };
  const generation = await liveGeneration({ pool: stage.pool, cluster, indexPrefix: stage.indices.prefix }, kind);
  return verifyGeneration(
    {
      pool: options.pool ?? stage.pool,
      cluster,
      config: { verify: { ...defaultLimits.verify, waitMs: 5_000 } },
      nowMs: () => performance.now(),
    },
    generation,
    {
      deep: options.deep ?? false,
      signal: new AbortController().signal,
      onProgress: options.onProgress ?? (() => undefined),
    },
  );
}

const kindIndex = async (kind: KindName) => (await stage.live(kind))[0] ?? '';

test('a copy of the last document of a deep window is found', async () => {
  const index = await kindIndex('companies');
  const { client } = stage.indices;
  const { _source: document = {} } = await client.get<object>({ index, id: '250' });
  await client.index({ index, id: 'copy', document, refresh: true });
  const shallow = await verifyWith('companies', {});
  const deep = await verifyWith('companies', { deep: true });
  await client.delete({ index, id: 'copy', refresh: true });
  expect([shallow.equal, deep.equal]).toEqual([false, false]);
});

test('a document under a foreign id does not count as the missing one', async () => {
  const index = await kindIndex('companies');
  const { client } = stage.indices;
  const { _source: document = {} } = await client.get<object>({ index, id: '251' });
  await client.index({ index, id: 'elsewhere', document });
  await client.delete({ index, id: '251', refresh: true });
  const report = await verifyWith('companies', {});
  expect(report.differences.map(({ key, kind }) => `${kind} ${key}`).sort()).toEqual([
    'extra elsewhere',
    'missing 251',
  ]);
  expect((await entitySearch(['repair', 'companies'], stage.env)).code).toBe(0);
});

test('a relation that changes back and forth while sync follows is not a difference', async () => {
  const set = (text: string) => stage.pool.query(`update roles set title = $1 where person_id = 6`, [text]);
  await set('a');
  await stage.round('people');
  await set('b');
  const pool = hooked(async () => {
    await stage.round('people');
    await set('a');
    await stage.round('people');
    await set('b');
  });
  const report = await verifyWith('people', { pool });
  await stage.round('people');
  await stage.expectEqual(['people']);
  expect(report.differences).toEqual([]);
});

test('a document rejected between two reads is a difference', async () => {
  await stage.round('people');
  await stage.pool.query(`update people set overview = 'first' where id = 5`);
  const pool = hooked(async () => {
    await stage.round('people');
    await stage.pool.query(`update people set slug = repeat('x', 40000) where id = 5`);
    expect((await stage.round('people')).deadLetters).toBe(1);
  });
  const report = await verifyWith('people', { pool });
  const later = await verifyWith('people', {});
  await stage.pool.query(`update people set slug = 'p-5' where id = 5`);
  await stage.round('people');
  expect([report.equal, later.equal]).toEqual([false, false]);
});

test('a generation halted during a comparison is not reported as equal', async () => {
  const index = await kindIndex('companies');
  await stage.pool.query(`update companies set overview = 'in flight' where id = 7`);
  const pool = hooked(async () => {
    await stage.round('companies');
    await stage.indices.client.delete({ index, id: '1', refresh: true });
    await stage.halt('companies');
  });
  expect(await verifyWith('companies', { pool }).then(({ equal }) => equal, String)).toMatch(
    'was halted while it was compared',
  );
});

test('the search for orphans ends even if a document contains another id', async () => {
  const index = await kindIndex('people');
  const { client } = stage.indices;
  const { _source: document } = await client.get<object>({ index, id: '3' });
  await client.index({ index, id: '3', document: { ...document, id: 900_000 }, refresh: true });
  let statements = 0;
  const pool = watched(() => {
    statements += 1;
    if (statements > 300) throw new Error('for ever');
  });
  const source = { id: 1, kind: 'people', indexName: index, documentSql: '' } as const;
  for await (const _chunk of findOrphanedDocuments({ pool, cluster: { client, limits: actions } }, source))
    expect(statements).toBeLessThan(300);
});

test('an extremely high version affects only its own document', async () => {
  await entitySearch(['sync', '--once'], stage.env);
  const index = await kindIndex('investors');
  const { client } = stage.indices;
  await client.index({
    index,
    id: '5',
    version: 9_007_199_254_740_990,
    version_type: 'external',
    document: { id: 5 },
    refresh: true,
  });
  await stage.pool.query(`update investors set overview = 'x' where id = 5`);
  expect(await stage.round('investors')).toMatchObject({ deadLetters: 1 });
  await stage.pool.query(`update investors set overview = 'y' where id = 6`);
  expect(await stage.round('investors')).toMatchObject({ deadLetters: 0, documents: 1 });
  const { rows } = await stage.pool.query<{ v: number }>(`select nextval('search_versions') as v`);
  expect(rows[0]?.v).toBeLessThan(2 ** 52);
  const repaired = await entitySearch(['repair', 'investors'], stage.env);
  expect(repaired.code).toBe(2);
  await stage.halt('investors');
  const once = await entitySearch(['sync', '--once'], stage.env);
  expect([once.code, once.err]).toEqual([0, expect.anything()]);
});
