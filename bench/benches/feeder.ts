import { z } from 'zod';
import { documentSql } from '../bodies.ts';
import type { Measured } from '../figures.ts';
import type { BenchName } from '../options.ts';
import { type Ran, runProgram, startServer } from '../programs.ts';
import { inTurn, type Run, type Side } from '../rounds.ts';
import type { Stage } from '../stage.ts';
import type { BenchGroup } from './bench.ts';

/** CPU time is that of the work alone, without the start of Node. */
const took = z.object({ seconds: z.number(), cpuSeconds: z.number().default(0) });

async function* run(stage: Stage, wanted: ReadonlySet<BenchName>): AsyncGenerator<Measured> {
  const { signal } = stage;
  const database = await stage.database(stage.rows);
  const program = stage.program(database);
  const sink = await startServer(['bench/programs/null-sink.ts'], {
    ...program,
    logFile: stage.path('log/bench-sink.log'),
  });
  const toSink = stage.program(database, { ELASTICSEARCH_URL: sink.url });
  const runOf = ({ stdout, usage }: Ran, cpu?: number[]): Run => {
    const { seconds, cpuSeconds } = took.parse(JSON.parse(stdout));
    cpu?.push((cpuSeconds * 100_000) / database.rows);
    return { value: database.rows / seconds, usage };
  };
  const cpu = { subject: [] as number[], helper: [] as number[] };
  try {
    const sides = await inTurn(
      stage.options.rounds,
      {
        subject: async () => runOf(await runProgram(['bench/programs/feed.ts'], toSink), cpu.subject),
        ...(wanted.has('feeder')
          ? {
              copy: async () => {
                const sql = `select body from (${documentSql}) as documents order by id`;
                return runOf(await runProgram(['bench/programs/copy-out.ts', sql], program));
              },
            }
          : {}),
        ...(wanted.has('feeder-cpu')
          ? {
              helper: async () =>
                runOf(await runProgram(['bench/programs/helper-feed.ts', 'nowhere'], toSink), cpu.helper),
            }
          : {}),
      },
      signal,
    );
    const common = { rows: database.rows, ...processOf(sides.subject) };
    if (sides.copy) {
      yield {
        bench: 'feeder',
        unit: 'documents/s',
        subject: sides.subject.values,
        floor: sides.copy.values,
        sides: {
          subject: 'from Postgres to _bulk requests that nobody keeps',
          floor: 'COPY … TO STDOUT of the same JSON',
        },
        better: 'higher',
        goals: [{ of: 'ratio', atLeast: 0.6 }],
        ...common,
        details: { helperPerSecond: sides.helper?.values ?? null },
      };
    }
    if (sides.helper) {
      yield {
        bench: 'feeder-cpu',
        unit: 'CPU s in Node for 100,000 documents',
        subject: cpu.subject,
        floor: cpu.helper,
        sides: { subject: 'the same', floor: 'helpers.bulk and pg-cursor, rows mapped in Node' },
        better: 'lower',
        goals: [{ of: 'ratio', atMost: 0.4 }],
        ...common,
        details: { helperRssMaxMb: sides.helper.rssMaxMb },
      };
    }
  } finally {
    await sink.stop();
  }
}

function processOf({ rssMaxMb, cpuSeconds }: Side): Pick<Measured, 'rssMaxMb' | 'cpuSeconds'> {
  return { rssMaxMb, cpuSeconds };
}

export const feeder: BenchGroup = { names: ['feeder', 'feeder-cpu'], run };
