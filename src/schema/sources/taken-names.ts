import type pg from 'pg';
import { listRelations } from '../rights.ts';
import { entityTables, relationTables } from '../tables.ts';

/** The schema public has a foreign object under a name that we need. */
export class NamesTakenError extends Error {
  constructor(names: readonly string[]) {
    const [first = ''] = names;
    super(
      `The schema public has ${names.join(', ')}, which entity-search did not make and whose names it needs. Nothing was changed. Move what is yours to a schema of its own (alter table public.${first} set schema crm), or use another database; views then show it: docs/existing-database.md.`,
    );
    this.name = 'NamesTakenError';
  }
}

/**
 * Checks for foreign tables and views under our names, before anything is changed. After the first migration, only
 * views that `migrate` did not create are foreign. Throws `NamesTakenError`.
 */
export async function refuseTakenNames(client: pg.ClientBase): Promise<void> {
  const { rows: taken } = await client.query<{ name: string }>(
    `select name from unnest($1::text[]) with ordinality as n (name, at) join pg_class c on c.oid = to_regclass('public.' || name)
     where not exists (select from pg_attribute
                       where attrelid = to_regclass('public.schema_migrations') and attname = 'run_on')
       or (name = any($2::text[]) and c.relkind not in ('r', 'p')
           and coalesce(obj_description(c.oid, 'pg_class'), '') not like 'entity-search: %')
     order by at`,
    [listRelations(), [...entityTables, ...relationTables]],
  );
  if (taken.length > 0) throw new NamesTakenError(taken.map(({ name }) => name));
}
