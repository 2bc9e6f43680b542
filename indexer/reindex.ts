import { generationHash, indexDefinition } from '../mappings/registry.ts';
import { aliasName, generationName } from '../src/index-names.ts';
import type { KindName } from '../src/kinds/kind.ts';
import { kinds } from '../src/kinds/registry.ts';
import { selectBodies } from '../src/kinds/sql.ts';
import { explain } from './errors.ts';
import {
  estimateRows,
  type Generation,
  listLeftovers,
  listRetired,
  nextNumber,
  planGeneration,
  recordEnded,
  recordLive,
  recordState,
} from './generations.ts';
import { takeLock } from './lock.ts';
import {
  type Cluster,
  countDocuments,
  createIndex,
  deleteIndex,
  highestNumber,
  readAlias,
  restoreSettings,
  swapAlias,
  waitWritable,
} from './reindex-actions.ts';
import { type LoadDeps, type LoadProgress, loadGeneration } from './reindex-load.ts';
import {
  type GenerationState,
  isStep,
  nextState,
  type Outcome,
  planned,
  type Reindex,
  type Rules,
  type StepName,
} from './reindex-model.ts';

// The driver: does what `reindex-model.ts` says is next, with the actions of `reindex-actions.ts`.

/** Who watches. */
export interface ReindexObserver {
  onStart(kind: KindName, index: string, totalRows: number): void;
  onState(kind: KindName, state: GenerationState): void;
  onProgress(kind: KindName, progress: LoadProgress): void;
  /** A sentence for people about something out of the ordinary. */
  onNote(kind: KindName, text: string): void;
}

export interface ReindexDeps extends LoadDeps {
  readonly indexPrefix: string;
  /** What the lock's connection is called, so that others can see who holds it. */
  readonly applicationName: string;
  readonly rules: Rules;
  readonly observer: ReindexObserver;
}

/** What became of one kind. */
export interface ReindexReport {
  readonly kind: KindName;
  /** The index that was built; undefined where it did not come to that. */
  readonly generation: string | undefined;
  readonly reindex: Reindex;
  readonly seconds: number;
}

/**
 * Builds a new generation of each kind, some kinds at the same time, and lets the kind's alias name it. Never throws:
 * each kind's report says what became of it. Where one does not go live, its alias names what it named before, and
 * its half-built index is removed.
 */
export async function reindexKinds(
  deps: ReindexDeps,
  wanted: readonly KindName[],
  signal: AbortSignal,
): Promise<readonly ReindexReport[]> {
  const waiting = [...wanted];
  const reports: ReindexReport[] = [];
  const worker = async (): Promise<void> => {
    for (let kind = waiting.shift(); kind !== undefined; kind = waiting.shift()) {
      reports.push(await reindexKind(deps, kind, signal));
    }
  };
  await Promise.all(Array.from({ length: deps.config.kindsAtOnce }, worker));
  return wanted.flatMap((kind) => reports.filter((report) => report.kind === kind));
}

async function reindexKind(deps: ReindexDeps, kind: KindName, signal: AbortSignal): Promise<ReindexReport> {
  const startMs = deps.nowMs();
  const report = (reindex: Reindex, generation?: string): ReindexReport => {
    deps.observer.onState(kind, reindex.state);
    return { kind, generation, reindex, seconds: (deps.nowMs() - startMs) / 1_000 };
  };
  try {
    if (signal.aborted) return report({ ...planned, state: 'aborted', error: explain(signal.reason).text });
    const taken = await takeLock(deps.pool, kind, deps.applicationName);
    if (!('held' in taken)) {
      const { holder } = taken;
      const who = holder
        ? `by "${holder.applicationName}" (Postgres process ${holder.pid}, since ${holder.since})`
        : 'by another';
      const error = `${kind} is being reindexed already ${who}. Wait until that ends, or stop it.`;
      return report({ ...planned, state: 'failed', error, refused: true });
    }
    await using lock = taken.held;
    const run = new KindRun(deps, kind, signal, lock.lost);
    await run.putInOrder();
    const reindex = await run.build();
    return report(reindex, run.indexName);
  } catch (error) {
    return report({ ...planned, state: 'failed', error: explain(error).text });
  }
}

/** One reindex of one kind, under the kind's lock. */
class KindRun {
  readonly #deps: ReindexDeps;
  readonly #kind: KindName;
  readonly #alias: string;
  readonly #cluster: Cluster;
  readonly #asked: AbortSignal;
  readonly #signal: AbortSignal;
  #generation: Generation | undefined;

  constructor(deps: ReindexDeps, kind: KindName, asked: AbortSignal, lockLost: AbortSignal) {
    this.#deps = deps;
    this.#kind = kind;
    this.#alias = aliasName(deps.indexPrefix, kind);
    this.#cluster = { client: deps.client, limits: deps.config.actions };
    this.#asked = asked;
    this.#signal = AbortSignal.any([asked, lockLost]);
  }

  get indexName(): string | undefined {
    return this.#generation?.indexName;
  }

  /** Brings the account in line with the alias, and removes what killed runs left behind. */
  async putInOrder(): Promise<void> {
    const { pool, observer } = this.#deps;
    await recordLive(pool, this.#kind, await readAlias(this.#cluster, this.#alias));
    for (const { indexName, state } of await listLeftovers(pool, this.#kind)) {
      if (!(await deleteIndex(this.#cluster, this.#alias, indexName))) continue;
      await recordEnded(pool, indexName, `Its process ended while it was ${state}.`);
      observer.onNote(this.#kind, `Removed ${indexName}, which an earlier run left behind (${state}).`);
    }
  }

  /** From a new generation to its end: live, failed or aborted. */
  async build(): Promise<Reindex> {
    const generation = await this.#plan();
    this.#generation = generation;
    let reindex: Reindex = planned;
    try {
      while (isStep(reindex.state)) {
        this.#deps.observer.onState(this.#kind, reindex.state);
        const outcome = await this.#attempt(generation, reindex.state);
        reindex = nextState(reindex, outcome, this.#deps.rules);
        await this.#record(generation, reindex);
      }
    } catch (error) {
      // Not even the account could be written: whatever the alias names now decides about the index.
      reindex = { ...reindex, state: 'failed', error: explain(error).text };
    }
    if (reindex.state === 'live') await this.#retire();
    else await this.#discard(generation);
    return reindex;
  }

  async #plan(): Promise<Generation> {
    const { pool, indexPrefix, observer } = this.#deps;
    const hash = generationHash(this.#kind);
    // Indices can outlive a database that was made anew; their names are taken.
    const onCluster = await highestNumber(this.#cluster, this.#alias);
    const number = Math.max(await nextNumber(pool, this.#kind), onCluster + 1);
    const generation = await planGeneration(pool, {
      kind: this.#kind,
      number,
      indexName: generationName(indexPrefix, this.#kind, hash, number),
      hash,
      definition: indexDefinition(this.#kind),
      documentSql: selectBodies(kinds[this.#kind].sql, 'document', ''),
    });
    observer.onStart(this.#kind, generation.indexName, await estimateRows(pool, this.#kind));
    return generation;
  }

  async #attempt(generation: Generation, step: StepName): Promise<Outcome> {
    try {
      this.#signal.throwIfAborted();
      return await this.#act(generation, step);
    } catch (error) {
      return { type: this.#asked.aborted ? 'aborted' : 'failed', error: explain(error).text };
    }
  }

  async #act({ indexName, ...generation }: Generation, step: StepName): Promise<Outcome> {
    const { config, observer } = this.#deps;
    const cluster = this.#cluster;
    switch (step) {
      case 'planned':
        await createIndex(cluster, indexName, indexDefinition(this.#kind));
        return { type: 'created' };
      case 'created':
        await waitWritable(cluster, indexName);
        return { type: 'writable' };
      case 'loading': {
        const onProgress = (progress: LoadProgress): void => observer.onProgress(this.#kind, progress);
        const counts = await loadGeneration(this.#deps, { ...generation, indexName }, this.#signal, onProgress);
        return { type: 'loaded', counts };
      }
      case 'verifying':
        await restoreSettings(cluster, indexName, config.replicas);
        return { type: 'counted', documents: await countDocuments(cluster, indexName) };
      case 'ready':
        await swapAlias(cluster, this.#alias, indexName);
        return { type: 'swapped' };
      default:
        return step satisfies never;
    }
  }

  async #record(generation: Generation, reindex: Reindex): Promise<void> {
    if (reindex.state !== 'live') return recordState(this.#deps.pool, generation, reindex);
    await recordLive(this.#deps.pool, this.#kind, await readAlias(this.#cluster, this.#alias));
  }

  /** Removes generations that were live longer ago than is kept. */
  async #retire(): Promise<void> {
    const { pool, config } = this.#deps;
    await this.#tidy(async () => {
      const retired = await listRetired(pool, this.#kind);
      for (const indexName of retired.slice(config.generationsKept)) {
        if (await deleteIndex(this.#cluster, this.#alias, indexName)) await recordEnded(pool, indexName);
      }
    }, 'Old generations could not be removed');
  }

  async #discard({ indexName }: Generation): Promise<void> {
    await this.#tidy(async () => {
      if (await deleteIndex(this.#cluster, this.#alias, indexName)) await recordEnded(this.#deps.pool, indexName);
    }, `The half-built index ${indexName} could not be removed`);
  }

  // What is left lying is found again by the next run, and must not hide how this one ended.
  async #tidy(work: () => Promise<void>, problem: string): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#deps.observer.onNote(this.#kind, `${problem}; the next reindex does that. ${explain(error).text}`);
    }
  }
}
