import { RefusedError } from '../errors.ts';
import type { Limits } from '../limits.ts';

export type DeadLetterLimits = Limits['deadLetters'];

export class TooManyDeadLettersError extends RefusedError {
  constructor(why: string, lastReason: string) {
    super(`${why} The last reason: ${lastReason}`);
  }
}

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
  /** Ids rejected since the last acceptance. */
  readonly #inARow = new Set<number>();

  constructor(limits: DeadLetterLimits) {
    this.#limits = limits;
  }

  /** Records an answer's documents. Returns why to stop, or undefined. */
  see(settled: readonly SettledDocument[]): string | undefined {
    const { inARow } = this.#limits;
    let why: string | undefined;
    for (const { id, rejected } of settled) {
      if (!rejected) this.#inARow.clear();
      // Beyond the limit the number is meaningless.
      else if (this.#inARow.size < inARow) this.#inARow.add(id);
      if (this.#inARow.size >= inARow) why = `Rejected: ${inARow} documents in a row.`;
    }
    return why;
  }

  /** Returns why one generation has too many letters, or undefined. */
  tooMany(total: number): string | undefined {
    const { total: most } = this.#limits;
    return total > most ? `Rejected: more than ${most} documents.` : undefined;
  }
}
