import type { Base } from '../base.ts';
import { basePrefix } from '../base.ts';
import type { Database } from '../databases.ts';
import type { Measured } from '../figures.ts';
import type { BenchName } from '../options.ts';
import { cli, type ProgramContext, runProgram } from '../programs.ts';
import { inTurn, measuredIn, type Side as Rounds, type Run } from '../rounds.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';
import { type Load, loadOf } from './reindex.ts';
import { backlogRows, change, firstIds } from './sync.ts';

// Compares the indexer with that of another commit. Both create their own tables and index for the same companies.

async function* run(setup: BenchSetup, wanted: ReadonlySet<BenchName>): AsyncGenerator<Measured> {
  const { base: folder } = setup.options;
  if (folder === undefined) {
    setup.printLine(`Left out without --base: ${[...wanted].join(', ')}`);
    return;
  }
  await using database = await setup.scratch(await setup.database(setup.rows), 'beside');
  await using base = await setup.base(folder, database.rows);
  const sides = { subject: ours(setup, database), floor: theirs(setup, base) };
  try {
    if (wanted.has('reindex-base') || wanted.has('index-base')) yield* reindexed(setup, sides, wanted);
    if (wanted.has('sync-base')) yield await followed(setup, sides);
  } finally {
    for (const side of Object.values(sides)) await side.removeIndices();
  }
}

interface Indexer {
  readonly database: Pick<Database, 'url' | 'rows'>;
  run(...args: readonly string[]): ReturnType<typeof runProgram>;
  /** Returns the size of the index that its last reindex built. */
  indexBytes(): Promise<number>;
  removeIndices(): Promise<void>;
}

interface Indexers {
  readonly subject: Indexer;
  readonly floor: Indexer;
}

function ours(setup: BenchSetup, database: Database): Indexer {
  return {
    database,
    ...indexer(setup, { cli, program: setup.program(database), indices: `${setup.alias(database)}*` }),
  };
}

function theirs(setup: BenchSetup, { cli: command, program, database }: Base): Indexer {
  const logged = { ...program, logFile: setup.path('log/bench-base.log') };
  return { database, ...indexer(setup, { cli: command, program: logged, indices: `${basePrefix}*` }) };
}

function indexer(
  { client }: BenchSetup,
  of: { readonly cli: string; readonly program: ProgramContext; readonly indices: string },
): Omit<Indexer, 'database'> {
  return {
    run: (...args) => runProgram([of.cli, ...args], of.program),
    async indexBytes() {
      const { _all: all } = await client.indices.stats({ index: of.indices, metric: 'store' });
      return all.primaries?.store?.size_in_bytes ?? 0;
    },
    async removeIndices() {
      for (const index of Object.keys(await client.indices.get({ index: of.indices, features: ['aliases'] })))
        await client.indices.delete({ index });
    },
  };
}

async function* reindexed(
  setup: BenchSetup,
  { subject, floor }: Indexers,
  wanted: ReadonlySet<BenchName>,
): AsyncGenerator<Measured> {
  const found = { subject: [] as Loaded[], floor: [] as Loaded[] };
  const turn = (name: keyof typeof found, side: Indexer) => async (): Promise<Run> => {
    await side.removeIndices();
    const ran = await side.run('reindex', 'companies', '--json');
    const load = { ...loadOf(ran, side.database.rows), indexBytes: await side.indexBytes() };
    found[name].push(load);
    return { value: load.perSecond, usage: ran.usage };
  };
  const turns = { subject: turn('subject', subject), floor: turn('floor', floor) };
  setup.printLine('Warming up …');
  for (const warmUp of Object.values(turns)) await warmUp();
  found.subject.length = 0;
  found.floor.length = 0;
  const sides = await inTurn(setup.options.rounds, turns, setup.signal, (round, values) =>
    setup.printLine(`round ${round}: ${JSON.stringify(values)} documents/s`),
  );
  const { rows } = subject.database;
  if (wanted.has('reindex-base')) {
    yield {
      ...figure('reindex-base', sides, { rows, what: 'entity-search reindex companies, first _bulk to refresh' }),
      unit: 'documents/s',
      better: 'higher',
      goals: [{ of: 'ratio', atLeast: 2.2 }],
      details: found,
    };
  }
  if (wanted.has('index-base')) {
    const bytes = (loads: readonly Loaded[]) => loads.map(({ indexBytes }) => indexBytes / rows);
    yield {
      ...figure('index-base', sides, { rows, what: 'bytes of the index after it' }),
      subject: bytes(found.subject),
      floor: bytes(found.floor),
      unit: 'bytes a row',
      better: 'lower',
      goals: [{ of: 'ratio', atMost: 1 }],
    };
  }
}

interface Loaded extends Load {
  readonly indexBytes: number;
}

async function followed(setup: BenchSetup, { subject, floor }: Indexers): Promise<Measured> {
  const ids = await firstIds(subject.database, Math.min(backlogRows, subject.database.rows));
  let round = 0;
  const turn = (side: Indexer) => async (): Promise<Run> => {
    round += 1;
    await change(side.database, ids, `round ${round}`);
    const { wallMs, usage } = await side.run('sync', 'companies', '--once');
    return { value: ids.length / (wallMs / 1_000), usage };
  };
  for (const side of [subject, floor]) {
    await side.removeIndices();
    await side.run('reindex', 'companies', '--json');
  }
  const sides = await inTurn(setup.options.rounds, { subject: turn(subject), floor: turn(floor) }, setup.signal);
  const what = `entity-search sync --once, ${ids.length} changes waiting, from its start to its end`;
  return {
    ...figure('sync-base', sides, { rows: subject.database.rows, what }),
    unit: 'changes/s',
    better: 'higher',
    goals: [{ of: 'ratio', atLeast: 1 }],
  };
}

function figure(
  bench: BenchName,
  sides: { readonly subject: Rounds; readonly floor: Rounds },
  { rows, what }: { readonly rows: number; readonly what: string },
) {
  return { bench, rows, ...measuredIn(sides), sides: { subject: what, floor: 'the same of --base' } };
}

export const beside: BenchGroup = { names: ['reindex-base', 'index-base', 'sync-base'], run };
