import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { type LogSlot, nextSlot, pruneChanges } from '../../../indexer/change-log/prune.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { changeLogPartitions } from '../../../src/schema/tables.ts';
import { forFile } from '../../support/for-file.ts';
import { setSyncStage } from '../../support/stages/sync.ts';

// The log's partitions, while writers, readers and others who look at it are at work.

const never = new AbortController().signal;

const stage = await forFile(setSyncStage(300, { kinds: ['companies', 'people', 'investors'] }));

async function slotsWithRows(): Promise<readonly number[]> {
  const { rows } = await stage.pool.query<{ slot: number }>('select distinct slot from search_changes order by slot');
  return rows.map(({ slot }) => slot);
}

/** Bytes of all files of the log, indexes included. */
const bytes = () =>
  readValue<number>(
    stage.pool,
    'select sum(pg_total_relation_size(to_regclass(name)))::bigint as bytes from unnest($1::text[]) as name',
    [changeLogPartitions],
  );

async function open(begin: string, sql: string): Promise<pg.PoolClient> {
  const client = await stage.pool.connect();
  await client.query(begin);
  await client.query(sql);
  return client;
}

async function end(client: pg.PoolClient): Promise<void> {
  await client.query('commit');
  client.release();
}

test('writers move to an empty slot if theirs is old or not needed, and stay if none is empty', () => {
  const slot = (number: number, of: Partial<LogSlot> = {}): LogSlot => ({
    slot: number,
    isCurrent: false,
    bytes: 0,
    isNeeded: false,
    ageMs: 0,
    ...of,
  });
  const filled = { bytes: 8_192, isNeeded: true };
  const current = { ...filled, isCurrent: true };
  const hourMs = 3_600_000;
  expect(nextSlot([slot(0, current), slot(1), slot(2)])).toBeUndefined();
  expect(nextSlot([slot(0, { ...current, ageMs: hourMs }), slot(1, filled), slot(2)])).toBe(2);
  expect(nextSlot([slot(0, filled), slot(1, { ...current, isNeeded: false }), slot(2)])).toBe(2);
  expect(nextSlot([slot(0, filled), slot(1, { ...current, ageMs: hourMs })])).toBeUndefined();
  expect(nextSlot([slot(0, { isCurrent: true, ageMs: hourMs }), slot(1)])).toBeUndefined();
});

test('with writers, a reader and pruning in parallel, no entry is lost and all are removed', async () => {
  let writing = true;
  const writer = async (first: number): Promise<void> => {
    for (let turn = 0; writing; turn += 1) {
      const client = await open(
        'begin',
        `update companies set overview = 'turn ${turn}' where id = ${first + (turn % 50)}`,
      );
      if (turn % 4 === 0) await delay(15);
      await client.query(
        turn % 7 === 0
          ? `update investors set name = 'Turn ${turn}' where id = 1`
          : `update people set overview = 'turn ${turn}' where id = ${1 + (turn % 5)}`,
      );
      await client.query(turn % 5 === 0 ? 'rollback' : 'commit');
      client.release();
    }
  };
  const writers = [writer(1), writer(101)];
  let removed = 0;
  const used = new Set<number>();
  try {
    for (let turn = 0; turn < 4; turn += 1) {
      await stage.settleAll();
      // An hour old: writers move to another slot, while some of them still write to this one.
      await stage.pool.query(`update search_changes set at = at - interval '1 hour'`);
      removed += await pruneChanges(stage.pool, never);
      for (const slot of await slotsWithRows()) used.add(slot);
    }
  } finally {
    writing = false;
    await Promise.all(writers);
  }
  expect(removed).toBeGreaterThan(0);
  expect(used.size).toBeGreaterThan(1);
  await stage.roundOfAll();
  await stage.expectEqual();
  await stage.settleAll();
  await pruneChanges(stage.pool, never);
  expect(await slotsWithRows()).toEqual([]);
});

test('a long read-only transaction keeps no entries, and one that reads the log blocks no other', async () => {
  await stage.settleAll();
  await pruneChanges(stage.pool, never);
  const emptyBytes = await bytes();
  const elsewhere = await open('begin isolation level repeatable read', 'select count(*) from companies');
  await stage.pool.query(`update companies set overview = 'seen' where id <= 300`);
  await stage.settleAll();
  expect(await bytes()).toBeGreaterThan(emptyBytes);
  expect(await pruneChanges(stage.pool, never)).toBe(300);
  expect(await bytes()).toBe(emptyBytes);
  await end(elsewhere);

  const dump = await open('begin isolation level repeatable read', 'lock table search_changes in access share mode');
  await stage.pool.query(`update companies set overview = 'dumped' where id <= 10`);
  await stage.settleAll();
  const pruning = pruneChanges(stage.pool, never);
  const writer = await open(`set statement_timeout = '2s'`, 'begin');
  for (let turn = 0; turn < 20; turn += 1) {
    await writer.query(`update companies set overview = 'not kept waiting ${turn}' where id = 20`);
    await writer.query('commit; begin');
  }
  await writer.query('commit; reset statement_timeout');
  writer.release();
  expect(await pruning).toBe(0);
  expect((await stage.round('companies')).changes).toBe(20);
  await stage.settleAll();
  await end(dump);
  expect(await pruneChanges(stage.pool, never)).toBe(30);
  await stage.expectEqual(['companies']);
});
