import type pg from 'pg';
import { findHolder } from '../../../indexer/generations/locks.ts';
import { type Check, fail, ok, skipped, warn } from '../finding.ts';

const name = 'sync';

/** An index that is so far behind does not follow; a reader catches up within seconds. */
export const lagMaxSeconds = 60;

/** Does anybody follow the tables, for every index that is searched? */
export function syncCheck(pool: pg.Pool): Check {
  return {
    name,
    async look() {
      const { rows } = await pool.query<{ index: string; pending: number; seconds: number }>(
        `select index_name as index, pending, seconds from search_lag where state = 'live' order by index_name`,
      );
      if (rows.length === 0) return [skipped(name, 'Nothing is searched yet.')];
      const alone = [];
      for (const row of rows) {
        if ((await findHolder(pool, { space: 'reader', name: row.index })) === undefined) alone.push(row);
      }
      if (alone.length === 0) return [ok(name, 'Every index that is searched is followed.')];
      // A change of one kind may concern others: the same entry waits for each.
      const pending = Math.max(...alone.map((row) => row.pending));
      const seconds = Math.round(Math.max(...alone.map((row) => row.seconds)));
      const waiting = pending === 0 ? '' : `; ${pending} changes wait, the oldest for ${seconds} s`;
      const found = `No sync follows the tables for ${alone.map(({ index }) => index).join(', ')}${waiting}.`;
      const tell = seconds > lagMaxSeconds ? fail : warn;
      return [tell(name, found, 'Start: entity-search sync')];
    },
  };
}
