import pg from 'pg';
import { pruneChanges } from '../../../indexer/change-log/prune.ts';
import { changeLogPartitions } from '../../../src/schema/tables.ts';
import { withClient } from '../../engines/postgres/client.ts';
import type { Database } from '../databases.ts';
import { type Measured, medianOf } from '../figures.ts';
import { inTurn, type Run } from '../rounds.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';

/** Ten million for the usual 200,000 companies. */
const entriesPerRow = 50;
const entriesPerTransaction = 500_000;
/** Filling a log takes most of a minute, emptying it none. */
const roundsAtMost = 2;
const writeEveryMs = 5;

async function* run(setup: BenchSetup): AsyncGenerator<Measured> {
  const { signal } = setup;
  await using database = await setup.scratch(await setup.database(setup.rows), 'prune');
  const entries = setup.rows * entriesPerRow;
  const bytes = { before: [] as number[], after: [] as number[] };
  const slowestWriteMs: number[] = [];
  const subject = async (): Promise<Run> => {
    setup.printLine(`Filling the log with ${entries} entries …`);
    await fill(database, entries, signal);
    bytes.before.push(await logBytes(database));
    const pruned = await pruneWhileWritten(database, signal);
    bytes.after.push(await logBytes(database));
    slowestWriteMs.push(pruned.slowestWriteMs);
    if (pruned.removed < entries / 2) throw new Error(`only ${pruned.removed} of ${entries} entries were removed`);
    return { value: pruned.seconds };
  };
  const sides = await inTurn(Math.min(setup.options.rounds, roundsAtMost), { subject }, signal);
  yield {
    bench: 'prune',
    unit: `s for ${entries} entries`,
    rows: database.rows,
    subject: sides.subject.values,
    floor: null,
    sides: { subject: 'pruning, beside a writer and under a long transaction that reads', floor: null },
    better: 'lower',
    goals: [{ of: 'subject', atMost: 1 }],
    rssMaxMb: null,
    cpuSeconds: null,
    details: {
      entries,
      megabytesBefore: Math.round(medianOf(bytes.before) / 1e6),
      megabytesAfter: Math.round(medianOf(bytes.after) / 1e6),
      slowestWriteMs: slowestWriteMs.map(Math.round),
    },
  };
}

/** A log that one reader has been through, so that nobody needs any of it. */
async function fill(database: Database, entries: number, signal: AbortSignal): Promise<void> {
  await withClient(database.url, async (client) => {
    for (let done = 0; done < entries; done += entriesPerTransaction) {
      signal.throwIfAborted();
      await client.query(
        `insert into search_changes (kind, id, what) select 'companies', n, 'row' from generate_series(1, $1::int) as n`,
        [Math.min(entriesPerTransaction, entries - done)],
      );
    }
    // Else autovacuum, which is due after so many rows, may hold the partition just then: pruning would leave it for later.
    await client.query('vacuum analyze search_changes');
    await client.query(`delete from search_generations`);
    await client.query(
      `insert into search_generations (kind, number, index_name, hash, definition, document_sql, state, position)
       values ('companies', 1, 'companies-0a0b0c0d-1', '0a0b0c0d', '{}', 'select 1', 'live', pg_current_snapshot())`,
    );
    // As sync does every few minutes: what is written from now on is in another partition.
    await client.query(`select setval('search_changes_slot', (select (last_value + 1) % 6 from search_changes_slot))`);
  });
}

async function pruneWhileWritten(database: Database, signal: AbortSignal) {
  const pool = new pg.Pool({ connectionString: database.url, max: 3, types: { getTypeParser: numbersToo } });
  const elsewhere = await pool.connect();
  try {
    await elsewhere.query('begin isolation level repeatable read');
    await elsewhere.query('select count(*) from companies');
    const pruned = new AbortController();
    const writing = slowestWrite(pool, pruned.signal);
    const startedMs = performance.now();
    const removed = await pruneChanges(pool, signal);
    const seconds = (performance.now() - startedMs) / 1_000;
    pruned.abort();
    return { removed, seconds, slowestWriteMs: await writing };
  } finally {
    elsewhere.release(true);
    await pool.end();
  }
}

/** Writes one row after another, until it is told to end. */
async function slowestWrite(pool: pg.Pool, ended: AbortSignal): Promise<number> {
  let slowestMs = 0;
  while (!ended.aborted) {
    const startedMs = performance.now();
    await pool.query('update companies set updated_at = clock_timestamp() where id = (select min(id) from companies)');
    slowestMs = Math.max(slowestMs, performance.now() - startedMs);
    await new Promise((resolve) => setTimeout(resolve, writeEveryMs));
  }
  return slowestMs;
}

/** Bytes of all files of the log, indexes included. */
async function logBytes({ url }: Database): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ bytes: string }>(
      'select sum(pg_total_relation_size(to_regclass(name))) as bytes from unnest($1::text[]) as name',
      [changeLogPartitions],
    );
    return Number(rows[0]?.bytes ?? 0);
  });
}

function numbersToo(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  return oid === pg.types.builtins.INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, 'text');
}

export const prune: BenchGroup = { names: ['prune'], run };
