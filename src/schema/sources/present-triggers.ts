import type pg from 'pg';
import type { KindName } from '../../kinds/kind.ts';
import { quoteTable, type TableReference } from './identifiers.ts';
import { sourceSchema } from './note-function.ts';
import { dropSql, type PresentTrigger } from './trigger-sql.ts';

interface FoundTrigger extends PresentTrigger {
  readonly mine: boolean;
}

const triggersSql = `
  select n.nspname::text as schema, c.relname::text as "table", t.tgname::text as trigger,
    format('%I.%I()', fn.nspname, p.proname) as function, t.tgname like $2 as mine
  from pg_trigger t
  join pg_class c on c.oid = t.tgrelid
  join pg_namespace n on n.oid = c.relnamespace
  join pg_proc p on p.oid = t.tgfoid
  join pg_namespace fn on fn.oid = p.pronamespace
  where fn.nspname = $1 and not t.tgisinternal
  order by 1, 2, 3`;

/**
 * Returns the script that takes back the triggers of a kind that are there: of all tables, or of some and their
 * partitions. Null where there are none.
 */
export async function planDrop(
  client: pg.ClientBase,
  kind: KindName,
  references: readonly TableReference[],
): Promise<string | null> {
  const { rows } = await client.query<FoundTrigger>(triggersSql, [sourceSchema, `entity\\_search\\_${kind}\\_%`]);
  const among = references.length === 0 ? null : await withDescendants(client, references);
  const dropped = rows.filter((one) => one.mine && (among === null || among.has(quoteTable(one))));
  if (dropped.length === 0) return null;
  const kept = new Set(rows.filter((one) => !dropped.includes(one)).map((one) => one.function));
  return dropSql(kind, dropped, kept);
}

async function withDescendants(
  client: pg.ClientBase,
  references: readonly TableReference[],
): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ schema: string; table: string }>(
    `with recursive below as (
       select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join unnest($1::text[], $2::text[]) as named (schema, "table") on named.schema = n.nspname and named."table" = c.relname
       union
       select i.inhrelid from pg_inherits i join below on below.oid = i.inhparent
     )
     select n.nspname::text as schema, c.relname::text as "table"
     from below join pg_class c on c.oid = below.oid join pg_namespace n on n.oid = c.relnamespace`,
    [references.map(({ schema }) => schema), references.map(({ table }) => table)],
  );
  return new Set(rows.map(quoteTable));
}
