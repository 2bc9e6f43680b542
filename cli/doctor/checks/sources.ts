import type pg from 'pg';
import { isShowingDue, listShownTables } from '../../../src/schema/sources/shown-tables.ts';
import { listUnnoted, type UnnotedTable } from '../../../src/schema/sources/triggers.ts';
import { hasTable } from '../../../src/schema/tables.ts';
import type { Check } from '../check.ts';
import { fail, ok, skipped, type Verdict, warn } from '../finding.ts';

/** Checks that every change of tables behind views is noted. */
export function sourcesCheck(pool: pg.Pool): Check {
  return {
    name: 'shown tables',
    notAllowed: 'This role has no right to read it. Run doctor as the role that migrates.',
    run: () => checkSources(pool),
  };
}

async function checkSources(pool: pg.Pool): Promise<Verdict | readonly Verdict[]> {
  if (!(await hasTable(pool, 'search_sources'))) return skipped('The schema does not match this version.');
  const due = (await isShowingDue(pool))
    ? [warn('A view of the schema search_source has changed since the last migration.', 'Run: entity-search migrate')]
    : [];
  const shown = await listShownTables(pool);
  if (shown.length === 0) return due.length > 0 ? due : ok('No view replaces a table.');
  const client = await pool.connect();
  try {
    const findings = [...due, ...(await listUnnoted(client)).map(judge)];
    if (findings.length > 0) return findings;
  } finally {
    client.release();
  }
  return ok(`Views replace ${shown.join(', ')}, and every change of the tables that they read is noted.`);
}

function judge({ table, why }: UnnotedTable): Verdict {
  switch (why) {
    case 'triggers':
      return fail(
        `The triggers that note changes of ${table} are missing, disabled, or for earlier forms of the views: documents miss changes.`,
        'Run: entity-search triggers | psql "$DATABASE_URL" -v ON_ERROR_STOP=1; then: entity-search repair',
      );
    case 'subscribed':
      return warn(
        `${table} is filled by logical replication, whose worker fires no trigger of a statement: documents miss what it writes.`,
        'Point entity-search at the database that the tables are written in, or run entity-search repair at intervals.',
      );
    case 'materialized':
      return fail(
        `${table} is a materialized view, whose refresh is not noted: documents miss it.`,
        `Read its tables instead, or call select entity_search_note('companies') after each refresh, with the kind.`,
      );
    case 'foreign':
      return fail(
        `${table} is a foreign table: what is written at its server is not noted, and documents miss it.`,
        'Point entity-search at the database that the table is in.',
      );
    default:
      return why satisfies never;
  }
}
