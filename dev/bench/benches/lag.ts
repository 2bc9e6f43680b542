import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import pg from 'pg';
import { z } from 'zod';
import { indexRequest } from '../../../mappings/registry.ts';
import { indexOptions } from '../../../src/config/indexer.ts';
import { withClient } from '../../engines/postgres/client.ts';
import type { Database } from '../databases.ts';
import { type Measured, quantileOf } from '../figures.ts';
import { cli, startServer, usedBetween } from '../programs.ts';
import { inTurn, measuredIn } from '../rounds.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';
import { firstIds } from './sync.ts';

const changesPerSecond = 300;
const tickMs = 10;
const connections = 4;
const gatherMs = 100;
const pollMs = 20;
const patienceMs = 30_000;

async function* run(setup: BenchSetup): AsyncGenerator<Measured> {
  const { signal } = setup;
  const changes = Math.ceil(changesPerSecond * setup.options.seconds * 2);
  await using database = await setup.scratch(await setup.database(setup.rows), 'lag');
  const index = await setup.indexed(database);
  const bare = `bench-bare-lag-${process.pid}`;
  const { settings, mappings } = indexRequest('companies', indexOptions({}));
  await setup.client.indices.create({ index: bare, settings: { ...settings, number_of_replicas: 0 }, mappings });
  const ids = await firstIds(database, changes);
  const sync = await startServer(
    [cli, 'sync', 'companies'],
    { ...setup.program(database), logFile: setup.path('log/bench-sync.log') },
    () => followed(database),
  );
  const measure = async (searched: string, begin: () => Promise<Writing>) => {
    const before = await sync.usage();
    const lagsMs = await lags(setup.client, searched, await begin(), { ids, changes, signal });
    return { value: quantileOf(lagsMs, 0.99) / 1_000, usage: usedBetween(before, await sync.usage()) };
  };
  try {
    const sides = await inTurn(
      setup.options.rounds,
      {
        subject: () => measure(index, () => writeRows(database)),
        floor: () => measure(bare, async () => writeDocuments(setup.client, bare)),
      },
      signal,
    );
    yield {
      bench: 'lag',
      unit: 's from commit to found (p99)',
      rows: database.rows,
      ...measuredIn(sides),
      sides: {
        subject: `entity-search sync, ${changesPerSecond} commits/s`,
        floor: `as many documents written to Elasticsearch every ${gatherMs} ms`,
      },
      better: 'lower',
      goals: [{ of: 'subject', atMost: 2 }],
    };
  } finally {
    await sync.stop();
    await setup.client.indices.delete({ index: bare });
    await setup.removeIndices(database);
  }
}

async function followed(database: Database): Promise<boolean> {
  const { rows } = await withClient(database.url, (client) =>
    client.query<{ locks: number }>(
      `select count(*)::int as locks from pg_locks join pg_stat_activity using (pid)
       where locktype = 'advisory' and datname = current_database() and application_name like 'entity-search sync%'`,
    ),
  );
  return (rows[0]?.locks ?? 0) > 0;
}

interface Writing {
  /** Resolves when the change is durable. */
  write(id: number, mark: number): Promise<void>;
  end(): Promise<void>;
}

async function writeRows(database: Database): Promise<Writing> {
  const pool = new pg.Pool({ connectionString: database.url, max: connections });
  return {
    async write(id, mark) {
      const text = 'update companies set employee_count = $2, updated_at = now() where id = $1';
      await pool.query({ name: 'mark', text, values: [id, mark] });
    },
    end: () => pool.end(),
  };
}

function writeDocuments(client: Client, index: string): Writing {
  let waiting: object[] = [];
  let sending: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    const operations = waiting;
    waiting = [];
    if (operations.length > 0) sending = sending.then(() => client.bulk({ index, operations }));
  }, gatherMs);
  return {
    async write(id, mark) {
      waiting.push({ index: { _id: String(id) } }, { id, name: `Company ${mark}`, total_employees: mark });
    },
    async end() {
      clearInterval(timer);
      await sending;
    },
  };
}

interface Changes {
  readonly ids: readonly number[];
  readonly changes: number;
  readonly signal: AbortSignal;
}

let nextMark = 1_000_000;

/** Writes changes at an even pace, polls for them constantly, and returns how long each took to be found, in ms. */
async function lags(
  client: Client,
  index: string,
  writing: Writing,
  { ids, changes, signal }: Changes,
): Promise<number[]> {
  const firstMark = nextMark;
  nextMark += changes;
  const committedMs = new Map<number, number>();
  const foundMs = new Map<number, number>();
  const writes: Promise<void>[] = [];
  const startedMs = performance.now();
  const write = async (number: number): Promise<void> => {
    const mark = firstMark + number;
    await writing.write(ids[number % ids.length] ?? 1, mark);
    committedMs.set(mark, performance.now());
  };
  const writer = async (): Promise<void> => {
    for (let number = 0; number < changes; ) {
      signal.throwIfAborted();
      const due = Math.min(changes, Math.floor(((performance.now() - startedMs) * changesPerSecond) / 1_000));
      for (; number < due; number += 1) writes.push(write(number));
      await delay(tickMs);
    }
    await Promise.all(writes);
  };
  const finder = async (): Promise<void> => {
    const untilMs = startedMs + (changes / changesPerSecond) * 1_000 + patienceMs;
    for (let lowest = firstMark; lowest < firstMark + changes; ) {
      signal.throwIfAborted();
      const marks = await marksIn(client, index, lowest);
      const atMs = performance.now();
      for (const mark of marks) if (!foundMs.has(mark)) foundMs.set(mark, atMs);
      while (foundMs.has(lowest)) lowest += 1;
      if (atMs > untilMs)
        throw new Error(`changes were not found within ${patienceMs / 1_000} s, the first is ${lowest}`);
      await delay(pollMs);
    }
  };
  try {
    await Promise.all([writer(), finder()]);
  } finally {
    await writing.end();
  }
  return [...foundMs].map(([mark, atMs]) => atMs - (committedMs.get(mark) ?? atMs));
}

const marked = z.object({
  hits: z
    .object({ hits: z.array(z.object({ fields: z.object({ total_employees: z.tuple([z.number()]) }) })).default([]) })
    .default({ hits: [] }),
});

async function marksIn(client: Client, index: string, from: number): Promise<readonly number[]> {
  const answer = await client.transport.request({
    method: 'POST',
    path: `/${index}/_search`,
    querystring: { filter_path: 'hits.hits.fields' },
    body: {
      size: 10_000,
      query: { range: { total_employees: { gte: from } } },
      sort: ['_doc'],
      track_total_hits: false,
      _source: false,
      docvalue_fields: ['total_employees'],
    },
  });
  return marked.parse(answer).hits.hits.map(({ fields }) => fields.total_employees[0]);
}

export const lag: BenchGroup = { names: ['lag'], run };
