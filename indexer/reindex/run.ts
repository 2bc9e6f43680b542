import { documentSql, generationHash, indexDefinition } from '../../mappings/registry.ts';
import { ClusterRequestError, highestGenerationNumber, readAlias } from '../../src/elasticsearch/admin.ts';
import { aliasName, generationName } from '../../src/kinds/index-names.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { HaltedError } from '../change-log/halts.ts';
import { TooManyDeadLettersError } from '../dead-letters/monitor.ts';
import { explainError, RefusedError } from '../errors.ts';
import { deleteOwnIndex, ForeignOwnerError, findAliasConflict } from '../generations/alias-conflict.ts';
import {
  estimateRows,
  type Generation,
  nextNumber,
  planGeneration,
  recordEnded,
  recordLive,
  recordState,
} from '../generations/generations.ts';
import type { LockSession } from '../generations/locks.ts';
import {
  initialReindex,
  isStep,
  type LoadCounts,
  nextState,
  type ReindexStatus,
  type StepName,
  type StepOutcome,
} from '../generations/model.ts';
import { removeRetired } from '../generations/retirement.ts';
import { giveUp, listUnfinished, type UnfinishedGeneration } from '../generations/unfinished.ts';
import { IndexGoneError } from '../write/bulk-response.ts';
import type { ReindexDeps } from './observer.ts';
import { performStep } from './steps.ts';

/** One reindex of one kind, under the kind's lifecycle lock: attempts the steps of `generations/model.ts`. */
export class KindRun {
  readonly #deps: ReindexDeps;
  readonly #kind: KindName;
  readonly #alias: string;
  readonly #signal: AbortSignal;
  readonly #lock: Pick<LockSession, 'lost'>;
  #generation: Generation | undefined;
  /** Counts of the load so far, for the record of a run that did not finish. */
  #sent: LoadCounts | undefined;

  constructor(deps: ReindexDeps, kind: KindName, asked: AbortSignal, lock: Pick<LockSession, 'lost'>) {
    this.#deps = deps;
    this.#kind = kind;
    this.#alias = aliasName(deps.indexPrefix, kind);
    this.#signal = AbortSignal.any([asked, lock.lost]);
    this.#lock = lock;
  }

  get indexName(): string | undefined {
    return this.#generation?.indexName;
  }

  async run(): Promise<ReindexStatus> {
    const { mode, observer } = this.#deps;
    await this.#refuseConflict();
    const left = await this.#removeLeftovers();
    if (mode === 'abort') return { ...initialReindex, state: 'aborted' };
    if (mode === 'resume') {
      if (left !== undefined) return this.#resume(left);
      this.#note('There is nothing to resume.');
      const live = await readAlias(this.#deps.cluster, this.#alias);
      if (live.length > 0) return { ...initialReindex, state: 'live' };
      throw new RefusedError(
        `There is no index of ${this.#kind}, and no unfinished one. Run: entity-search reindex ${this.#kind}`,
      );
    }
    const generation = await this.#plan();
    observer.onStart(this.#kind, generation.indexName, await estimateRows(this.#deps.pool, this.#kind));
    return this.#build(generation, initialReindex);
  }

  /** Refuses to move the alias, or to remove a build, unless `takeOver` allows it. */
  async #refuseConflict(): Promise<void> {
    const { mode, takeOver = false } = this.#deps;
    const conflict = await findAliasConflict(this.#deps, this.#kind);
    if (conflict === undefined || takeOver || (mode === 'abort' && conflict.reason === 'release')) return;
    throw new ForeignOwnerError(conflict, this.#kind);
  }

  /**
   * Updates the record of the live generation from the alias, and removes what killed runs left behind, except for the
   * build to resume, which it returns. Refuses to resume a build of another definition.
   */
  async #removeLeftovers(): Promise<UnfinishedGeneration | undefined> {
    const { pool, mode } = this.#deps;
    // The alias decides: a run that was killed after its swap is live, not a leftover.
    await recordLive(pool, this.#kind, await readAlias(this.#deps.cluster, this.#alias));
    const leftovers = await listUnfinished(pool, this.#kind);
    const unfinished = mode === 'resume' ? leftovers.find(({ state, halted }) => isStep(state) && !halted) : undefined;
    if (unfinished !== undefined) this.#refuseOtherDefinition(unfinished);
    for (const { indexName, state } of leftovers) {
      if (indexName === unfinished?.indexName) continue;
      this.#lock.lost.throwIfAborted();
      const why = `Its process ended while it was ${state}.`;
      await (mode === 'abort' ? giveUp(pool, indexName, 'aborted') : giveUp(pool, indexName, 'failed', why));
      if (!(await deleteOwnIndex(this.#deps, this.#kind, indexName))) continue;
      await recordEnded(pool, indexName);
      this.#note(`Removed ${indexName}, which an earlier run left behind (${state}).`);
    }
    return unfinished;
  }

  #refuseOtherDefinition({ indexName, hash }: UnfinishedGeneration): void {
    if (hash === generationHash(this.#kind, this.#deps.config)) return;
    throw new RefusedError(
      `${indexName} was begun by another release or with other settings, so it can't be resumed. Use those, or remove it: entity-search reindex ${this.#kind} --abort`,
    );
  }

  async #resume(left: UnfinishedGeneration): Promise<ReindexStatus> {
    const { pool, observer } = this.#deps;
    const { state, counts } = left;
    if (!isStep(state)) throw new Error(`A generation that is ${state} can't be resumed.`);
    observer.onStart(this.#kind, left.indexName, await estimateRows(pool, this.#kind));
    this.#note(`Resuming ${left.indexName} (${state}, after ${counts.rows} rows).`);
    return this.#build(left, { ...initialReindex, state, counts });
  }

  /** Performs the steps of a generation from its present state until it is live, failed or interrupted. */
  async #build(generation: Generation, from: ReindexStatus): Promise<ReindexStatus> {
    this.#generation = generation;
    let reindex = from;
    try {
      while (isStep(reindex.state) && !reindex.interrupted) {
        this.#deps.observer.onState(this.#kind, reindex.state);
        const outcome = await this.#attempt(generation, reindex.state);
        const from = reindex.state;
        reindex = nextState(reindex, outcome, this.#deps.rules);
        await this.#record(generation, from, reindex);
      }
    } catch (error) {
      // The record could not be written either: the next run finds the last recorded state.
      reindex = { ...reindex, interrupted: true, error: reindex.error ?? explainError(error) };
    }
    if (reindex.state === 'live') await this.#removeRetired();
    else if (reindex.interrupted) {
      const counts = reindex.state === 'loading' ? (this.#sent ?? reindex.counts) : reindex.counts;
      reindex = { ...reindex, counts, error: this.#withRemedy(reindex) };
    } else await this.#discard(generation);
    return reindex;
  }

  #withRemedy({ error, state, refused }: ReindexStatus): string {
    if (refused) {
      return `${error}\nIt was stopped while ${state}. See the rejected documents with: entity-search dead-letters ${this.#kind}. Correct the rows, or allow more, and resume with: entity-search reindex --resume ${this.#kind}. If the mapping or the SQL is wrong, correct it and start a new reindex.`;
    }
    return `${error}\nIt was interrupted while ${state}. Resume with: entity-search reindex --resume ${this.#kind}`;
  }

  async #plan(): Promise<Generation> {
    const { pool, indexPrefix, config } = this.#deps;
    const hash = generationHash(this.#kind, config);
    // Indices can outlive a database that was created again; their names are taken.
    const onCluster = await highestGenerationNumber(this.#deps.cluster, this.#alias);
    const number = Math.max(await nextNumber(pool, this.#kind), onCluster + 1);
    return planGeneration(pool, {
      kind: this.#kind,
      number,
      indexName: generationName(indexPrefix, this.#kind, hash, number),
      hash,
      definition: indexDefinition(this.#kind, config),
      documentSql: documentSql(this.#kind, config),
      embeddingModel: config.embeddings?.key ?? null,
    });
  }

  async #attempt(generation: Generation, step: StepName): Promise<StepOutcome> {
    try {
      this.#signal.throwIfAborted();
      const result = await performStep(step, {
        deps: this.#deps,
        generation,
        alias: this.#alias,
        lock: this.#lock,
        signal: this.#signal,
        onSent: (sent) => {
          this.#sent = sent;
        },
      });
      this.#lock.lost.throwIfAborted();
      return { type: 'done', ...result };
    } catch (error) {
      if (error instanceof TooManyDeadLettersError) return { type: 'stopped', error: explainError(error) };
      const hopeless =
        error instanceof IndexGoneError ||
        error instanceof HaltedError ||
        error instanceof ForeignOwnerError ||
        (error instanceof ClusterRequestError && error.permanent);
      // Another process may continue this build.
      if (this.#lock.lost.aborted) return { type: 'interrupted', error: explainError(this.#lock.lost.reason) };
      return { type: hopeless ? 'failed' : 'interrupted', error: explainError(error) };
    }
  }

  async #record(generation: Generation, from: StepName, reindex: ReindexStatus): Promise<void> {
    if (reindex.state !== 'live') return recordState(this.#deps.pool, generation, from, reindex);
    const live = await readAlias(this.#deps.cluster, this.#alias);
    this.#lock.lost.throwIfAborted();
    await recordLive(this.#deps.pool, this.#kind, live);
  }

  #note(text: string): void {
    this.#deps.observer.onNote(this.#kind, text);
  }

  #removeRetired(): Promise<void> {
    return this.#cleanUp(async () => {
      await removeRetired(this.#deps, this.#kind, this.#deps.config.retire);
    }, 'Old generations could not be removed');
  }

  #discard({ indexName }: Generation): Promise<void> {
    return this.#cleanUp(async () => {
      if (await deleteOwnIndex(this.#deps, this.#kind, indexName)) await recordEnded(this.#deps.pool, indexName);
    }, `The half-built index ${indexName} could not be removed`);
  }

  // The next run finds the remaining index; the failure must not hide how this run ended.
  async #cleanUp(work: () => Promise<void>, problem: string): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#note(`${problem}; the next reindex does that. ${explainError(error)}`);
    }
  }
}
