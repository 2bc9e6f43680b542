import type { Base } from '../base.ts';
import type { Measured } from '../figures.ts';
import { unlimitedKeys } from '../keys.ts';
import { type Server, startServer, usedBetween } from '../programs.ts';
import { mixedPaths } from '../queries.ts';
import { inTurn, type Run } from '../rounds.ts';
import { SequentialClient } from '../sequential-client.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';

// The processor time of the API's own process for a search. It is the same on a busy machine as on an idle one.

const queriesCount = 400;
/** Searches of a round, and those before the first: by then V8 has compiled what it is going to. */
const searchesCount = 2_000;
const warmUpCount = 4_000;
const connections = 4;

async function* run(setup: BenchSetup): AsyncGenerator<Measured> {
  const { base: folder } = setup.options;
  const database = await setup.database(setup.rows);
  await setup.indexed(database);
  const paths = await mixedPaths(database, queriesCount);
  const [key = ''] = await unlimitedKeys(database, 1);
  await using base = folder === undefined ? null : await setup.base(folder, database.rows);
  await using api = await openSide(setup, setup.program(database), { paths, key, name: 'api' });
  await using other = base && (await openSide(setup, base.program, { paths, key: base.key, name: 'base' }));
  const bench = { setup, rows: database.rows, api, base: other };
  yield await cpu(bench);
}

interface CpuBench {
  readonly setup: BenchSetup;
  readonly rows: number;
  readonly api: Side;
  readonly base: Side | null;
}

interface Side extends AsyncDisposable {
  readonly server: Server;
  search(count: number): Promise<void>;
}

async function openSide(
  setup: BenchSetup,
  program: Base['program'],
  { paths, key, name }: { readonly paths: readonly string[]; readonly key: string; readonly name: string },
): Promise<Side> {
  const server = await startServer(['src/main.ts'], { ...program, logFile: setup.path(`log/bench-${name}.log`) });
  const headers = { Authorization: `Bearer ${key}` };
  const search = async (count: number): Promise<void> => {
    let next = 0;
    const ask = async (): Promise<void> => {
      using client = new SequentialClient(server.url);
      while (next < count) {
        setup.signal.throwIfAborted();
        const path = paths[next % paths.length] ?? '';
        next += 1;
        await client.ask({ method: 'GET', path, headers });
      }
    };
    await Promise.all(Array.from({ length: connections }, ask));
  };
  const side = { server, search, [Symbol.asyncDispose]: server.stop };
  try {
    await search(warmUpCount);
    return side;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

const sides = {
  subject: `CPU time of the API's process, ${searchesCount} searches, ${connections} at a time`,
  floor: 'the same of the API at --base',
} as const;

async function cpu({ setup, rows, api, base }: CpuBench): Promise<Measured> {
  const turn =
    ({ server, search }: Side) =>
    async (): Promise<Run> => {
      const before = await server.usage();
      await search(searchesCount);
      const usage = usedBetween(before, await server.usage());
      return { value: (usage.cpuSeconds * 1_000) / searchesCount, usage };
    };
  const measured = await inTurn(
    setup.options.rounds,
    { subject: turn(api), floor: base === null ? undefined : turn(base) },
    setup.signal,
  );
  return {
    bench: 'search-cpu',
    unit: 'ms of CPU a search',
    rows,
    subject: measured.subject.values,
    floor: measured.floor?.values ?? null,
    sides: { subject: sides.subject, floor: base === null ? null : sides.floor },
    better: 'lower',
    goals: base === null ? [] : [{ of: 'ratio', atMost: 0.667 }],
    rssMaxMb: measured.subject.rssMaxMb,
    cpuSeconds: measured.subject.cpuSeconds,
  };
}

export const searchCpu: BenchGroup = { names: ['search-cpu'], run };
