import { RefusedError } from '../errors.ts';

/** Limits beyond which sending stops: this many rejections are not the fault of the documents. */
export interface DeadLetterLimits {
  /** Letters of one generation. */
  readonly total: number;
  readonly inARow: number;
  /** Percentage of the last hundred documents. */
  readonly sharePercent: number;
}

export class TooManyDeadLettersError extends RefusedError {
  constructor(why: string, lastReason: string) {
    super(`${why} The last reason: ${lastReason}`);
  }
}

const window = 100;

export interface SettledDocument {
  readonly id: number;
  readonly rejected: boolean;
}

/**
 * Counts rejections in the order of Elasticsearch's answers. A document counts once, however often it is tried: a row
 * that is written every second and rejected each time must not stop the others.
 */
export class DeadLetterMonitor {
  readonly #limits: DeadLetterLimits;
  /** The last hundred; the oldest is overwritten. */
  readonly #last: SettledDocument[] = [];
  #at = 0;
  /** Ids rejected since the last acceptance. */
  readonly #inARow = new Set<number>();

  constructor(limits: DeadLetterLimits) {
    this.#limits = limits;
  }

  /**
   * Records an answer's documents. Returns why to stop, or undefined. Only a rejection is a reason, so earlier
   * rejections never hold back documents that are accepted again.
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
