import type pg from 'pg';
import type { ChangeLogLimits } from '../../../indexer/change-log/config.ts';
import {
  describeChangeLogSize,
  listStalledGenerations,
  readChangeLogSize,
} from '../../../indexer/change-log/log-size.ts';
import { type Check, type Finding, fail, ok, skipped, warn } from '../finding.ts';

const name = 'change log';
/** From this part of what is allowed on, somebody ought to look. */
const warnFrom = 0.5;

/** Is the change log pruned, and if it is not, which index keeps it? */
export function changeLogCheck(pool: pg.Pool, bounds: ChangeLogLimits): Check {
  return { name, look: () => look(pool, bounds) };
}

async function look(pool: pg.Pool, bounds: ChangeLogLimits): Promise<readonly Finding[]> {
  const { rows } = await pool.query<{ there: boolean; readable: boolean }>(
    `select to_regclass('public.search_changes') is not null as there,
            coalesce(has_table_privilege(to_regclass('public.search_changes'), 'select'), false) as readable`,
  );
  if (rows[0]?.there !== true) return [skipped(name, 'There are no tables yet.')];
  if (!rows[0].readable) return [skipped(name, 'This role may not see it; run doctor with entity_search_indexer.')];
  const size = await readChangeLogSize(pool, bounds);
  const found = describeChangeLogSize(size);
  if (size.fullness < warnFrom) return [ok(name, found)];
  const holding = (await listStalledGenerations(pool)).map(({ indexName }) => indexName);
  const why =
    holding.length === 0
      ? 'See entity-search status: start entity-search sync where none runs, or end the reindex or the transaction that lasts.'
      : `${holding.join(', ')} keeps it: entity-search status says why that is not followed.`;
  const beyond = 'An index that is not followed loses its place in the log, and is compared with the tables later.';
  return size.fullness > 1 ? [fail(name, `${found} ${beyond}`, why)] : [warn(name, found, why)];
}
