import { type DeadLetterLimits, DeadLetterMonitor } from '../dead-letters/monitor.ts';
import type { TextObserver } from '../embeddings/changed-texts.ts';
import { resolveNotes } from '../resolver/resolver.ts';
import { sendDocuments } from '../write/send-documents.ts';
import type { WriteContext, WriteLimits } from '../write/write-context.ts';
import { haltForeignGenerations } from './halts.ts';
import { advancePosition, type ReaderState } from './positions.ts';
import { RestoreDetection, readFollowedState } from './restore-detection.ts';
import { RoundDocuments, type RoundLimits } from './round-documents.ts';

export type ReaderContext = WriteContext<WriteLimits & { readonly reader: ReaderLimits }> & TextObserver;

export interface ReaderLimits extends RoundLimits {
  /** The longest life of a request, from the drawing of its version until the last moment that it can take effect. */
  readonly keepMs: number;
  /** The interval at which the copies of the index that take writes are read. */
  readonly identityEveryMs: number;
  /** After more rejections than this, the reader waits until the rejected documents are accepted. */
  readonly deadLetters: DeadLetterLimits;
}

interface RoundCounts {
  readonly changes: number;
  readonly documents: number;
  readonly deadLetters: number;
}

export interface Round extends RoundCounts {
  /** The snapshot that the index has caught up with, as text. */
  readonly position: string;
  /** The position was moved back, because the index's copies may have forgotten deletions. */
  readonly rewound: boolean;
  /** A halt ended so long ago that no earlier request can still arrive: the generation must be compared again. */
  readonly compareDue: boolean;
}

/**
 * Brings one generation's index up to the present, round by round (docs/indexing.md). The caller holds the generation's
 * reader lock; without it two readers do the same work, and only the first to finish moves the position.
 */
export class GenerationReader {
  readonly #context: ReaderContext;
  readonly #generationId: number;
  readonly #watch: DeadLetterMonitor;
  readonly #restores: RestoreDetection;

  constructor(context: ReaderContext, generationId: number) {
    const { deadLetters, identityEveryMs } = context.config.reader;
    this.#context = context;
    this.#generationId = generationId;
    this.#watch = new DeadLetterMonitor(deadLetters);
    this.#restores = new RestoreDetection(context, identityEveryMs);
  }

  /**
   * Applies everything committed before the call. The position moves after everything before it is acknowledged. A long
   * round stores its progress, so a round that fails or is killed continues from there. Throws `HaltedError`,
   * `GenerationEndedError`, `TooManyDeadLettersError` or the error of an engine; may be called again after that.
   */
  async round(signal: AbortSignal): Promise<Round> {
    try {
      return await this.#round(signal);
    } catch (error) {
      this.#restores.reset();
      throw error;
    }
  }

  async #round(signal: AbortSignal): Promise<Round> {
    // The entries that notes lead to are part of this round.
    await resolveNotes(this.#context, signal);
    const state = await this.#begin();
    if (await this.#restores.begin(state)) return rewound(state, noChanges);
    const documents = new RoundDocuments(this.#context, state, signal);
    const round = await this.#apply(state, documents, signal);
    if (!documents.resumed || round.rewound) return round;
    // The interrupted round is complete now, and its end lies before this call.
    const more = await this.#round(signal);
    return { ...more, ...sumOf(round, more) };
  }

  async #apply(from: ReaderState, documents: RoundDocuments, signal: AbortSignal): Promise<Round> {
    let state = from;
    let done = noChanges;
    for (let ended = false; !ended; ) {
      const before = documents.changes;
      const beforeSending = () => this.#restores.advanceMarker(from);
      const options = { beforeSending, watch: this.#watch, signal };
      const sent = await sendDocuments(this.#context, state, documents.step(), options);
      if (sent.newest > 0) await this.#restores.throwIfVersionUnknown(state, sent.newest);
      const changes = documents.changes - before;
      const written = sent.written + sent.deleted + sent.superseded;
      done = sumOf(done, { changes, documents: written, deadLetters: sent.deadLetters });
      ended = documents.ended;
      // Checked before the position moves: replaced copies may have forgotten what they acknowledged.
      if (await this.#restores.rewindIfMoved(state)) return rewound(state, done);
      state = await this.#advance(state, documents, changes);
    }
    const { sinceHaltMs } = state;
    const compareDue = sinceHaltMs !== null && sinceHaltMs > this.#context.config.reader.keepMs;
    return { ...done, position: documents.to, rewound: false, compareDue };
  }

  /** Stores that a step of a long round, or all of it, is acknowledged. */
  async #advance(state: ReaderState, documents: RoundDocuments, changes: number): Promise<ReaderState> {
    // An empty lookup writes a row only once a minute, so that it does not scan the same entries forever.
    if (documents.isNegligible && !state.resting) return state;
    const { keepMs } = this.#context.config.reader;
    return advancePosition(this.#context.pool, state, { ...documents.outcome, changes, keepMs });
  }

  async #begin(): Promise<ReaderState> {
    const { pool } = this.#context;
    const state = await readFollowedState(pool, this.#generationId);
    const foreign = state.sourceIdentity !== null && state.sourceIdentity !== state.presentIdentity;
    if (!foreign && !state.ahead) return state;
    await haltForeignGenerations(pool);
    return readFollowedState(pool, this.#generationId);
  }
}

const noChanges: RoundCounts = { changes: 0, documents: 0, deadLetters: 0 };

function sumOf(one: RoundCounts, other: RoundCounts): RoundCounts {
  return {
    changes: one.changes + other.changes,
    documents: one.documents + other.documents,
    deadLetters: one.deadLetters + other.deadLetters,
  };
}

function rewound({ position }: ReaderState, counts: RoundCounts): Round {
  return { ...counts, position, rewound: true, compareDue: false };
}
