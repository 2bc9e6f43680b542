import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { z } from 'zod';
import { withClient } from '../../engines/postgres/client.ts';
import type { Database } from '../databases.ts';
import type { Measured } from '../figures.ts';
import { cli, type Server, startServer, usedBetween } from '../programs.ts';
import { inTurn, type Run } from '../rounds.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';

// What readers can do where Elasticsearch is not in their way: its `_bulk` is answered at once by a program that keeps
// nothing, everything else by itself. All changes are committed at one moment, to readers that follow already.

const changes = 50_000;
const pollMs = 20;
const patienceMs = 120_000;

async function* run(setup: BenchSetup): AsyncGenerator<Measured> {
  await using database = await setup.scratch(await setup.database(setup.rows), 'parts');
  await setup.indexed(database);
  const rows = Math.min(changes, database.rows);
  const forward = { FORWARD_TO: setup.elasticsearch };
  const sink = await startServer(['dev/bench/programs/null-sink.ts'], {
    ...setup.program(database, forward),
    logFile: setup.path('log/bench-sink.log'),
  });
  const cores = { two: [] as number[], one: [] as number[] };
  try {
    const measure = async (processes: number, used: number[]): Promise<Run> => {
      const followed = await follow(setup, database, sink.url, processes);
      const { value, usage, coresUsed } = await followed.measure(rows);
      used.push(coresUsed);
      return { value, usage };
    };
    const sides = await inTurn(
      setup.options.rounds,
      { two: () => measure(2, cores.two), one: () => measure(1, cores.one) },
      setup.signal,
    );
    yield {
      bench: 'sync-parts',
      unit: 'changes/s',
      rows: database.rows,
      subject: sides.two.values,
      floor: sides.one.values,
      sides: {
        subject: `two sync processes of one part each, ${rows} changes at once, _bulk requests that nobody keeps`,
        floor: 'the same with one process',
      },
      better: 'higher',
      goals: [{ of: 'ratio', atLeast: 1.3 }],
      rssMaxMb: sides.two.rssMaxMb,
      cpuSeconds: sides.two.cpuSeconds,
      details: { coresOfSync: cores },
    };
  } finally {
    await sink.stop();
    await setup.removeIndices(database);
  }
}

/** So many processes that share an index, as soon as each follows a part of it. */
async function follow(setup: BenchSetup, database: Database, elasticsearch: string, processes: number) {
  const env = { ELASTICSEARCH_URL: elasticsearch, SYNC_PARTS: String(processes) };
  const servers: Server[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()));
  };
  try {
    for (let number = 1; number <= processes; number += 1) {
      const context = { ...setup.program(database, env), logFile: setup.path(`log/bench-sync-${number}.log`) };
      servers.push(await startServer([cli, 'sync', 'companies'], context, () => isShared(database, number)));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    async measure(rows: number) {
      try {
        const before = await Promise.all(servers.map((server) => server.usage()));
        const seconds = await timeToFollow(database, rows, setup.signal);
        const after = await Promise.all(servers.map((server) => server.usage()));
        const used = after.map((usage, at) => usedBetween(before[at] ?? usage, usage));
        const cpuSeconds = used.reduce((sum, usage) => sum + usage.cpuSeconds, 0);
        const systemSeconds = used.reduce((sum, usage) => sum + usage.systemSeconds, 0);
        const rssMaxMb = Math.max(...used.map((usage) => usage.rssMaxMb));
        const usage = { cpuSeconds, systemSeconds, rssMaxMb, marks: {} };
        return { value: rows / seconds, usage, coresUsed: cpuSeconds / seconds };
      } finally {
        await stop();
      }
    },
  };
}

/** Whether so many processes hold the lock of a reader, and nobody two where there are two parts. */
async function isShared(database: Database, processes: number): Promise<boolean> {
  return withClient(database.url, async (client) => {
    const { rows } = await client.query<{ holders: number }>(
      `select count(distinct pid)::int as holders from pg_locks
       where locktype = 'advisory' and granted and classid = (hashtext('entity-search reader')::bigint & 4294967295)::oid
         and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows[0]?.holders === processes;
  });
}

const lag = z.object({ pending: z.int() });

/** From the commit of changes to so many rows until every reader has them, in seconds. */
async function timeToFollow(database: Database, rows: number, signal: AbortSignal): Promise<number> {
  return withClient(database.url, async (client) => {
    await client.query('begin');
    await client.query(
      `update companies set employee_count = coalesce(employee_count, 0) + 1, updated_at = now()
       where id in (select id from companies order by id limit $1)`,
      [rows],
    );
    const startedMs = performance.now();
    await client.query('commit');
    for (;;) {
      signal.throwIfAborted();
      if ((await pendingOf(client)) === 0) return (performance.now() - startedMs) / 1_000;
      if (performance.now() - startedMs > patienceMs) throw new Error(`not followed within ${patienceMs / 1_000} s`);
      await delay(pollMs);
    }
  });
}

async function pendingOf(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query(
    `select coalesce(sum(pending), 0)::int as pending from search_lag where kind = 'companies'`,
  );
  return lag.parse(rows[0]).pending;
}

export const syncParts: BenchGroup = { names: ['sync-parts'], run };
