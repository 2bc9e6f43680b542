import type pg from 'pg';
import type { BulkTarget } from '../write/bulk.ts';
import { countDeadLetters, storeDeadLetters } from './dead-letters.ts';
import { type DeadLetterMonitor, TooManyDeadLettersError } from './monitor.ts';

/**
 * Stores the letters of one generation, and throws `TooManyDeadLettersError` where a threshold is passed. `onStored` is
 * told how many letters there are, and how many the generation has by then. Without a watch there is no threshold: for
 * documents that somebody asked for one by one.
 */
export function deadLetterHandler(
  pool: pg.Pool,
  generation: { readonly id: number },
  watch: DeadLetterMonitor | undefined,
  onStored: (letters: number, total: number) => void,
): BulkTarget['onSettled'] {
  return async (settled, letters) => {
    // Before anything is waited for: the next answer may come meanwhile.
    const seen = watch?.see(settled);
    const last = letters.at(-1);
    if (last === undefined) return;
    await storeDeadLetters(pool, generation, letters);
    const total = await countDeadLetters(pool, generation);
    onStored(letters.length, total);
    const why = seen ?? watch?.tooMany(total);
    if (why !== undefined) throw new TooManyDeadLettersError(why, last.reason);
  };
}
