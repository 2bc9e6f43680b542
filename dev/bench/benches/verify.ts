import { to } from 'pg-copy-streams';
import { z } from 'zod';
import { withClient } from '../../engines/postgres/client.ts';
import { documentSql } from '../bodies.ts';
import type { Database } from '../databases.ts';
import type { Measured } from '../figures.ts';
import { cli, runProgram } from '../programs.ts';
import { inTurn, measuredIn, type Run } from '../rounds.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';

const report = z.object({ equal: z.boolean(), rows: z.number() });

async function* run(setup: BenchSetup): AsyncGenerator<Measured> {
  const database = await setup.database(setup.rows);
  const index = await setup.indexed(database);
  const floor = async (): Promise<Run> => {
    const postgres = await seconds(() => scanPostgres(database));
    const elasticsearch = await seconds(() => scanElasticsearch(setup, index));
    return { value: database.rows / Math.max(postgres, elasticsearch) };
  };
  const subject = async (): Promise<Run> => {
    const { stdout, usage } = await runProgram([cli, 'verify', 'companies', '--json'], setup.program(database));
    const { equal, rows } = report.parse(JSON.parse(stdout));
    if (!equal || rows !== database.rows) throw new Error(`verify did not find the index equal: ${stdout}`);
    const { firstRequestMs = 0, lastAnswerMs = 0 } = usage.marks;
    return { value: rows / ((lastAnswerMs - firstRequestMs) / 1_000), usage };
  };
  await floor();
  const sides = await inTurn(setup.options.rounds, { subject, floor }, setup.signal);
  yield {
    bench: 'verify',
    unit: 'documents/s',
    rows: database.rows,
    ...measuredIn(sides),
    sides: {
      subject: 'entity-search verify companies, from its first request to the last answer',
      floor: 'ids and hashes read from one side, the slower',
    },
    better: 'higher',
    goals: [{ of: 'ratio', atLeast: 0.8 }],
  };
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1_000;
}

async function scanPostgres(database: Database): Promise<void> {
  await withClient(database.url, async (client) => {
    await client.query('set jit = off');
    const reading = client.query(to(`copy (select id, hash from (${documentSql}) as documents) to stdout`));
    for await (const chunk of reading) if (chunk.length === 0) throw new Error('an empty chunk');
  });
}

const pageSize = 10_000;
const page = z.object({
  hits: z.object({ hits: z.array(z.object({ sort: z.array(z.unknown()) })).default([]) }).default({ hits: [] }),
});

async function scanElasticsearch({ client, signal }: BenchSetup, index: string): Promise<void> {
  let after: readonly unknown[] | undefined;
  for (;;) {
    signal.throwIfAborted();
    const answer = await client.transport.request({
      method: 'POST',
      path: `/${index}/_search`,
      querystring: { filter_path: 'hits.hits.sort', request_cache: false },
      body: {
        size: pageSize,
        sort: [{ id: 'asc' }, { hash: 'asc' }],
        track_total_hits: false,
        _source: false,
        stored_fields: '_none_',
        ...(after === undefined ? {} : { search_after: after }),
      },
    });
    const { hits } = page.parse(answer).hits;
    if (hits.length < pageSize) return;
    after = hits.at(-1)?.sort;
  }
}

export const verify: BenchGroup = { names: ['verify'], run };
