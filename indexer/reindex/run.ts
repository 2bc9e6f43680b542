import { generationHash, indexDefinition, indexRequest } from '../../mappings/registry.ts';
import {
  type Cluster,
  ClusterRequestError,
  createIndex,
  deleteIndex,
  highestGenerationNumber,
  readAlias,
  restoreSettings,
  swapAlias,
  waitWritable,
} from '../../src/elasticsearch/admin.ts';
import { aliasName, generationName } from '../../src/kinds/index-names.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { kinds } from '../../src/kinds/registry.ts';
import { selectBodies } from '../../src/kinds/sql.ts';
import { HaltedError } from '../change-log/halts.ts';
import { TooManyDeadLettersError } from '../dead-letters/limits.ts';
import { explainError } from '../errors.ts';
import { conflictRemedy, currentOrigin, findAliasConflict } from '../generations/alias-conflict.ts';
import {
  estimateRows,
  type Generation,
  nextNumber,
  planGeneration,
  recordEnded,
  recordLive,
  recordState,
} from '../generations/generations.ts';
import {
  initialReindex,
  isStep,
  nextState,
  type Outcome,
  type ReindexStatus,
  type StepName,
} from '../generations/model.ts';
import { removeRetired } from '../generations/retirement.ts';
import {
  listUnfinished,
  type ResumePoint,
  recordAborted,
  startOfLoad,
  type UnfinishedGeneration,
} from '../generations/unfinished.ts';
import { inSpan, type WorkSpan } from '../spans.ts';
import { IndexGoneError } from '../write/bulk-response.ts';
import { catchUp, followWhile } from './catch-up.ts';
import { compareWithTables } from './compare.ts';
import { type LoadProgress, loadGeneration } from './load.ts';
import { mergeSegments } from './merge-segments.ts';
import type { ReindexDeps } from './observer.ts';
import { waitForCopies } from './replicas.ts';
import { removeForeignSettings } from './template-settings.ts';

// Attempts what `generations/model.ts` says is next.

/** One reindex of one kind, under the kind's lifecycle lock. */
export class KindRun {
  readonly #deps: ReindexDeps;
  readonly #kind: KindName;
  readonly #alias: string;
  readonly #cluster: Cluster;
  readonly #signal: AbortSignal;
  #generation: Generation | undefined;
  #resumePoint: ResumePoint = startOfLoad;
  /** What the load has sent, for the account of a run that did not come to its end. */
  #sent: LoadProgress | undefined;

  constructor(deps: ReindexDeps, kind: KindName, asked: AbortSignal, lockLost: AbortSignal) {
    this.#deps = deps;
    this.#kind = kind;
    this.#alias = aliasName(deps.indexPrefix, kind);
    this.#cluster = deps.cluster;
    this.#signal = AbortSignal.any([asked, lockLost]);
  }

  get indexName(): string | undefined {
    return this.#generation?.indexName;
  }

  /** One trace: all that the run does lies below it. */
  run(): Promise<ReindexStatus> {
    return inSpan('reindex', { kind: this.#kind }, async (span) => {
      const reindex = await this.#run();
      const { rows, deadLetters } = reindex.counts;
      span.tell({ state: reindex.state, rows, dead_letters: deadLetters });
      if (reindex.error !== undefined) span.fail(reindex.interrupted ? 'interrupted' : 'failed');
      return reindex;
    });
  }

  async #run(): Promise<ReindexStatus> {
    const { mode, observer } = this.#deps;
    const refused = mode === 'abort' ? undefined : await this.#objection();
    if (refused !== undefined) return { ...initialReindex, state: 'failed', error: refused, refused: true };
    const left = await this.#putInOrder();
    if (mode === 'abort') return { ...initialReindex, state: 'aborted' };
    if (mode === 'resume') {
      if (left !== undefined) return this.#resume(left);
      observer.onNote(this.#kind, 'There is nothing to resume.');
      const live = await readAlias(this.#cluster, this.#alias);
      if (live.length > 0) return { ...initialReindex, state: 'live' };
      const error = `There is no index of ${this.#kind}, and no unfinished one. Run: entity-search reindex ${this.#kind}`;
      return { ...initialReindex, state: 'failed', error, refused: true };
    }
    const generation = await this.#plan();
    observer.onStart(this.#kind, generation.indexName, await estimateRows(this.#deps.pool, this.#kind));
    return this.#build(generation, initialReindex);
  }

  /** Why the alias may not be moved away from what it names, unless that was asked for. */
  async #objection(): Promise<string | undefined> {
    const { pool, indexPrefix, overruled = [] } = this.#deps;
    const objection = await findAliasConflict(pool, this.#cluster, indexPrefix, this.#kind);
    if (objection === undefined || overruled.includes(objection.reason)) return undefined;
    return `${objection.found} ${conflictRemedy(objection, this.#kind)}`;
  }

  /**
   * Brings the account in line with the alias, and removes what killed runs left behind, but for one that is to be
   * resumed, which it answers.
   */
  async #putInOrder(): Promise<UnfinishedGeneration | undefined> {
    const { pool, observer, mode } = this.#deps;
    // The alias is the truth: a run that was killed after its swap is found live here, and not a leftover.
    await recordLive(pool, this.#kind, await readAlias(this.#cluster, this.#alias));
    const leftovers = await listUnfinished(pool, this.#kind);
    const resumed = mode === 'resume' ? leftovers.find((one) => this.#isResumable(one)) : undefined;
    for (const { indexName, state } of leftovers) {
      if (indexName === resumed?.indexName) continue;
      if (!(await deleteIndex(this.#cluster, this.#alias, indexName))) continue;
      if (mode === 'abort') await recordAborted(pool, indexName);
      await recordEnded(pool, indexName, `Its process ended while it was ${state}.`);
      observer.onNote(this.#kind, `Removed ${indexName}, which an earlier run left behind (${state}).`);
    }
    return resumed;
  }

  /** Made by this version of mapping and documents, of this database, and not at an end. */
  #isResumable({ state, hash, halted }: UnfinishedGeneration): boolean {
    return isStep(state) && hash === generationHash(this.#kind) && !halted;
  }

  async #resume(left: UnfinishedGeneration): Promise<ReindexStatus> {
    const { pool, observer } = this.#deps;
    const { state, resumePoint } = left;
    if (!isStep(state)) throw new Error(`A generation that is ${state} can't be resumed.`);
    observer.onStart(this.#kind, left.indexName, await estimateRows(pool, this.#kind));
    observer.onNote(this.#kind, `Going on with ${left.indexName} (${state}, after id ${resumePoint.afterId}).`);
    this.#resumePoint = resumePoint;
    const { rows, bytes, deadLetters } = resumePoint;
    return this.#build(left, { ...initialReindex, state, counts: { rows, bytes, deadLetters } });
  }

  /** From where a generation stands to its end: live, failed or interrupted. */
  async #build(generation: Generation, from: ReindexStatus): Promise<ReindexStatus> {
    this.#generation = generation;
    let reindex = from;
    try {
      while (isStep(reindex.state) && !reindex.interrupted) {
        this.#deps.observer.onState(this.#kind, reindex.state);
        const outcome = await this.#attempt(generation, reindex.state);
        reindex = nextState(reindex, outcome, this.#deps.rules);
        await this.#record(generation, reindex);
      }
    } catch (error) {
      // Not even the account could be written: the next run finds the state that was written last.
      reindex = { ...reindex, interrupted: true, error: reindex.error ?? explainError(error).text };
    }
    if (reindex.state === 'live') await this.#retire();
    else if (reindex.interrupted) {
      const counts = reindex.state === 'loading' ? (this.#sent ?? reindex.counts) : reindex.counts;
      reindex = { ...reindex, counts, error: this.#howToGoOn(reindex) };
    } else await this.#discard(generation);
    return reindex;
  }

  #howToGoOn({ error, state, refused }: ReindexStatus): string {
    if (refused) {
      return `${error}\nSo it was stopped while ${state}. See them with: entity-search dead-letters ${this.#kind} --documents. Correct the rows, or allow more, and go on with: entity-search reindex --resume ${this.#kind}. Where mapping or SQL are wrong, correct them and begin anew.`;
    }
    return `${error}\nIt was interrupted while ${state}. Go on with: entity-search reindex --resume ${this.#kind}`;
  }

  async #plan(): Promise<Generation> {
    const { pool, indexPrefix } = this.#deps;
    const hash = generationHash(this.#kind);
    // Indices can outlive a database that was made anew; their names are taken.
    const onCluster = await highestGenerationNumber(this.#cluster, this.#alias);
    const number = Math.max(await nextNumber(pool, this.#kind), onCluster + 1);
    return planGeneration(pool, {
      kind: this.#kind,
      number,
      indexName: generationName(indexPrefix, this.#kind, hash, number),
      hash,
      definition: indexDefinition(this.#kind),
      documentSql: selectBodies(kinds[this.#kind].sql, 'document', ''),
    });
  }

  async #attempt(generation: Generation, step: StepName): Promise<Outcome> {
    try {
      this.#signal.throwIfAborted();
      const facts = { kind: this.#kind, state: step };
      return await inSpan(`reindex ${step}`, facts, (span) => this.#act(generation, step, span));
    } catch (error) {
      if (error instanceof TooManyDeadLettersError) return { type: 'stopped', error: explainError(error).text };
      const hopeless =
        error instanceof IndexGoneError ||
        error instanceof HaltedError ||
        (error instanceof ClusterRequestError && error.permanent);
      return { type: hopeless ? 'failed' : 'interrupted', error: explainError(error).text };
    }
  }

  async #act(generation: Generation, step: StepName, span: WorkSpan): Promise<Outcome> {
    const { config, observer } = this.#deps;
    const { indexName } = generation;
    const cluster = this.#cluster;
    switch (step) {
      case 'planned':
        await createIndex(cluster, indexName, indexRequest(this.#kind), await currentOrigin(this.#deps.pool));
        for (const text of await removeForeignSettings(cluster, this.#alias, indexName)) {
          observer.onNote(this.#kind, text);
        }
        return { type: 'created' };
      case 'created':
        await waitWritable(cluster, indexName);
        return { type: 'writable' };
      case 'loading': {
        const onProgress = (progress: LoadProgress): void => {
          this.#sent = progress;
          observer.onProgress(this.#kind, progress);
        };
        const counts = await loadGeneration(this.#deps, generation, {
          from: this.#resumePoint,
          signal: this.#signal,
          onProgress,
        });
        span.tell({ rows: counts.rows, dead_letters: counts.deadLetters });
        return { type: 'loaded', counts };
      }
      case 'catching-up':
        await catchUp(this.#deps, generation, this.#signal, (round) => observer.onRound(this.#kind, round));
        return { type: 'caught-up' };
      case 'verifying': {
        const compared = await followWhile(this.#deps, generation, this.#signal, async (stop) => {
          // Before there are copies: they are made of what is merged.
          const left = await mergeSegments(cluster, indexName, stop);
          if (left !== null) observer.onNote(this.#kind, `${indexName} serves with its segments as they are: ${left}`);
          await restoreSettings(cluster, indexName, config.replicas);
          const comparison = await compareWithTables(this.#deps, generation, stop);
          const { replicas } = config;
          const few = await waitForCopies(cluster, indexName, { replicas, nowMs: this.#deps.nowMs, signal: stop });
          if (few !== null) observer.onNote(this.#kind, few);
          return comparison;
        });
        span.tell({ documents: compared.documents, dead_letters: compared.deadLetters });
        return { type: 'compared', ...compared };
      }
      case 'ready':
        await swapAlias(cluster, this.#alias, indexName);
        return { type: 'swapped' };
      default:
        return step satisfies never;
    }
  }

  async #record(generation: Generation, reindex: ReindexStatus): Promise<void> {
    if (reindex.state !== 'live') return recordState(this.#deps.pool, generation, reindex);
    await recordLive(this.#deps.pool, this.#kind, await readAlias(this.#cluster, this.#alias));
  }

  async #retire(): Promise<void> {
    await this.#tidy(async () => {
      await removeRetired(this.#deps, this.#kind, this.#deps.config.retire);
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
      this.#deps.observer.onNote(this.#kind, `${problem}; the next reindex does that. ${explainError(error).text}`);
    }
  }
}
