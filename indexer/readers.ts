import type pg from 'pg';
import { TargetGoneError } from './bulk-judge.ts';
import { readChanges } from './changes.ts';
import { type DeadLetterLimits, DeadLetterWatch } from './dead-letter-limits.ts';
import { wantedBy } from './dependants.ts';
import { HaltedError, haltAll, haltStrangers } from './epoch.ts';
import type { Generation } from './generations.ts';
import { advancePosition, goBack, type ReaderState, readReaderState } from './positions.ts';
import { findLeftDocuments, readDocuments } from './readers-documents.ts';
import { type SendDeps, sendChunks } from './readers-send.ts';
import { targetIdentity } from './readers-target.ts';
import { type RowChunk, streamRows } from './rows.ts';

// One generation's reader of the change log. docs/indexing.md has the argument for why nothing is lost.

export interface ReaderDeps extends SendDeps {
  readonly limits: ReaderLimits;
}

export interface ReaderLimits {
  /** Entries read at a time. */
  readonly chunkSize: number;
  /** The longest life of a request, from the drawing of its version until the last moment it may be carried out. */
  readonly keepMs: number;
  /** How often the index is asked which copies take its writes. */
  readonly identityEveryMs: number;
  readonly requestTimeoutMs: number;
  /** Where everything is read again: a snapshot is left after so much. */
  readonly snapshotRows: number;
  readonly snapshotMs: number;
  readonly readBytes: number;
  /** Where so much is rejected, nothing more is applied until it is taken. */
  readonly deadLetters: DeadLetterLimits;
}

/** What one round did. */
export interface Round {
  /** Entries that were applied. */
  readonly changes: number;
  readonly documents: number;
  readonly deadLetters: number;
  /** The snapshot that the index has caught up with, as text. */
  readonly position: string;
  /** It went back, because the index's copies may have forgotten deletions. */
  readonly wentBack: boolean;
}

/** The generation was removed, or never had a position: there is nothing to follow any more. */
export class GenerationEndedError extends Error {
  constructor(id: number) {
    super(`Generation ${id} has ended.`);
    this.name = 'GenerationEndedError';
  }
}

/** Elasticsearch can't take writes for this index now. */
class TargetUnknownError extends Error {
  constructor(indexName: string, why: string) {
    super(`Elasticsearch can't write to ${indexName} now: ${why}.`);
    this.name = 'TargetUnknownError';
  }
}

/** Ids remembered as applied within one round, so that a row that changes often is read once. */
const maxRemembered = 200_000;

/**
 * Brings one generation's index up to the present, round by round. Whoever calls `round` holds the generation's reader
 * lock; without it two readers do the same work twice, and only the first to finish moves the position.
 */
export class GenerationReader {
  readonly #deps: ReaderDeps;
  readonly #generationId: number;
  readonly #watch: DeadLetterWatch;
  #identityAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: ReaderDeps, generationId: number) {
    this.#deps = deps;
    this.#watch = new DeadLetterWatch(deps.limits.deadLetters);
    this.#generationId = generationId;
  }

  /**
   * Applies everything that is committed when it is called. The position moves after all of it is acknowledged, so
   * that a round that fails or is killed is simply done again. Throws `HaltedError`, `GenerationEndedError`,
   * `TooManyDeadLettersError`, or why an engine did not answer; may be called again after that.
   */
  async round(signal: AbortSignal): Promise<Round> {
    try {
      return await this.#round(signal);
    } catch (error) {
      // Whatever broke may have been a restart.
      this.#identityAtMs = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }

  async #round(signal: AbortSignal): Promise<Round> {
    const state = await this.#begin();
    if (await this.#wentBack(state)) {
      return { changes: 0, documents: 0, deadLetters: 0, position: state.position, wentBack: true };
    }
    const generation: Generation = state;
    const work = new RoundWork(this.#deps, state, signal);
    const sent = await sendChunks(this.#deps, generation, work.chunks(), this.#watch, signal);
    if (sent.newest > 0) await this.#checkVersion(state, sent.newest);
    const { changes, truncated, swept } = work;
    if (changes > 0 || swept || state.resting) {
      const { keepMs } = this.#deps.limits;
      await advancePosition(this.#deps.pool, state, {
        to: state.present,
        changes,
        keepMs,
        sweepAgain: truncated,
        swept,
      });
    }
    return { changes, ...sent, position: state.present, wentBack: false };
  }

  async #begin(): Promise<ReaderState> {
    const state = await this.#read();
    const stranger = state.sourceIdentity !== null && state.sourceIdentity !== state.presentIdentity;
    if (!stranger && !state.ahead) return state;
    await haltStrangers(this.#deps.pool);
    return this.#read();
  }

  async #read(): Promise<ReaderState> {
    const state = await readReaderState(this.#deps.pool, this.#generationId);
    if (state === undefined || !state.open) throw new GenerationEndedError(this.#generationId);
    if (state.halted !== null) throw new HaltedError(state.indexName, state.halted);
    return state;
  }

  /** Looks from time to time, and after every failure, whether the index's copies are those that acknowledged. */
  async #wentBack(state: ReaderState): Promise<boolean> {
    const { client, limits, nowMs, pool } = this.#deps;
    const atMs = nowMs();
    if (atMs - this.#identityAtMs < limits.identityEveryMs) return false;
    const target = await targetIdentity(client, state.indexName, limits.requestTimeoutMs);
    if (target.kind === 'gone') throw new TargetGoneError(`there is no index ${state.indexName}.`);
    if (target.kind === 'unknown') throw new TargetUnknownError(state.indexName, target.why);
    const changed = state.targetIdentity !== target.identity;
    if (changed) await goBack(pool, state, target.identity);
    this.#identityAtMs = atMs;
    // A generation's first reader has nothing to go back for.
    return changed && state.targetIdentity !== null;
  }

  async #checkVersion(state: ReaderState, newest: number): Promise<void> {
    const { rows } = await this.#deps.pool.query<{ last: number }>('select last_value as last from search_versions');
    if ((rows[0]?.last ?? newest) >= newest) return;
    await haltAll(this.#deps.pool, state.indexName, newest);
    await this.#read();
  }
}

/** The chunks of one round, and what was met while they were made. */
class RoundWork {
  readonly #deps: ReaderDeps;
  readonly #state: ReaderState;
  readonly #signal: AbortSignal;
  readonly #applied = new Set<number>();
  changes = 0;
  truncated = false;
  swept = false;

  constructor(deps: ReaderDeps, state: ReaderState, signal: AbortSignal) {
    this.#deps = deps;
    this.#state = state;
    this.#signal = signal;
  }

  async *chunks(): AsyncGenerator<RowChunk, void, undefined> {
    const { pool, limits } = this.#deps;
    const state = this.#state;
    let everything = false;
    const options = { reader: state.kind, from: state.position, to: state.present, chunkSize: limits.chunkSize };
    for await (const entries of readChanges(pool, options)) {
      this.changes += entries.length;
      const wanted = wantedBy(state.kind, entries);
      this.truncated ||= wanted.sweep;
      everything ||= wanted.everything;
      yield* this.#documents(wanted.ids);
      for (const { sql, ids } of wanted.expansions) yield* this.#documents(await dependantsOf(pool, sql, ids));
    }
    if (everything) yield* this.#everything();
    if (this.truncated || state.sweepDue) {
      yield* findLeftDocuments({ ...this.#deps, timeoutMs: limits.requestTimeoutMs }, state);
      this.swept = true;
    }
  }

  /** A document that was read in this round is as young as any entry of it asks for. */
  async *#documents(ids: readonly number[]): AsyncGenerator<RowChunk, void, undefined> {
    const fresh = ids.filter((id) => !this.#applied.has(id));
    if (this.#applied.size + fresh.length > maxRemembered) this.#applied.clear();
    for (const id of fresh) this.#applied.add(id);
    for await (const chunk of readDocuments(this.#deps.pool, this.#state, fresh)) {
      this.#signal.throwIfAborted();
      yield chunk;
    }
  }

  async *#everything(): AsyncGenerator<RowChunk, void, undefined> {
    const { limits, pool, nowMs } = this.#deps;
    const { documentSql } = this.#state;
    const { snapshotRows, snapshotMs, readBytes } = limits;
    const options = { documentSql, afterId: 0, snapshotRows, snapshotMs, readBytes, nowMs, signal: this.#signal };
    yield* streamRows(pool, options);
  }
}

async function dependantsOf(pool: pg.Pool, sql: string, ids: readonly number[]): Promise<readonly number[]> {
  const { rows } = await pool.query<[number]>({ text: sql, values: [ids], rowMode: 'array' });
  return rows.map(([id]) => id);
}
