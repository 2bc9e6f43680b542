import pg from 'pg';
import { kinds } from '../../../src/kinds/registry.ts';
import { withClient } from '../../engines/postgres/client.ts';
import type { Database } from '../databases.ts';
import type { Measured } from '../figures.ts';
import { unlimitedKeys } from '../keys.ts';
import { type LoadRequest, underLoad } from '../load.ts';
import { startServer, usedBetween } from '../programs.ts';
import { inTurn, measuredIn, type Run } from '../rounds.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';

const connections = 8;
const idsPerRequest = 100;
const requestsInMix = 200;
const warmUpSecondsMax = 2;

const { sql } = kinds.companies;
/** The API's own statement, prepared as in the API. */
const statement = {
  name: 'bench records',
  text: `select ${sql.id} as id, ${sql.slug} as slug, ${sql.record}::text as body from ${sql.from} where ${sql.id} = any($1::bigint[])`,
};

async function* run(setup: BenchSetup): AsyncGenerator<Measured> {
  const { signal } = setup;
  const warmUpSeconds = Math.min(warmUpSecondsMax, setup.options.seconds);
  const database = await setup.database(setup.rows);
  const lists = await idLists(database);
  const [key = ''] = await unlimitedKeys(database, 1);
  const requests = lists.map(
    (ids): LoadRequest => ({
      method: 'POST',
      path: '/api/v1/bulk',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ operation: 'get', entity_type: 'companies', identifiers: ids }),
    }),
  );
  const api = await startServer(['src/main.ts'], {
    ...setup.program(database),
    logFile: setup.path('log/bench-api.log'),
  });
  try {
    const ask = (seconds: number) => underLoad({ url: api.url, requests, connections, seconds, status: 200, signal });
    await ask(warmUpSeconds);
    await bareLoop(database, lists, warmUpSeconds, signal);
    const sides = await inTurn(
      setup.options.rounds,
      {
        subject: async (): Promise<Run> => {
          const before = await api.usage();
          const value = await ask(setup.options.seconds);
          return { value, usage: usedBetween(before, await api.usage()) };
        },
        floor: async () => ({ value: await bareLoop(database, lists, setup.options.seconds, signal) }),
      },
      signal,
    );
    yield {
      bench: 'bulk',
      unit: `gets of ${idsPerRequest} ids/s`,
      rows: database.rows,
      ...measuredIn(sides),
      sides: {
        subject: `POST /api/v1/bulk, ${connections} connections`,
        floor: `the same SQL, ${connections} connections`,
      },
      better: 'higher',
      goals: [{ of: 'ratio', atLeast: 0.8 }],
    };
  } finally {
    await api.stop();
  }
}

/** Ids scattered over the table, the same in every run. */
async function idLists(database: Database): Promise<readonly (readonly number[])[]> {
  return withClient(database.url, async (client) => {
    const { rows } = await client.query<{ ids: number[] }>(
      `select array_agg(id::int) as ids from (
         select id, row_number() over (order by hashint8(id)) - 1 as place from companies
       ) as scattered where place < $1 group by place / $2`,
      [requestsInMix * idsPerRequest, idsPerRequest],
    );
    return rows.map(({ ids }) => ids);
  });
}

async function bareLoop(
  database: Database,
  lists: readonly (readonly number[])[],
  seconds: number,
  signal: AbortSignal,
): Promise<number> {
  const clients = Array.from({ length: connections }, () => new pg.Client({ connectionString: database.url }));
  await Promise.all(clients.map((client) => client.connect()));
  try {
    let done = 0;
    const startedMs = performance.now();
    const untilMs = startedMs + seconds * 1_000;
    await Promise.all(
      clients.map(async (client, number) => {
        for (let at = number; performance.now() < untilMs; at += connections) {
          signal.throwIfAborted();
          await client.query({ ...statement, values: [lists[at % lists.length]] });
          done += 1;
        }
      }),
    );
    return done / ((performance.now() - startedMs) / 1_000);
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

export const bulk: BenchGroup = { names: ['bulk'], run };
