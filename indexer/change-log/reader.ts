import { type DeadLetterLimits, DeadLetterWatch } from '../dead-letters/limits.ts';
import { recordEnded } from '../generations/generations.ts';
import { inSpan } from '../spans.ts';
import { IndexGoneError } from '../write/bulk-response.ts';
import { type SendDeps, sendDocuments } from '../write/send-documents.ts';
import {
  HaltedError,
  haltAllGenerations,
  haltBehindMarker,
  haltForeignGenerations,
  haltGenerations,
  recordIndexIdentity,
} from './halts.ts';
import { type IndexIdentity, readIndexHistory, readIndexIdentity } from './index-identity.ts';
import { advancePosition, type ReaderState, readReaderState, rewindPosition } from './positions.ts';
import { RoundWork, type RoundWorkLimits } from './round-documents.ts';
import { advanceMarker, isBehindMarker } from './write-marker.ts';

// One generation's reader of the change log. docs/indexing.md has the argument for why nothing is lost.

export interface ReaderDeps extends SendDeps {
  readonly limits: ReaderLimits;
}

export interface ReaderLimits extends RoundWorkLimits {
  /** The longest life of a request, from the drawing of its version until the last moment it may be carried out. */
  readonly keepMs: number;
  /** How often the index is asked which copies take its writes. */
  readonly identityEveryMs: number;
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
  readonly rewound: boolean;
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
class IndexUnavailableError extends Error {
  constructor(indexName: string, why: string) {
    super(`Elasticsearch can't write to ${indexName} now: ${why}.`);
    this.name = 'IndexUnavailableError';
  }
}

/** Entries of other kinds that a reader looks at again at each look, rather than note that it has. */
const scannedAgainAtMost = 500;

const nothing = { changes: 0, documents: 0, deadLetters: 0 };

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
    this.#identity = state.indexIdentity;
    if (await this.#rewound(state)) {
      return { ...nothing, position: state.position, rewound: true, compareDue: false };
    }
    await this.#checkMarker(state);
    const beforeWriting = () => this.#mark(state);
    const work = new RoundWork(this.#deps, state, { signal, beforeWriting });
    const round = await this.#watched(state, work, signal);
    if (!work.resumed || round.rewound) return round;
    // An earlier round is brought to its end, which lies before this call.
    const more = await this.#round(signal);
    return {
      ...more,
      changes: round.changes + more.changes,
      documents: round.documents + more.documents,
      deadLetters: round.deadLetters + more.deadLetters,
    };
  }

  async #watched(state: ReaderState, work: RoundWork, signal: AbortSignal): Promise<Round> {
    // A trace of each look that finds nothing would bury the others.
    if (!(await work.hasAny())) return this.#apply(state, work, signal);
    return inSpan('sync round', { kind: state.kind }, async (span) => {
      const round = await this.#apply(state, work, signal);
      span.tell({ changes: round.changes, documents: round.documents, dead_letters: round.deadLetters });
      return round;
    });
  }

  async #apply(from: ReaderState, work: RoundWork, signal: AbortSignal): Promise<Round> {
    let state = from;
    let done: typeof nothing = nothing;
    for (let ended = false; !ended; ) {
      const before = work.changes;
      const sent = await sendDocuments(this.#deps, state, work.step(), { watch: this.#watch, signal });
      if (sent.newest > 0) await this.#checkVersion(state, sent.newest);
      const changes = work.changes - before;
      done = {
        changes: done.changes + changes,
        documents: done.documents + sent.written + sent.deleted + sent.superseded,
        deadLetters: done.deadLetters + sent.deadLetters,
      };
      ended = work.ended;
      // Before a position moves: what was acknowledged by copies that are gone may be forgotten.
      if (await this.#rewound(state)) {
        return { ...done, position: state.position, rewound: true, compareDue: false };
      }
      state = ended ? await this.#arrive(state, work, changes) : await this.#step(state, work, changes);
    }
    const compareDue = state.sinceHaltMs !== null && state.sinceHaltMs > this.#deps.limits.keepMs;
    return { ...done, position: work.to, rewound: false, compareDue };
  }

  /** Everything up to the round's end is acknowledged. */
  async #arrive(state: ReaderState, work: RoundWork, changes: number): Promise<ReaderState> {
    const { changes: all, scanned, truncated, swept, resumed, to } = work;
    // Not a row written for each look that finds nothing; not the same entries of other kinds looked at for ever.
    const little = all === 0 && scanned < scannedAgainAtMost && !swept && !resumed;
    if (little && !state.resting) return state;
    const { keepMs } = this.#deps.limits;
    const advance = { to, progress: null, changes, keepMs, sweepAgain: truncated, swept };
    return advancePosition(this.#deps.pool, state, advance);
  }

  /** A part of a long round is acknowledged. */
  async #step(state: ReaderState, { reached }: RoundWork, changes: number): Promise<ReaderState> {
    const { keepMs } = this.#deps.limits;
    const { position: to, progress } = reached;
    return advancePosition(this.#deps.pool, state, { to, progress, changes, keepMs, sweepAgain: false, swept: false });
  }

  async #begin(): Promise<ReaderState> {
    const state = await this.#read();
    const stranger = state.sourceIdentity !== null && state.sourceIdentity !== state.presentIdentity;
    if (!stranger && !state.ahead) return state;
    await haltForeignGenerations(this.#deps.pool);
    return this.#read();
  }

  async #read(): Promise<ReaderState> {
    const state = await readReaderState(this.#deps.pool, this.#generationId);
    if (state === undefined || !state.open) throw new GenerationEndedError(this.#generationId);
    if (state.halted !== null) throw new HaltedError(state, state.halted);
    return state;
  }

  /** Looks from time to time, and after every failure, whether the index's copies are those that acknowledged. */
  async #rewound(state: ReaderState): Promise<boolean> {
    const { client, limits, nowMs, pool } = this.#deps;
    const atMs = nowMs();
    if (atMs - this.#identityAtMs < limits.identityEveryMs) return false;
    const identity = await this.#known(
      state,
      await readIndexIdentity(client, state.indexName, limits.requestTimeoutMs),
    );
    const before = this.#identity;
    const changed = before !== identity;
    if (changed || state.indexHistory === null) {
      const history = await this.#known(
        state,
        await readIndexHistory(client, state.indexName, limits.requestTimeoutMs),
      );
      if (state.indexHistory !== null && state.indexHistory !== history) await this.#restored(state, identity, history);
      if (changed) await rewindPosition(pool, state, { identity, history });
      else await recordIndexIdentity(pool, state.id, { identity, history });
    }
    this.#identity = identity;
    this.#identityAtMs = atMs;
    // A generation's first reader has nothing to go back for.
    return changed && before !== null;
  }

  async #known(state: ReaderState, target: IndexIdentity): Promise<string> {
    if (target.kind === 'gone') return this.#targetGone(state);
    if (target.kind === 'unknown') throw new IndexUnavailableError(state.indexName, target.why);
    return target.identity;
  }

  /** Its documents are those of another time, and its position says nothing about them. */
  async #restored(state: ReaderState, identity: string, history: string): Promise<never> {
    const { pool } = this.#deps;
    const reason =
      'the index was restored from a snapshot, made anew under its name, or taken from a copy that was behind.';
    await haltGenerations(pool, { ids: [state.id], reason });
    await recordIndexIdentity(pool, state.id, { identity, history });
    throw new HaltedError(state, reason);
  }

  /** When a reader begins, and after every failure: whether Postgres knows of all that was written for it. */
  async #checkMarker(state: ReaderState): Promise<void> {
    if (this.#isMarkerChecked) return;
    if (await isBehindMarker(this.#marking(), state)) await this.#behind(state);
    this.#isMarkerChecked = true;
  }

  /** Before anything is written. */
  async #mark(state: ReaderState): Promise<void> {
    if (await advanceMarker(this.#marking(), state)) await this.#behind(state);
  }

  async #behind(state: ReaderState): Promise<never> {
    throw new HaltedError(state, await haltBehindMarker(this.#deps.pool, state.id));
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
    throw new IndexGoneError(`there is no index ${indexName}. Run: entity-search reindex ${kind}`);
  }

  async #checkVersion(state: ReaderState, newest: number): Promise<void> {
    const { rows } = await this.#deps.pool.query<{ last: number }>('select last_value as last from search_versions');
    if ((rows[0]?.last ?? newest) >= newest) return;
    await haltAllGenerations(this.#deps.pool, state.indexName, newest);
    await this.#read();
  }
}
