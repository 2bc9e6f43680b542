import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { z } from 'zod';
import { kindNames } from '../kinds/kind.ts';
import { listShownTables } from './sources/shown-tables.ts';
import { loggedTables } from './tables.ts';

// The triggers that log changes of the tables of entities. A test compares triggers.json with the migrations.

const triggersSchema = z.record(z.string(), z.record(z.string(), z.string()));
/** The statement of each trigger, by table and name. */
export type Triggers = z.infer<typeof triggersSchema>;

const triggersFile = new URL('./triggers.json', import.meta.url);

/** Returns the triggers that this version's migrations create. */
export function expectedTriggers(): Triggers {
  return triggersSchema.parse(JSON.parse(readFileSync(triggersFile, 'utf8')));
}

/**
 * Only enabled triggers as created by the migrations count. A trigger that a session can switch off counts as missing.
 */
const triggersSql = `
  select t.name as "table",
    (select coalesce(json_object_agg(g.tgname, pg_get_triggerdef(g.oid) order by g.tgname), '{}')
     from pg_trigger g where g.tgrelid = t.oid and not g.tgisinternal and g.tgenabled = 'A') as triggers
  from unnest($1::text[]) as n (name), lateral (select n.name, to_regclass('public.' || n.name) as oid) as t
  where t.oid is not null`;

export async function readTriggers(client: pg.ClientBase | pg.Pool): Promise<Triggers> {
  const { rows } = await client.query<{ table: string; triggers: Triggers[string] }>(triggersSql, [loggedTables]);
  return Object.fromEntries(rows.map(({ table, triggers }) => [table, triggers]));
}

/** A table with triggers that are missing, disabled or changed, by name and statement. */
export interface LostTriggers {
  readonly table: string;
  readonly lost: readonly (readonly [name: string, statement: string])[];
}

/** Lists tables with such triggers. Tables that views replace have none. */
export async function listLostTriggers(client: pg.ClientBase | pg.Pool): Promise<readonly LostTriggers[]> {
  const there = await readTriggers(client);
  const shown = await listShownTables(client);
  return Object.entries(expectedTriggers()).flatMap(([table, triggers]) => {
    const lost = Object.entries(triggers).filter(([name, text]) => there[table]?.[name] !== text);
    return lost.length === 0 || shown.includes(table) ? [] : [{ table, lost }];
  });
}

/** Restores them in the caller's transaction. Returns their tables. */
export async function restoreTriggers(client: pg.ClientBase): Promise<readonly string[]> {
  const tables = await listLostTriggers(client);
  for (const { table, lost } of tables) {
    const statements = lost.map(
      ([name, text]) =>
        `drop trigger if exists ${name} on ${table}; ${text}; alter table ${table} enable always trigger ${name}`,
    );
    await client.query([...statements, ...gapSql(table)].join(';\n'));
  }
  return tables.map(({ table }) => table);
}

/** Removals while the triggers were missing are unknown, so copies must be rebuilt. */
function gapSql(table: string): readonly string[] {
  const kind = kindNames.find((name) => name === table);
  return kind === undefined
    ? []
    : [`insert into search_changes (kind, what, entity) values ('sources', 'all', '${kind}')`];
}
