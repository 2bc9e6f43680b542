import type pg from 'pg';
import type { BulkTarget, DeadLetter } from './bulk.ts';
import { type DeadLetterWatch, TooManyDeadLettersError } from './dead-letter-limits.ts';
import { type Generation, keepDeadLetters } from './generations.ts';

/**
 * Takes what Elasticsearch rejected of one generation: keeps it, then throws `TooManyDeadLettersError` where a
 * threshold is passed. `onKept` is told the letters, and how many the generation has by then.
 */
export function deadLetterDesk(
  pool: pg.Pool,
  generation: Generation,
  watch: DeadLetterWatch,
  onKept: (letters: readonly DeadLetter[], total: number) => void,
): Pick<BulkTarget, 'onDead' | 'onSettled'> {
  let total = 0;
  let lastReason = '';
  return {
    onDead: async (letters) => {
      await keepDeadLetters(pool, generation, letters);
      total = await countDeadLetters(pool, generation);
      lastReason = letters.at(-1)?.reason ?? lastReason;
      onKept(letters, total);
    },
    onSettled: (rejected) => {
      const seen = watch.see(rejected);
      return () => {
        const why = seen ?? (rejected.includes(true) ? watch.tooMany(total) : undefined);
        if (why !== undefined) throw new TooManyDeadLettersError(why, lastReason);
      };
    },
  };
}

async function countDeadLetters(pool: pg.Pool, generation: Generation): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'select count(*) as count from search_dead_letters where generation_id = $1',
    [generation.id],
  );
  return rows[0]?.count ?? 0;
}
