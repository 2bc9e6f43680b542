import type pg from 'pg';
import { escapeLiteral } from 'pg';
import { readValue } from '../../postgres/statements.ts';
import type { Relative } from './catalog.ts';
import { type DerivedSource, deriveSources } from './derive.ts';

// The triggers on a team's own tables: all call one function, and differ only in its arguments.

/** The events, with the transition tables of each. */
const events = [
  ['insert', 'referencing new table as new_rows '],
  ['update', 'referencing old table as old_rows new table as new_rows '],
  ['delete', 'referencing old table as old_rows '],
  ['truncate', ''],
] as const;

interface TriggeredTable extends DerivedSource {
  readonly args: readonly string[];
}

function triggered(source: DerivedSource): TriggeredTable {
  const { table, derivations, reads } = source;
  const noted = [...new Set(derivations.flatMap(({ columns }) => columns))].sort();
  const isWhole = table.columns.every((name) => reads.includes(name));
  const args = [table.quoted, listOf(noted), listOf(isWhole ? [] : table.uniqueKey), listOf(isWhole ? [] : reads)];
  return { ...source, args };
}

/** Returns names as a Postgres array. */
function listOf(names: readonly string[]): string {
  return `{${names.map((name) => `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
}

/** A trigger of ours, as in Postgres' catalog. */
interface PresentTrigger {
  readonly oid: string;
  readonly table: string;
  readonly name: string;
  readonly isEnabled: boolean;
  readonly args: readonly string[];
}

async function readPresent(client: pg.ClientBase): Promise<readonly PresentTrigger[]> {
  const { rows } = await client.query<PresentTrigger>(
    `select g.tgrelid::text as oid, format('%I.%I', n.nspname, c.relname) as "table", g.tgname as name,
       g.tgenabled <> 'D' as "isEnabled",
       (select array_agg(convert_from(decode(arg, 'escape'), getdatabaseencoding()) order by at)
        from unnest(string_to_array(encode(g.tgargs, 'escape'), '\\000')) with ordinality as a (arg, at)
        where at <= g.tgnargs) as args
     from pg_trigger g join pg_class c on c.oid = g.tgrelid join pg_namespace n on n.oid = c.relnamespace
     where g.tgfoid = to_regprocedure('public.entity_search_note_rows()') and not g.tgisinternal
     order by 2, 3`,
  );
  return rows;
}

const triggerName = (event: string): string => `entity_search_${event}`;

/** The longest wait of a writer while a trigger is created. After that the script stops, and can be run again. */
const lockTimeout = '5s';

/** Returns the psql script that creates and updates the triggers. It may be run again. */
export async function triggerScript(client: pg.ClientBase): Promise<string> {
  const all = (await deriveSources(client)).map(triggered);
  const tables = all.filter(({ table }) => canTrigger(table));
  const role = await readValue<string>(client, 'select quote_ident(current_user)');
  const wanted = new Set(tables.map(({ table }) => table.oid));
  const surplus = (await readPresent(client)).filter(({ oid }) => !wanted.has(oid));
  return `${[
    `-- Notes what changes in the tables that the views of search_source read. Printed by entity-search triggers.
-- Run it with psql -v ON_ERROR_STOP=1, not with --single-transaction, as a role that may create triggers on these tables.
-- It may be run again.
set search_path = pg_catalog;`,
    ...tables.map((one) => tableScript(one, role)),
    ...(surplus.length > 0 ? [`-- No view reads these any more.\n${dropsOf(surplus)}`] : []),
    'reset search_path;',
  ].join('\n\n')}\n`;
}

const canTrigger = ({ kind }: Relative): boolean => kind === 'r' || kind === 'p';

function tableScript({ table, derivations, args }: TriggeredTable, role: string): string {
  const { quoted, schema, isOwned, maySelect, mayUse } = table;
  const given = args.map((arg) => escapeLiteral(arg)).join(', ');
  const why = derivations.map(({ columns, kind }) =>
    columns.length > 0 ? `${columns.join(', ')} leads to ${kind}` : `any change concerns all ${kind}`,
  );
  const create = events.map(
    ([event, rows]) =>
      `create or replace trigger ${triggerName(event)} after ${event} on ${quoted}
  ${rows}for each statement execute function public.entity_search_note_rows(${given});`,
  );
  // The triggers also fire in sessions with session_replication_role, such as restores. Only a table's owner may set
  // that.
  const always = events.map(([event]) => `alter table ${quoted} enable always trigger ${triggerName(event)};`);
  return [
    `-- ${commented(quoted)}: ${commented([...new Set(why)].join('; '))}`,
    'begin;',
    `set local lock_timeout = '${lockTimeout}';`,
    ...(mayUse ? [] : [`grant usage on schema ${schema} to ${role};`]),
    ...(maySelect ? [] : [`grant select on ${quoted} to ${role};`]),
    ...create,
    ...(isOwned ? always : []),
    'commit;',
  ].join('\n');
}

/** Returns names on one line, for a SQL comment. */
function commented(text: string): string {
  return text.replaceAll(/[\r\n]/g, ' ');
}

function dropsOf(triggers: readonly PresentTrigger[]): string {
  return ['begin;', `set local lock_timeout = '${lockTimeout}';`]
    .concat(triggers.map(({ table, name }) => `drop trigger if exists ${name} on ${table};`))
    .concat('commit;')
    .join('\n');
}

/** Returns the script that removes the triggers; null if there are none. */
export async function dropScript(client: pg.ClientBase): Promise<string | null> {
  const present = await readPresent(client);
  if (present.length === 0) return null;
  return `-- Removes the triggers of entity-search; run it as the owner of the tables. Their changes are not noted from then on.
${dropsOf(present)}
`;
}

/** A table whose changes may not be noted, and why: its triggers are missing, disabled or for earlier views, and so on. */
export interface UnnotedTable {
  readonly table: string;
  readonly why: 'triggers' | 'subscribed' | 'materialized' | 'foreign';
}

/** Compares the triggers with the tables and columns that the views read. */
export async function listUnnoted(client: pg.ClientBase): Promise<readonly UnnotedTable[]> {
  const present = await readPresent(client);
  const { rows } = await client.query<{ oid: string }>('select srrelid::text as oid from pg_subscription_rel');
  const subscribed = new Set(rows.map(({ oid }) => oid));
  return (await deriveSources(client)).map(triggered).flatMap(({ table, args }) => {
    const own = present.filter(({ oid, isEnabled }) => oid === table.oid && isEnabled);
    const reasons = unnotedReasons(table, own, args);
    if (subscribed.has(table.oid)) reasons.push('subscribed');
    return reasons.map((why) => ({ table: table.quoted, why }));
  });
}

function unnotedReasons(
  { kind }: Relative,
  present: readonly PresentTrigger[],
  args: readonly string[],
): UnnotedTable['why'][] {
  if (kind === 'm') return ['materialized'];
  if (kind === 'f') return ['foreign'];
  const argsOf = (event: string) => present.find(({ name }) => name === triggerName(event))?.args;
  return events.every(([event]) => JSON.stringify(argsOf(event)) === JSON.stringify(args)) ? [] : ['triggers'];
}
