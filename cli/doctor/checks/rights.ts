import type pg from 'pg';
import { databaseRights, grantedOn, presentRoles, roleName, type ServiceRole } from '../../../src/schema/rights.ts';
import { readServerVersion } from '../../../src/schema/server-version.ts';
import { listShownTables } from '../../../src/schema/sources/shown-tables.ts';
import { hasTable } from '../../../src/schema/tables.ts';
import { fail, ok, skipped, type Verdict, warn } from '../finding.ts';

/** Checks that each role of the service has the rights that it needs. */
export async function checkRights(pool: pg.Pool): Promise<Verdict | readonly Verdict[]> {
  if (!(await hasTable(pool, 'companies'))) return skipped('There are no tables yet.');
  const present = await presentRoles(pool);
  if (present.length === 0) {
    const todo = 'Create the roles, then migrate: docs/install.md, Database roles.';
    return warn("The service's roles do not exist: any process can do whatever its database role allows.", todo);
  }
  return Promise.all(present.map((one) => compareRights(pool, one)));
}

async function compareRights(pool: pg.Pool, one: ServiceRole): Promise<Verdict> {
  const name = roleName(one);
  const missing = await missingRights(pool, one);
  if (missing.length > 0) return fail(`${name} lacks rights: ${missing.join(', ')}.`, 'Run: entity-search migrate');
  return ok(`${name} has the rights that it needs.`);
}

async function missingRights(pool: pg.Pool, one: ServiceRole): Promise<readonly string[]> {
  const shown = await listShownTables(pool);
  const wanted = grantedOn(await readServerVersion(pool), one, shown).flatMap(([relation, list]) =>
    list.map(({ privilege, columns = null }) => ({ relation, privilege, columns })),
  );
  const { rows } = await pool.query<{ text: string }>(
    `select w.privilege || ' ' || w.relation as text
     from jsonb_to_recordset($2::jsonb) as w (relation text, privilege text, columns jsonb)
     where not case
       when to_regclass('public.' || w.relation) is null then false
       when w.columns <> 'null' then (
         select bool_and(has_column_privilege($1, 'public.' || w.relation, c, w.privilege))
         from jsonb_array_elements_text(w.columns) as c)
       when (select relkind from pg_class where oid = to_regclass('public.' || w.relation)) = 'S'
         then has_sequence_privilege($1, 'public.' || w.relation, w.privilege)
       else has_table_privilege($1, 'public.' || w.relation, w.privilege) end
     union all
     select p || ' to the database' from unnest($3::text[]) as p where not has_database_privilege($1, current_database(), p)`,
    [roleName(one), JSON.stringify(wanted), databaseRights[one]],
  );
  return rows.map((row) => row.text);
}
