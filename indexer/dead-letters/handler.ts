import type pg from 'pg';
import { type Generation, storeDeadLetters } from '../generations/generations.ts';
import type { DeadLetter } from '../write/bulk.ts';
import { type DeadLetterWatch, type Settled, TooManyDeadLettersError } from './limits.ts';

/** Where documents go that can't be indexed. */
export interface DeadLetterHandler {
  readonly onDeadLetters: (letters: readonly DeadLetter[]) => Promise<void>;
  /**
   * To be told of each answer's documents, in the order of answers. What it gives back is to be called when the letters
   * are kept; it throws `TooManyDeadLettersError` where a threshold is passed.
   */
  readonly onSettled: (settled: readonly Settled[]) => () => void;
}

/**
 * Keeps the letters of one generation. `onKept` is told each batch of them, and how many the generation has by then.
 * Without a watch there is no threshold: for documents that somebody asked for one by one.
 */
export function deadLetterHandler(
  pool: pg.Pool,
  generation: Pick<Generation, 'id'>,
  watch: DeadLetterWatch | undefined,
  onKept: (letters: readonly DeadLetter[], total: number) => void,
): DeadLetterHandler {
  let total = 0;
  let lastReason = '';
  return {
    onDeadLetters: async (letters) => {
      await storeDeadLetters(pool, generation, letters);
      total = await countDeadLetters(pool, generation);
      lastReason = letters.at(-1)?.reason ?? lastReason;
      onKept(letters, total);
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

async function countDeadLetters(pool: pg.Pool, generation: Pick<Generation, 'id'>): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'select count(*) as count from search_dead_letters where generation_id = $1',
    [generation.id],
  );
  return rows[0]?.count ?? 0;
}
