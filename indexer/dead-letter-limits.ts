import { CommandError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';

// When so much is rejected that it can't be the documents, going on only makes more letters.

/** Beyond which sending stops. */
export interface DeadLetterLimits {
  /** More letters than this of one generation. */
  readonly total: number;
  /** So many rejections one after the other. */
  readonly inARow: number;
  /** More than this share, in percent, of the last hundred documents. */
  readonly sharePercent: number;
  /** The settings that set these three, for people. */
  readonly settings: readonly [total: string, inARow: string, sharePercent: string];
}

/** Sending stopped because of what was rejected. */
export class TooManyDeadLettersError extends CommandError {
  constructor(why: string, lastReason: string) {
    super(`${why} The last reason: ${lastReason}`, exitCodes.refused);
    this.name = 'TooManyDeadLettersError';
  }
}

const window = 100;

/** Follows what becomes of documents, in the order in which Elasticsearch answers. Pure but for its own memory. */
export class DeadLetterWatch {
  readonly #limits: DeadLetterLimits;
  /** Of the last hundred: whether each was rejected; the oldest is overwritten. */
  readonly #last: boolean[] = [];
  #at = 0;
  #rejectedOfLast = 0;
  #inARow = 0;

  constructor(limits: DeadLetterLimits) {
    this.#limits = limits;
  }

  /**
   * Notes an answer's documents, true for a rejected one. Answers why to stop, or undefined. Only a rejection is a reason,
   * so that what is taken again is never held back by what was before.
   */
  see(rejected: readonly boolean[]): string | undefined {
    const { inARow, sharePercent, settings } = this.#limits;
    let why: string | undefined;
    for (const one of rejected) {
      this.#note(one);
      if (why !== undefined || !one) continue;
      if (this.#inARow >= inARow) {
        why = `Elasticsearch rejected ${inARow} documents in a row (${settings[1]}).`;
      } else if (this.#last.length === window && this.#rejectedOfLast > sharePercent) {
        why = `Elasticsearch rejected more than ${sharePercent} % of the last ${window} documents (${settings[2]}).`;
      }
    }
    return why;
  }

  /** Why so many letters of one generation are too many, or undefined. */
  tooMany(total: number): string | undefined {
    const { total: most, settings } = this.#limits;
    return total > most ? `Elasticsearch rejected more than ${most} documents (${settings[0]}).` : undefined;
  }

  #note(rejected: boolean): void {
    this.#inARow = rejected ? this.#inARow + 1 : 0;
    this.#rejectedOfLast += Number(rejected) - Number(this.#last[this.#at] ?? false);
    this.#last[this.#at] = rejected;
    this.#at = (this.#at + 1) % window;
  }
}
