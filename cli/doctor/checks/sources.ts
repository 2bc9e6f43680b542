import type pg from 'pg';
import { isShowingDue, listShownTables } from '../../../src/schema/sources/shown-tables.ts';
import { listUnnoted, type UnnotedTable } from '../../../src/schema/sources/unnoted.ts';
import type { Check } from '../check.ts';
import { fail, ok, skipped, type Verdict, warn } from '../finding.ts';

/** Checks that every change of tables behind views is noted. */
export function sourcesCheck(pool: pg.Pool): Check {
  return {
    name: 'shown tables',
    notAllowed: 'This role may not see it; run doctor with the role that migrates.',
    run: () => checkSources(pool),
  };
}

async function checkSources(pool: pg.Pool): Promise<Verdict | readonly Verdict[]> {
  const { rows } = await pool.query<{ there: boolean }>(
    `select to_regprocedure('public.entity_search_note(text, bigint[], text)') is not null as there`,
  );
  if (rows[0]?.there !== true) return skipped('The tables are not those of this version.');
  const due = (await isShowingDue(pool))
    ? [warn('A view of the schema search_source is not shown as it is now.', 'Run: entity-search migrate')]
    : [];
  const shown = await listShownTables(pool);
  if (shown.length === 0) return due.length > 0 ? due : ok('No view replaces a table.');
  const findings = [...due, ...mergeKinds(await listUnnoted(pool)).map(judge)];
  if (findings.length > 0) return findings;
  return ok(`Views replace ${shown.join(', ')}, and every change of the tables that they read is noted.`);
}

interface Merged extends Omit<UnnotedTable, 'kind'> {
  readonly kinds: readonly string[];
}

/** Merges findings that differ only in their kinds. */
function mergeKinds(found: readonly UnnotedTable[]): readonly Merged[] {
  const merged = new Map<string, Merged>();
  for (const { kind, ...one } of found) {
    const key = JSON.stringify(one);
    merged.set(key, { ...one, kinds: [...(merged.get(key)?.kinds ?? []), kind] });
  }
  return [...merged.values()];
}

function judge({ table, kinds, why, what }: Merged): Verdict {
  const documents = `documents of ${new Intl.ListFormat('en-GB').format(kinds)}`;
  switch (why) {
    case 'no-triggers':
      return fail(
        `${table} has no trigger that notes ${what.join(', ')} for ${documents}: they miss such changes.`,
        `Add it to the tables of: entity-search triggers --kind ${kinds[0]} (docs/existing-database.md), run what it prints, then: entity-search repair ${kinds.join(' ')}`,
      );
    case 'replica':
      return warn(
        `Rows written to ${table} with session_replication_role = replica, as restores do, are not noted for ${documents}.`,
        `As the owner of ${table}: alter table ${table} enable always trigger, for each trigger entity_search_…`,
      );
    case 'ignored':
      return fail(
        `The triggers of ${table} ignore ${what.join(', ')}, which a view shows: ${documents} miss such changes.`,
        `Leave --ignore out of the command that prints them: entity-search triggers (docs/existing-database.md)`,
      );
    case 'subscribed':
      return warn(
        `${table} is filled by logical replication, whose worker fires no trigger of a statement: ${documents} miss what it writes.`,
        'Point entity-search at the database that the tables are written in.',
      );
    case 'materialized':
      return fail(
        `${table} is a materialized view, whose refresh is not noted: ${documents} miss it.`,
        `Read its tables instead, or call entity_search_note('${kinds[0]}', null, 'all') after each refresh.`,
      );
    case 'foreign':
      return fail(
        `${table} is a foreign table: what is written at its server is not noted, and ${documents} miss it.`,
        'Point entity-search at the database that the table is in.',
      );
    default:
      return why satisfies never;
  }
}
