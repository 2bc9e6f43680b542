import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '../../engines/postgres/client.ts';
import type { Database } from '../databases.ts';
import type { Measured } from '../figures.ts';
import { cli, runProgram, type Server, startServer } from '../programs.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';
import { followed } from './lag.ts';

const defaultRows = 1_000_000;
/** The sync is killed when so much of the transaction has been applied, and somewhat later than it has noted that. */
const killedAt = 0.5;
const killedLaterMs = 1_500;
/** And watched again for so much more. */
const resumedFor = 0.1;
const pollMs = 100;
const events = 200;
const writeEveryMs = 50;
/** No company has so many employees otherwise. */
const mark = 7_654_321;
const patienceMs = 60 * 60_000;

/** One transaction that changes every company, while events are written one by one. */
async function* run(setup: BenchSetup): AsyncGenerator<Measured> {
  await using database = await setup.scratch(await setup.database(setup.options.rows ?? defaultRows), 'transaction');
  setup.printLine(`Indexing ${database.rows} companies …`);
  await setup.reindex(database);
  try {
    await addEvents(database);
    await runProgram([cli, 'reindex', 'events', '--json'], setup.program(database));
    const { lagsSeconds, indexed, noted, rssMaxMb } = await killHalfway(setup, database);
    const common = { rows: database.rows, floor: null, better: 'lower', rssMaxMb, cpuSeconds: null } as const;
    yield {
      ...common,
      bench: 'transaction',
      figure: 'resume',
      unit: '% of what was applied is applied again',
      subject: [(100 * Math.max(0, indexed - noted)) / indexed],
      sides: { subject: `sync after kill -9 inside a transaction of ${database.rows} rows`, floor: null },
      goals: [{ of: 'subject', atMost: 5 }],
      details: { indexed, noted },
    };
    yield {
      ...common,
      bench: 'transaction',
      figure: 'lag of others',
      unit: 's that a change of another kind waits, at most',
      subject: [Math.max(...lagsSeconds)],
      sides: {
        subject: 'events, while companies are changed in one transaction, and while that is applied',
        floor: null,
      },
      goals: [{ of: 'subject', atMost: 2 }],
      details: { looks: lagsSeconds.length },
    };
  } finally {
    await setup.removeIndices(database);
  }
}

async function addEvents({ url }: Database): Promise<void> {
  await withClient(url, (client) =>
    client.query(
      `insert into events (id, name, slug) select n, 'Event ' || n, 'event-' || n from generate_series(1, $1::int) as n`,
      [events],
    ),
  );
}

interface Found {
  /** How long the oldest waiting event waited, at each look. */
  readonly lagsSeconds: readonly number[];
  /** Documents of the transaction that were in the index when sync was killed. */
  readonly indexed: number;
  /** Those that the next sync did not apply again. */
  readonly noted: number;
  /** Of the sync that went on from there. */
  readonly rssMaxMb: number;
}

async function killHalfway(setup: BenchSetup, database: Database): Promise<Found> {
  const { signal } = setup;
  const before = await appliedTo(database);
  const isApplied = async (rows: number): Promise<boolean> => (await appliedTo(database)) - before >= rows;
  const over = new AbortController();
  const first = await startSync(setup, database, 'first');
  await until(() => areEventsFollowed(database), signal);
  const watching = watchEvents(database, AbortSignal.any([signal, over.signal]));
  try {
    await withClient(database.url, (client) => client.query('update companies set employee_count = $1', [mark]));
    await until(() => isApplied(database.rows * killedAt), signal);
    await delay(killedLaterMs);
  } finally {
    over.abort();
    // What a killed process leaves waiting is not what another kind's transaction does.
    await watching.catch(() => undefined);
    await first.kill();
  }
  const noted = (await appliedTo(database)) - before;
  const indexed = await countMarked(setup, database);
  const second = await startSync(setup, database, 'second');
  try {
    await until(() => isApplied(Math.min(database.rows, noted + database.rows * resumedFor)), signal);
    return { lagsSeconds: await watching, indexed, noted, rssMaxMb: (await second.usage()).rssMaxMb };
  } finally {
    await second.stop();
  }
}

function startSync(setup: BenchSetup, database: Database, which: string): Promise<Server> {
  const context = { ...setup.program(database), logFile: setup.path(`log/bench-sync-${which}.log`) };
  return startServer([cli, 'sync', 'companies', 'events'], context, () => followed(database));
}

async function until(condition: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  for (const startedMs = performance.now(); !(await condition()); await delay(pollMs)) {
    signal.throwIfAborted();
    if (performance.now() - startedMs > patienceMs) throw new Error('sync did not come so far within an hour');
  }
}

async function appliedTo({ url }: Database): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ applied: string }>(
      `select changes_applied as applied from search_lag where kind = 'companies' and state = 'live'`,
    );
    return Number(rows[0]?.applied ?? 0);
  });
}

async function countMarked({ client, alias }: BenchSetup, database: Database): Promise<number> {
  const index = alias(database);
  await client.indices.refresh({ index });
  const { count } = await client.count({ index, query: { term: { employee_count: mark } } });
  return count;
}

/** A change is applied: the sync has begun with them, too. */
async function areEventsFollowed({ url }: Database): Promise<boolean> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ applied: string }>(
      `select changes_applied as applied from search_lag where kind = 'events' and state = 'live'`,
    );
    if (Number(rows[0]?.applied ?? 0) > 0) return true;
    await client.query(`update events set overview = clock_timestamp()::text where id = 1`);
    return false;
  });
}

/** Writes events one by one, and answers how long the oldest that waited had waited, at each look, in seconds. */
async function watchEvents({ url }: Database, over: AbortSignal): Promise<readonly number[]> {
  const lags: number[] = [];
  await withClient(url, async (client) => {
    for (let turn = 0; !over.aborted; turn += 1) {
      await client.query('update events set overview = $2 where id = $1', [1 + (turn % events), `Turn ${turn}`]);
      const { rows } = await client.query<{ seconds: number }>(
        `select seconds from search_lag where kind = 'events' and state = 'live'`,
      );
      lags.push(rows[0]?.seconds ?? Number.POSITIVE_INFINITY);
      await delay(writeEveryMs);
    }
  });
  return lags;
}

export const transaction: BenchGroup = { names: ['transaction'], run };
