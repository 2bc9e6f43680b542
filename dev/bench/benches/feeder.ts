import { z } from 'zod';
import { documentSql } from '../bodies.ts';
import type { Database } from '../databases.ts';
import type { Measured } from '../figures.ts';
import type { BenchName } from '../options.ts';
import { type Ran, runProgram, startServer } from '../programs.ts';
import { inTurn, type Run, type Side } from '../rounds.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';

/** CPU time is that of the work alone, without the start of Node. */
const took = z.object({ seconds: z.number(), cpuSeconds: z.number().default(0) });

async function* run(setup: BenchSetup, wanted: ReadonlySet<BenchName>): AsyncGenerator<Measured> {
  const database = await setup.database(setup.rows);
  const context = { ...setup.program(database), logFile: setup.path('log/bench-sink.log') };
  const sink = await startServer(['dev/bench/programs/null-sink.ts'], context);
  try {
    const feeds = feedsOf(setup, database, sink.url);
    // Reads the table once, so that the first round finds it as the others do.
    await feeds.copy();
    const sides = await inTurn(
      setup.options.rounds,
      {
        subject: feeds.subject,
        ...(wanted.has('feeder') ? { copy: feeds.copy } : {}),
        ...(wanted.has('feeder-cpu') ? { helper: feeds.helper } : {}),
      },
      setup.signal,
    );
    const { rssMaxMb, cpuSeconds } = sides.subject;
    const common = { rows: database.rows, rssMaxMb, cpuSeconds };
    if (sides.copy) yield { ...common, ...speedOf(sides.subject, sides.copy, sides.helper) };
    if (sides.helper) {
      const { subject, helper } = feeds.cpu;
      yield { ...common, ...cpuOf(subject, helper), details: { helperRssMaxMb: sides.helper.rssMaxMb } };
    }
  } finally {
    await sink.stop();
  }
}

/** Ways out of Postgres, and the CPU seconds for 100,000 documents of those that go through Node. */
function feedsOf(setup: BenchSetup, database: Database, sink: string) {
  const toSink = setup.program(database, { ELASTICSEARCH_URL: sink });
  const cpu = { subject: [] as number[], helper: [] as number[] };
  const runOf = ({ stdout, usage }: Ran, into?: number[]): Run => {
    const { seconds, cpuSeconds } = took.parse(JSON.parse(stdout));
    into?.push((cpuSeconds * 100_000) / database.rows);
    return { value: database.rows / seconds, usage };
  };
  const copySql = `select body from (${documentSql}) as documents order by id`;
  return {
    cpu,
    subject: async () => runOf(await runProgram(['dev/bench/programs/feed.ts'], toSink), cpu.subject),
    copy: async () => runOf(await runProgram(['dev/bench/programs/copy-out.ts', copySql], toSink)),
    helper: async () => runOf(await runProgram(['dev/bench/programs/helper-feed.ts', 'nowhere'], toSink), cpu.helper),
  };
}

type Part = Omit<Measured, 'rows' | 'rssMaxMb' | 'cpuSeconds'>;

function speedOf(subject: Side, copy: Side, helper: Side | undefined): Part {
  return {
    bench: 'feeder',
    unit: 'documents/s',
    subject: subject.values,
    floor: copy.values,
    sides: {
      subject: 'from Postgres to _bulk requests that nobody keeps',
      floor: 'COPY … TO STDOUT of the same JSON',
    },
    better: 'higher',
    goals: [{ of: 'ratio', atLeast: 0.6 }],
    details: { helperPerSecond: helper?.values ?? null },
  };
}

function cpuOf(subject: readonly number[], helper: readonly number[]): Part {
  return {
    bench: 'feeder-cpu',
    unit: 'CPU s in Node for 100,000 documents',
    subject,
    floor: helper,
    sides: { subject: 'the same', floor: 'helpers.bulk and pg-cursor, rows mapped in Node' },
    better: 'lower',
    goals: [{ of: 'ratio', atMost: 0.4 }],
  };
}

export const feeder: BenchGroup = { names: ['feeder', 'feeder-cpu'], run };
