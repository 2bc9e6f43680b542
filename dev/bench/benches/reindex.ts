import { indexRequest } from '../../../mappings/registry.ts';
import { indexOptions } from '../../../src/config/indexer.ts';
import { type Bodies, prebuild, replay } from '../bodies.ts';
import type { Database } from '../databases.ts';
import type { Measured } from '../figures.ts';
import type { Ran } from '../programs.ts';
import { inTurn, measuredIn, type Run } from '../rounds.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';

const pace = { blocksPerRequest: 1, inFlight: 4 };

async function* run(setup: BenchSetup): AsyncGenerator<Measured> {
  const database = await setup.database(setup.rows);
  await using bodies = await prebuild(database, setup.path('bodies.ndjson'));
  const bare = new Bare(setup, database, bodies);
  const loads: Load[] = [];
  const reindexed = async (): Promise<Run> => {
    await bare.clear();
    const ran = await setup.reindex(database);
    const load = loadOf(ran, database.rows);
    loads.push(load);
    return { value: load.perSecond, usage: ran.usage };
  };
  setup.printLine('Warming up …');
  await reindexed();
  loads.length = 0;
  const { subject, floor } = await inTurn(
    setup.options.rounds,
    { subject: reindexed, floor: () => bare.replayed() },
    setup.signal,
  );
  await bare.clear();
  yield {
    bench: 'reindex',
    unit: 'documents/s',
    rows: database.rows,
    ...measuredIn({ subject, floor }),
    sides: {
      subject: 'entity-search reindex companies, first _bulk to refresh',
      floor: `raw _bulk, ${pace.inFlight} in flight`,
    },
    better: 'higher',
    goals: [{ of: 'ratio', atLeast: 0.9 }],
    details: { loads, bytes: bodies.ends.at(-1) ?? 0, documents: bodies.documents },
  };
}

/** The parts of a reindex, in seconds. */
export interface Load {
  readonly perSecond: number;
  readonly loadSeconds: number;
  /** Comparing with the tables, and the swap. */
  readonly verifySeconds: number;
  readonly wallSeconds: number;
}

/** From the first `_bulk` until the refresh was answered, as the process itself saw them. */
export function loadOf({ usage, wallMs }: Ran, rows: number): Load {
  const { firstBulkMs, firstRefreshedMs, lastAnswerMs } = usage.marks;
  if (firstBulkMs === undefined || firstRefreshedMs === undefined || lastAnswerMs === undefined) {
    throw new Error('the reindex sent no documents');
  }
  const loadSeconds = (firstRefreshedMs - firstBulkMs) / 1_000;
  return {
    perSecond: Math.round(rows / loadSeconds),
    loadSeconds,
    verifySeconds: (lastAnswerMs - firstRefreshedMs) / 1_000,
    wallSeconds: wallMs / 1_000,
  };
}

class Bare {
  readonly #setup: BenchSetup;
  readonly #database: Database;
  readonly #bodies: Bodies;
  readonly #index: string;

  constructor(setup: BenchSetup, database: Database, bodies: Bodies) {
    this.#setup = setup;
    this.#database = database;
    this.#bodies = bodies;
    this.#index = `bench-bare-${process.pid}`;
  }

  /** Each begins on an empty cluster, because leftovers of others would still be merged. */
  async clear(): Promise<void> {
    await this.#setup.removeIndices(this.#database);
    await this.#setup.client.indices.delete({ index: this.#index, ignore_unavailable: true });
  }

  async #freshIndex(): Promise<string> {
    await this.clear();
    const { settings, mappings } = indexRequest('companies', indexOptions({}));
    await this.#setup.client.indices.create({
      index: this.#index,
      settings: { ...settings, refresh_interval: '-1', number_of_replicas: 0 },
      mappings,
      wait_for_active_shards: 1,
    });
    return this.#index;
  }

  async replayed(): Promise<Run> {
    const index = await this.#freshIndex();
    const { seconds, usage } = await replay(this.#bodies, index, pace, this.#setup.program(this.#database));
    return { value: this.#bodies.documents / seconds, usage };
  }
}

export const reindex: BenchGroup = { names: ['reindex'], run };
