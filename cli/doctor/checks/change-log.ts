import type pg from 'pg';
import {
  describeChangeLogSize,
  listStalledGenerations,
  readChangeLogSize,
} from '../../../indexer/change-log/log-size.ts';
import { findHolder } from '../../../indexer/generations/locks.ts';
import type { ChangeLogLimits } from '../../../src/config/indexer.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { hasTable } from '../../../src/schema/tables.ts';
import type { Check } from '../check.ts';
import { fail, ok, skipped, type Verdict, warn } from '../finding.ts';

/** The part of the allowed size from which doctor warns. */
const warnFrom = 0.5;

/** Checks that the change log is pruned, and names the index that prevents it. */
export function changeLogCheck(pool: pg.Pool, bounds: ChangeLogLimits): Check {
  return { name: 'change log', run: () => checkSize(pool, bounds) };
}

async function checkSize(pool: pg.Pool, bounds: ChangeLogLimits): Promise<Verdict> {
  if (!(await hasTable(pool, 'search_changes'))) return skipped('There are no tables yet.');
  if (!(await readValue<boolean>(pool, `select has_table_privilege('public.search_changes', 'select')`))) {
    return skipped('This role has no right to read it. Run doctor as entity_search_indexer.');
  }
  const size = await readChangeLogSize(pool, bounds);
  const found = describeChangeLogSize(size);
  if (size.fullness < warnFrom) return ok(found);
  const holding = (await listStalledGenerations(pool)).map(({ indexName }) => indexName);
  const why =
    holding.length === 0
      ? 'See entity-search status. Start entity-search sync if none runs, or end the long reindex or transaction.'
      : `${holding.join(', ')} holds it back: entity-search status shows why it is not followed.`;
  const beyond = 'An index that is not followed loses its position in the log and must be compared with the tables.';
  return size.fullness > 1 ? fail(`${found} ${beyond}`, why) : warn(found, why);
}

/** A reader catches up within seconds. An index further behind is reported; beyond a minute, it does not work. */
export const lag = { warnSeconds: 10, failSeconds: 60 };

/** Checks that every searched index is followed. */
export function syncCheck(pool: pg.Pool): Check {
  return {
    name: 'sync',
    async run() {
      const { rows } = await pool.query<{ index: string; pending: number; seconds: number }>(
        `select index_name as index, pending, seconds from search_lag where state = 'live' order by index_name`,
      );
      if (rows.length === 0) return skipped('Nothing is searched yet.');
      const alone = [];
      for (const row of rows) {
        if ((await findHolder(pool, { space: 'reader', name: row.index })) === undefined) alone.push(row);
      }
      if (alone.length === 0) return ok('Every live index is followed.');
      // A change of one kind may concern others: the same entry is pending for each.
      const pending = Math.max(...alone.map((row) => row.pending));
      const seconds = Math.round(Math.max(...alone.map((row) => row.seconds)));
      const waiting = pending === 0 ? '' : `; ${pending} changes are pending, the oldest for ${seconds} s`;
      const found = `No sync follows the tables for ${alone.map(({ index }) => index).join(', ')}${waiting}.`;
      const verdict = seconds > lag.failSeconds ? fail : warn;
      return verdict(found, 'Start: entity-search sync');
    },
  };
}
