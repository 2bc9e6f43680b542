import type pg from 'pg';
import type { DeadLetter } from '../write/bulk.ts';
import { countDeadLetters, storeDeadLetters } from './dead-letters.ts';
import { type DeadLetterMonitor, type SettledDocument, TooManyDeadLettersError } from './monitor.ts';

/** What becomes of documents that can't be indexed. */
export interface DeadLetterHandler {
  readonly onDeadLetters: (letters: readonly DeadLetter[]) => Promise<void>;
  /**
   * To be told of each answer's documents, in the order of answers. What it gives back is to be called when the letters
   * are stored; it throws `TooManyDeadLettersError` where a threshold is passed.
   */
  readonly onSettled: (settled: readonly SettledDocument[]) => () => void;
}

/**
 * Stores the letters of one generation. `onStored` is told each batch of them, and how many the generation has by then.
 * Without a watch there is no threshold: for documents that somebody asked for one by one.
 */
export function deadLetterHandler(
  pool: pg.Pool,
  generation: { readonly id: number },
  watch: DeadLetterMonitor | undefined,
  onStored: (letters: readonly DeadLetter[], total: number) => void,
): DeadLetterHandler {
  let total = 0;
  let lastReason = '';
  return {
    onDeadLetters: async (letters) => {
      await storeDeadLetters(pool, generation, letters);
      total = await countDeadLetters(pool, generation);
      lastReason = letters.at(-1)?.reason ?? lastReason;
      onStored(letters, total);
    },
    onSettled: (settled) => {
      const seen = watch?.see(settled);
      return () => {
        const some = settled.some(({ rejected }) => rejected);
        const why = seen ?? (some ? watch?.tooMany(total) : undefined);
        if (why !== undefined) throw new TooManyDeadLettersError(why, lastReason);
      };
    },
  };
}
