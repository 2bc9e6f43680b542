import { RefusedError } from '../errors.ts';

// When so much is rejected that it can't be the documents, going on only makes more letters.

/** Beyond which sending stops. */
export interface DeadLetterLimits {
  /** More letters than this of one generation. */
  readonly total: number;
  /** The number of rejections in a row. */
  readonly inARow: number;
  /** More than this share, in percent, of the last hundred documents. */
  readonly sharePercent: number;
}

/** Sending stopped because of what was rejected. */
export class TooManyDeadLettersError extends RefusedError {
  constructor(why: string, lastReason: string) {
    super(`${why} The last reason: ${lastReason}`);
  }
}

const window = 100;

/** The result for a document: accepted, or a dead letter. */
export interface SettledDocument {
  readonly id: number;
  readonly rejected: boolean;
}

/**
 * Counts rejections in the order in which Elasticsearch answers. One document counts once, however often it is tried: a
 * row that is written every second and rejected each time is no reason to stop the others.
 */
export class DeadLetterMonitor {
  readonly #limits: DeadLetterLimits;
  /** The last hundred; the oldest is overwritten. */
  readonly #last: SettledDocument[] = [];
  #at = 0;
  /** Ids that were rejected since one was taken. */
  readonly #inARow = new Set<number>();

  constructor(limits: DeadLetterLimits) {
    this.#limits = limits;
  }

  /**
   * Notes an answer's documents. Answers why to stop, or undefined. Only a rejection is a reason, so that what is taken
   * again is never held back by what was before.
   */
  see(settled: readonly SettledDocument[]): string | undefined {
    const { inARow, sharePercent } = this.#limits;
    let why: string | undefined;
    for (const one of settled) {
      this.#note(one);
      if (why !== undefined || !one.rejected) continue;
      if (this.#inARow.size >= inARow) {
        why = `Not taken: ${inARow} documents in a row.`;
      } else if (this.#last.length === window && this.#rejectedOfLast() > sharePercent) {
        why = `Not taken: more than ${sharePercent} % of the last ${window} documents.`;
      }
    }
    return why;
  }

  /** Returns why one generation has too many letters, or undefined. */
  tooMany(total: number): string | undefined {
    const { total: most } = this.#limits;
    return total > most ? `Not taken: more than ${most} documents.` : undefined;
  }

  #note(one: SettledDocument): void {
    if (one.rejected) {
      // Beyond the limit the number is meaningless.
      if (this.#inARow.size < this.#limits.inARow) this.#inARow.add(one.id);
    } else {
      this.#inARow.clear();
    }
    this.#last[this.#at] = one;
    this.#at = (this.#at + 1) % window;
  }

  #rejectedOfLast(): number {
    return new Set(this.#last.flatMap(({ id, rejected }) => (rejected ? [id] : []))).size;
  }
}
