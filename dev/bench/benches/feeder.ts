import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { documentSql } from '../bodies.ts';
import type { Database } from '../databases.ts';
import type { Measured } from '../figures.ts';
import type { BenchName } from '../options.ts';
import { cli, type Ran, runProgram, startServer } from '../programs.ts';
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
        ...(wanted.has('feeder-threads') ? { threads: feeds.threads } : {}),
        ...(wanted.has('feeder-workers') ? { heldBack: feeds.heldBack, joined: feeds.joined } : {}),
      },
      setup.signal,
    );
    const { rssMaxMb, cpuSeconds } = sides.subject;
    const common = { rows: database.rows, rssMaxMb, cpuSeconds };
    if (sides.copy) yield { ...common, ...speedOf(sides.subject, sides.copy, sides.helper) };
    if (sides.threads) yield { ...common, ...threadsOf(sides.threads, sides.subject) };
    if (sides.joined && sides.heldBack) yield { ...common, ...workersOf(sides.joined, sides.heldBack) };
    if (sides.helper) {
      const { subject, helper } = feeds.cpu;
      yield { ...common, ...cpuOf(subject, helper), details: { helperRssMaxMb: sides.helper.rssMaxMb } };
    }
  } finally {
    await sink.stop();
  }
}

/** Preloaded into programs that are to have a quarter of a core. */
const heldBackFile = new URL('../programs/held-back.ts', import.meta.url).href;

/** Ways out of Postgres, and the CPU seconds for 100,000 documents of those that go through Node. */
function feedsOf(setup: BenchSetup, database: Database, sink: string) {
  const toSink = setup.program(database, { ELASTICSEARCH_URL: sink });
  const cpu = { subject: [] as number[], helper: [] as number[] };
  const runOf = ({ stdout, usage }: Ran, into?: number[]): Run => {
    const { seconds, cpuSeconds } = took.parse(JSON.parse(stdout));
    into?.push((cpuSeconds * 100_000) / database.rows);
    return { value: database.rows / seconds, usage };
  };
  const feed = (...args: readonly string[]): Promise<Ran> =>
    runProgram(['dev/bench/programs/feed.ts', ...args], toSink);
  const slow = { ...toSink, env: { ...toSink.env, NODE_OPTIONS: `--import ${heldBackFile}` } };
  const feedSlowly = (...args: readonly string[]): Promise<Ran> =>
    runProgram(['dev/bench/programs/feed.ts', ...args], slow);
  const copySql = `select body from (${documentSql}) as documents order by id`;
  return {
    cpu,
    subject: async () => runOf(await feed(), cpu.subject),
    threads: async () => runOf(await feed('2')),
    heldBack: async () => runOf(await feedSlowly()),
    joined: async () => {
      const joining = runProgram([cli, 'reindex', 'companies', '--join'], slow);
      const [ran] = await Promise.all([feedSlowly('1', '1'), joining]);
      return runOf(ran);
    },
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

/** Two loaders, Postgres and what takes the documents have a core each, and one is left. */
const coresForTwo = 5;

function threadsOf(threads: Side, subject: Side): Part {
  return {
    bench: 'feeder-threads',
    unit: 'documents/s',
    subject: threads.values,
    floor: subject.values,
    sides: { subject: 'the same with --workers 2', floor: 'with one' },
    better: 'higher',
    goals: [{ of: 'ratio', atLeast: availableParallelism() >= coresForTwo ? 1.7 : 1 }],
    details: { coresForTwo, rssMaxMb: threads.rssMaxMb, cpuSeconds: threads.cpuSeconds },
  };
}

function workersOf(joined: Side, heldBack: Side): Part {
  return {
    bench: 'feeder-workers',
    unit: 'documents/s',
    subject: joined.values,
    floor: heldBack.values,
    sides: { subject: 'two processes, each held to a quarter of a core', floor: 'one such process' },
    better: 'higher',
    goals: [{ of: 'ratio', atLeast: 1.7 }],
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

export const feeder: BenchGroup = { names: ['feeder', 'feeder-cpu', 'feeder-threads', 'feeder-workers'], run };
