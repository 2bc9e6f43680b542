import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { seededRandom } from '../../../dev/torture/random.ts';
import { pruneRemovals } from '../../../indexer/change-log/removals.ts';
import { resolveNotes } from '../../../indexer/resolver/resolver.ts';
import { createEntityStore } from '../../../src/postgres/records.ts';
import type { RemovalPage, RemovalPlace } from '../../../src/records/ports.ts';
import { restoreTriggers } from '../../../src/schema/triggers.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { createTestClient } from '../../support/engines/indices.ts';
import { testPool } from '../../support/engines/pool.ts';
import { closedAfterFile, forFile } from '../../support/for-file.ts';

// Removed entities, while writers are at work.

const never = new AbortController().signal;

const database = await forFile(createTestDatabase());
const pool = await closedAfterFile(testPool(database.url, 10), (opened) => opened.end());
// No index is searched, so the cluster gets no request.
const cluster = { client: createTestClient(), limits: { timeoutMs: 60_000, retries: 0, pauseMs: 100 } };

const insertSql = `insert into companies (id, name, slug)
  select id, 'C' || id, 'c' || id from unnest($1::bigint[]) as id on conflict (id) do nothing`;
const deleteSql = 'delete from companies where id = any($1)';

async function read(after: RemovalPlace | null, limit = 7): Promise<RemovalPage | null> {
  const fetched = await createEntityStore(pool, 5_000).removals('companies', after, limit);
  if (!fetched.ok) throw new Error('removals were not read', { cause: fetched.cause });
  return fetched.value;
}

/** The position after all earlier removals. */
async function firstPlace(): Promise<RemovalPlace> {
  await resolve();
  const page = await read(null);
  if (page === null) throw new Error('there is no first place');
  return page.next;
}

const resolve = () => resolveNotes({ pool, cluster });

/** A transaction of its own that deletes and inserts ids of its own, and may be rolled back. */
async function writeOnce(ids: readonly number[], draw: (below: number) => number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    for (let step = 0; step <= draw(3); step += 1) {
      const some = ids.filter(() => draw(3) === 0);
      await client.query(draw(3) === 0 ? insertSql : deleteSql, [some]);
      await delay(draw(4));
    }
    await client.query(draw(5) === 0 ? 'rollback' : 'commit');
  } finally {
    client.release();
  }
}

test('a copy that follows the removals loses exactly the removed entities, whatever is written meanwhile', async () => {
  const all = Array.from({ length: 200 }, (_, at) => at + 1);
  await pool.query(insertSql, [all]);
  let after = await firstPlace();
  // The copy only receives removals, so it may lack entities that came back, but must not have removed ones.
  const copy = new Set(all);
  const poll = async (): Promise<void> => {
    await resolve();
    for (let hasMore = true; hasMore; ) {
      const page = await read(after);
      if (page === null) throw new Error('the place was lost');
      for (const { id } of page.removals) copy.delete(id);
      ({ next: after, hasMore } = page);
    }
  };
  const long = await pool.connect();
  try {
    await long.query('begin');
    await long.query(deleteSql, [[1, 2, 3]]);
    let polls = 0;
    const writers = [0, 1, 2, 3, 4].map(async (writer) => {
      const own = all.filter((id) => id > 3 && id % 5 === writer);
      const draw = seededRandom(writer + 1).whole;
      for (let turn = 0; turn < 40 || polls <= 10; turn += 1) await writeOnce(own, draw);
    });
    const written = Promise.all(writers);
    for (let done = false; !done; polls += 1) {
      done = await Promise.race([written.then(() => true), delay(3).then(() => false)]);
      await poll();
    }
    expect(polls).toBeGreaterThan(10);
    await long.query('commit');
  } finally {
    long.release();
  }
  await resolve();
  await poll();
  const { rows } = await pool.query<{ id: number }>('select id::int as id from companies');
  const there = new Set(rows.map(({ id }) => id));
  expect([...copy].filter((id) => !there.has(id))).toEqual([]);
  // Whatever it lost was deleted at some time, and 1 to 3 for good.
  const { rows: noted } = await pool.query<{ id: number }>('select distinct id::int as id from entity_removals');
  expect(all.filter((id) => !copy.has(id) && !noted.some((one) => one.id === id))).toEqual([]);
  expect(copy.size).toBeLessThan(all.length);
  expect(copy.has(1)).toBe(false);
});

test('a statement that deletes many rows notes all of them, and an update none', async () => {
  await pool.query('delete from companies');
  const before = await firstPlace();
  await pool.query(insertSql, [[301, 302, 303]]);
  await pool.query(`update companies set tagline = 'new'`);
  await resolve();
  expect(await read(before)).toMatchObject({ removals: [], hasMore: false });
  await pool.query('delete from companies');
  await resolve();
  expect((await read(before))?.removals).toHaveLength(3);
});

test('removals older than 30 days are pruned, and positions before them become invalid', async () => {
  await pool.query(insertSql, [[401, 402, 403]]);
  const old = await firstPlace();
  await pool.query(deleteSql, [[401, 402]]);
  await resolve();
  await pool.query(`update entity_removals set removed_at = now() - interval '31 days'`);
  const between = await firstPlace();
  await pool.query(deleteSql, [[403]]);
  await resolve();
  expect((await read(old))?.removals).toHaveLength(3);
  await pruneRemovals(pool, never);
  expect(await read(old)).toBeNull();
  expect((await read(between))?.removals).toMatchObject([{ id: 403 }]);
  const { rows } = await pool.query('select id::int as id from entity_removals order by number');
  expect(rows).toEqual([{ id: null }, { id: 403 }]);
  // Nothing is left to prune.
  await pruneRemovals(pool, never);
  expect((await pool.query('select from entity_removals')).rowCount).toBe(2);
});

test('positions from before triggers were restored become invalid', async () => {
  const before = await firstPlace();
  await pool.query('drop trigger log_delete on companies');
  expect(await withClient(database.url, restoreTriggers)).toEqual(['companies']);
  await resolve();
  expect(await read(before)).toBeNull();
});

test('positions of an earlier epoch, and those lost by a restore, are invalid', async () => {
  await pool.query(insertSql, [[501, 502]]);
  const before = await firstPlace();
  await pool.query(deleteSql, [[501]]);
  const after = await firstPlace();
  expect((await read(before))?.removals).toMatchObject([{ id: 501 }]);
  expect(await read({ ...after, number: after.number + 1 })).toBeNull();
  // The position is another database's: it was copied or restored.
  await pool.query(`update search_resolver set identity = 'another'`);
  await resolve();
  expect(await read(before)).toBeNull();
  expect(await read(await firstPlace())).toMatchObject({ removals: [], hasMore: false });
});

test('two processes that resolve concurrently append each removal once', async () => {
  await pool.query(insertSql, [[601, 602, 603]]);
  const before = await firstPlace();
  await pool.query(deleteSql, [[601, 602, 603]]);
  await Promise.all([resolve(), resolve(), resolve()]);
  expect((await read(before))?.removals.map(({ id }) => id)).toEqual([601, 602, 603]);
});
