import type pg from 'pg';
import { TargetGoneError } from './bulk-judge.ts';
import { advanceMarker, readMarker } from './change-log/write-marker.ts';
import { type Change, readChanges } from './changes.ts';
import { type DeadLetterLimits, DeadLetterWatch } from './dead-letter-limits.ts';
import { wantedBy } from './dependants.ts';
import { HaltedError, haltAll, haltGenerations, haltStrangers, recordTarget } from './epoch.ts';
import { recordEnded } from './generations.ts';
import { advancePosition, goBack, leadsOn, type ReaderState, readReaderState, snapshotBefore } from './positions.ts';
import { findLeftDocuments, readDocuments } from './readers-documents.ts';
import { type SendDeps, sendChunks } from './readers-send.ts';
import { type TargetIdentity, targetHistory, targetIdentity } from './readers-target.ts';
import { type RowChunk, streamRows } from './rows.ts';
import { inSpan } from './spans.ts';

// One generation's reader of the change log. docs/indexing.md has the argument for why nothing is lost.

export interface ReaderDeps extends SendDeps {
  readonly limits: ReaderLimits;
}

export interface ReaderLimits {
  /** Entries read at a time. */
  readonly chunkSize: number;
  /** In a long round the position moves on about so often. */
  readonly stepMs: number;
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
  /** A halt ended so long ago that no request of before it can still arrive: the generation is to be compared again. */
  readonly compareDue: boolean;
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

const nothing = { changes: 0, documents: 0, deadLetters: 0 };

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
  /** The copies that the position was acknowledged by. */
  #identity: string | null = null;
  /** What Elasticsearch knows of our writing was compared with what Postgres does, since this began or failed. */
  #isMarkerChecked = false;

  constructor(deps: ReaderDeps, generationId: number) {
    this.#deps = deps;
    this.#watch = new DeadLetterWatch(deps.limits.deadLetters);
    this.#generationId = generationId;
  }

  /**
   * Applies everything that is committed when it is called. The position moves after all before it is acknowledged,
   * in steps where there is much, so that a round that fails or is killed is simply done again from there. Throws `HaltedError`, `GenerationEndedError`,
   * `TooManyDeadLettersError`, or why an engine did not answer; may be called again after that.
   */
  async round(signal: AbortSignal): Promise<Round> {
    try {
      return await this.#round(signal);
    } catch (error) {
      // Whatever broke may have been a restart.
      this.#identityAtMs = Number.NEGATIVE_INFINITY;
      this.#isMarkerChecked = false;
      throw error;
    }
  }

  async #round(signal: AbortSignal): Promise<Round> {
    const state = await this.#begin();
    this.#identity = state.targetIdentity;
    if (await this.#wentBack(state)) {
      return { ...nothing, position: state.position, wentBack: true, compareDue: false };
    }
    await this.#checkMarker(state);
    const work = new RoundWork(this.#deps, state, signal);
    // A trace of each look that finds nothing would bury the others.
    if (!(await work.hasAny())) return this.#apply(state, work, signal);
    await advanceMarker(this.#marking(), state);
    return inSpan('sync round', { kind: state.kind }, async (span) => {
      const round = await this.#apply(state, work, signal);
      span.tell({ changes: round.changes, documents: round.documents, dead_letters: round.deadLetters });
      return round;
    });
  }

  async #apply(from: ReaderState, work: RoundWork, signal: AbortSignal): Promise<Round> {
    let state = from;
    const to = state.present;
    let done: typeof nothing = nothing;
    for (let ended = false; !ended; ) {
      const before = work.changes;
      const sent = await sendChunks(this.#deps, state, work.step(), this.#watch, signal);
      if (sent.newest > 0) await this.#checkVersion(state, sent.newest);
      const changes = work.changes - before;
      done = {
        changes: done.changes + changes,
        documents: done.documents + sent.documents,
        deadLetters: done.deadLetters + sent.deadLetters,
      };
      ended = work.ended;
      // Before a position moves: what was acknowledged by copies that are gone may be forgotten.
      if (await this.#wentBack(state)) {
        return { ...done, position: state.position, wentBack: true, compareDue: false };
      }
      state = ended ? await this.#arrive(state, work, changes) : await this.#step(state, work.reached, changes);
    }
    const compareDue = state.sinceHaltMs !== null && state.sinceHaltMs > this.#deps.limits.keepMs;
    return { ...done, position: to, wentBack: false, compareDue };
  }

  /** Everything up to `present` is acknowledged. */
  async #arrive(state: ReaderState, { changes: all, truncated, swept }: RoundWork, changes: number) {
    if (all === 0 && !swept && !state.resting) return state;
    const { keepMs } = this.#deps.limits;
    const advance = { to: state.present, changes, keepMs, sweepAgain: truncated, swept };
    return advancePosition(this.#deps.pool, state, advance);
  }

  /** A part of a long round is acknowledged. */
  async #step(state: ReaderState, to: string, changes: number): Promise<ReaderState> {
    const { keepMs } = this.#deps.limits;
    return advancePosition(this.#deps.pool, state, { to, changes, keepMs, sweepAgain: false, swept: false });
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
    if (state.halted !== null) throw new HaltedError(state, state.halted);
    return state;
  }

  /** Looks from time to time, and after every failure, whether the index's copies are those that acknowledged. */
  async #wentBack(state: ReaderState): Promise<boolean> {
    const { client, limits, nowMs, pool } = this.#deps;
    const atMs = nowMs();
    if (atMs - this.#identityAtMs < limits.identityEveryMs) return false;
    const identity = await this.#known(state, await targetIdentity(client, state.indexName, limits.requestTimeoutMs));
    const before = this.#identity;
    const changed = before !== identity;
    if (changed || state.targetHistory === null) {
      const history = await this.#known(state, await targetHistory(client, state.indexName, limits.requestTimeoutMs));
      if (state.targetHistory !== null && state.targetHistory !== history)
        await this.#restored(state, identity, history);
      if (changed) await goBack(pool, state, { identity, history });
      else await recordTarget(pool, state.id, { identity, history });
    }
    this.#identity = identity;
    this.#identityAtMs = atMs;
    // A generation's first reader has nothing to go back for.
    return changed && before !== null;
  }

  async #known(state: ReaderState, target: TargetIdentity): Promise<string> {
    if (target.kind === 'gone') return this.#targetGone(state);
    if (target.kind === 'unknown') throw new TargetUnknownError(state.indexName, target.why);
    return target.identity;
  }

  /** Its documents are those of another time, and its position says nothing about them. */
  async #restored(state: ReaderState, identity: string, history: string): Promise<never> {
    const { pool } = this.#deps;
    const reason =
      'the index was restored from a snapshot, made anew under its name, or taken from a copy that was behind.';
    await haltGenerations(pool, { ids: [state.id], reason });
    await recordTarget(pool, state.id, { identity, history });
    throw new HaltedError(state, reason);
  }

  /** When a reader begins, and after every failure: whether Postgres knows of all that was written for it. */
  async #checkMarker(state: ReaderState): Promise<void> {
    if (this.#isMarkerChecked) return;
    const marker = await readMarker(this.#marking(), state);
    if (marker > state.writeMarker) {
      const reason = 'the database has gone back to an earlier state: it does not know of the last writes.';
      await haltGenerations(this.#deps.pool, { ids: [state.id], reason });
      throw new HaltedError(state, reason);
    }
    this.#isMarkerChecked = true;
  }

  #marking() {
    const { pool, client, limits } = this.#deps;
    return { pool, client, timeoutMs: limits.requestTimeoutMs };
  }

  /** Nobody misses the index of a generation that was retired: somebody removed it, or the cluster was lost. */
  async #targetGone({ indexName, kind, state }: ReaderState): Promise<never> {
    if (state === 'retired') {
      await recordEnded(this.#deps.pool, indexName);
      throw new GenerationEndedError(this.#generationId);
    }
    throw new TargetGoneError(`there is no index ${indexName}. Run: entity-search reindex ${kind}`);
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
  readonly #entries: AsyncGenerator<readonly Change[], void, undefined>;
  #first: IteratorResult<readonly Change[], void> | undefined;
  #everything = false;
  #ended = false;
  #reached: string;
  changes = 0;
  truncated = false;
  swept = false;

  constructor(deps: ReaderDeps, state: ReaderState, signal: AbortSignal) {
    this.#deps = deps;
    this.#state = state;
    this.#signal = signal;
    this.#reached = state.position;
    const { kind, position, present } = state;
    const { chunkSize } = deps.limits;
    this.#entries = readChanges(deps.pool, { reader: kind, from: position, to: present, chunkSize });
  }

  /** All that is to be applied was given out. */
  get ended(): boolean {
    return this.#ended;
  }

  /** While not ended: a position, all of which was given out. */
  get reached(): string {
    return this.#reached;
  }

  /** Whether there is anything to do. To be asked before the first step. */
  async hasAny(): Promise<boolean> {
    this.#first = await this.#entries.next();
    return !this.#first.done || this.#state.sweepDue;
  }

  /** The chunks until the position may be moved on, or the round's end. To be called again until `ended`. */
  async *step(): AsyncGenerator<RowChunk, void, undefined> {
    const { pool, limits, nowMs } = this.#deps;
    const state = this.#state;
    const untilMs = nowMs() + limits.stepMs;
    for (;;) {
      const next = this.#first ?? (await this.#entries.next());
      this.#first = undefined;
      if (next.done) break;
      const entries = next.value;
      this.changes += entries.length;
      const wanted = wantedBy(state.kind, entries);
      this.truncated ||= wanted.sweep;
      this.#everything ||= wanted.everything;
      yield* this.#documents(wanted.ids);
      for (const { sql, ids } of wanted.expansions) yield* this.#documents(await dependantsOf(pool, sql, ids));
      // The last transaction may have more entries. What concerns the whole kind is done at the end.
      const last = entries.at(-1)?.xid ?? '0';
      if (nowMs() < untilMs || this.truncated || this.#everything || !leadsOn(this.#reached, last)) continue;
      this.#reached = snapshotBefore(state.present, last);
      return;
    }
    if (this.#everything) yield* this.#allDocuments();
    if (this.truncated || state.sweepDue) {
      yield* findLeftDocuments({ ...this.#deps, timeoutMs: limits.requestTimeoutMs }, state);
      this.swept = true;
    }
    this.#ended = true;
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

  async *#allDocuments(): AsyncGenerator<RowChunk, void, undefined> {
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
