import { z } from 'zod';
import { documentSql } from '../bodies.ts';
import type { Measured } from '../figures.ts';
import { type Ran, runProgram, startServer } from '../programs.ts';
import { inTurn, measuredIn, type Run } from '../rounds.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';

const took = z.object({ seconds: z.number() });

async function* run(setup: BenchSetup): AsyncGenerator<Measured> {
  const database = await setup.database(setup.rows);
  const context = { ...setup.program(database), logFile: setup.path('log/bench-sink.log') };
  const sink = await startServer(['dev/bench/programs/null-sink.ts'], context);
  const toSink = setup.program(database, { ELASTICSEARCH_URL: sink.url });
  const runOf = ({ stdout, usage }: Ran): Run => ({
    value: database.rows / took.parse(JSON.parse(stdout)).seconds,
    usage,
  });
  const copySql = `select body from (${documentSql}) as documents order by id`;
  const copy = async (): Promise<Run> => runOf(await runProgram(['dev/bench/programs/copy-out.ts', copySql], toSink));
  try {
    // Reads the table once, so that the first round finds it cached as the others do.
    await copy();
    const { subject, floor } = await inTurn(
      setup.options.rounds,
      { subject: async () => runOf(await runProgram(['dev/bench/programs/feed.ts'], toSink)), floor: copy },
      setup.signal,
    );
    yield {
      bench: 'feeder',
      unit: 'documents/s',
      rows: database.rows,
      ...measuredIn({ subject, floor }),
      sides: {
        subject: 'from Postgres to _bulk requests that are thrown away',
        floor: 'COPY … TO STDOUT of the same JSON',
      },
      better: 'higher',
      goals: [{ of: 'ratio', atLeast: 0.8 }],
    };
  } finally {
    await sink.stop();
  }
}

export const feeder: BenchGroup = { names: ['feeder'], run };
