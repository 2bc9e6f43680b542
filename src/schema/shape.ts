import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { z } from 'zod';
import { kindNames } from '../kinds/kind.ts';
import { listShownTables } from './sources/shown-tables.ts';
import { loggedTables } from './tables.ts';

// The shape of the tables of entities: their columns, and the triggers that log changes. A test compares shape.json
// with the migrations, so that it can be compared with a database whose tables were changed by hand.

const shapeSchema = z.record(
  z.string(),
  z.object({ columns: z.record(z.string(), z.string()), triggers: z.record(z.string(), z.string()) }),
);
/** By table: each column's type, and each trigger's statement. */
export type Shape = z.infer<typeof shapeSchema>;

const shapeFile = new URL('./shape.json', import.meta.url);

/** Returns the shape that this version's migrations create. */
export function expectedShape(): Shape {
  return shapeSchema.parse(JSON.parse(readFileSync(shapeFile, 'utf8')));
}

/** Only what is as migrations leave it: a trigger that a session could switch off counts as missing. */
const shapeSql = `
  select t.name as "table",
    (select coalesce(json_object_agg(a.attname, format_type(a.atttypid, a.atttypmod) order by a.attname), '{}')
     from pg_attribute a where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped) as columns,
    (select coalesce(json_object_agg(g.tgname, pg_get_triggerdef(g.oid) order by g.tgname), '{}')
     from pg_trigger g where g.tgrelid = t.oid and not g.tgisinternal and g.tgenabled = 'A') as triggers
  from unnest($1::text[]) as n (name), lateral (select n.name, to_regclass('public.' || n.name) as oid) as t
  where t.oid is not null`;

/** Returns the shape of the database. */
export async function readShape(client: pg.ClientBase | pg.Pool): Promise<Shape> {
  const { rows } = await client.query<{ table: string } & Shape[string]>(shapeSql, [loggedTables]);
  return Object.fromEntries(rows.map(({ table, columns, triggers }) => [table, { columns, triggers }]));
}

/** One manual change. */
export interface Drift {
  readonly table: string;
  readonly what: 'table' | 'column' | 'trigger';
  /** In a sentence. */
  readonly found: string;
  /** SQL that mends it; null where `entity-search migrate` does. */
  readonly sql: string | null;
}

/**
 * Returns all differences from the migrations; a foreign trigger does not count. Pure.
 * @param shown tables replaced by views, which have no triggers
 */
export function driftOf(expected: Shape, there: Shape, shown: readonly string[] = []): readonly Drift[] {
  return Object.entries(expected).flatMap(([table, wanted]): readonly Drift[] => {
    const found = there[table];
    if (shown.includes(table)) return [];
    if (found === undefined) return [{ table, what: 'table', found: `There is no table ${table}.`, sql: null }];
    return [
      ...columnDrift(table, wanted.columns, found.columns),
      ...triggerDrift(table, wanted.triggers, found.triggers),
    ];
  });
}

type Columns = Readonly<Record<string, string>>;

function columnDrift(table: string, wanted: Columns, there: Columns): readonly Drift[] {
  const missing = Object.keys(wanted).filter((name) => there[name] === undefined);
  const added = Object.keys(there).filter((name) => wanted[name] === undefined);
  const retyped = Object.keys(wanted).filter((name) => there[name] !== undefined && there[name] !== wanted[name]);
  const drift = (found: string, sql: string): Drift => ({
    table,
    what: 'column',
    found,
    // Shown to a person, never run.
    // nosemgrep: no-values-in-sql
    sql: `alter table ${table} ${sql}`,
  });
  const [before, after] = [missing[0] ?? '', added[0] ?? ''];
  if (missing.length === 1 && added.length === 1 && wanted[before] === there[after]) {
    const found = `The column ${before} of ${table} was renamed to ${after}: its documents can't be made.`;
    return [drift(found, `rename column "${after}" to "${before}"`)];
  }
  return [
    ...missing.map((name) =>
      drift(
        `The column ${name} of ${table} is missing: its documents can't be made.`,
        `add column "${name}" ${wanted[name]}`,
      ),
    ),
    ...added.map((name) =>
      drift(
        `The column ${name} of ${table} was added by hand, and no document shows it: drop it unless something else needs it.`,
        `drop column "${name}"`,
      ),
    ),
    ...retyped.map((name) =>
      drift(
        `The column ${name} of ${table} is ${there[name]}, not ${wanted[name]}: its documents may be other ones.`,
        // nosemgrep: no-values-in-sql
        `alter column "${name}" type ${wanted[name]} using "${name}"::${wanted[name]}`,
      ),
    ),
  ];
}

function triggerDrift(table: string, wanted: Columns, there: Columns): readonly Drift[] {
  const lost = Object.keys(wanted).filter((name) => there[name] !== wanted[name]);
  if (lost.length === 0) return [];
  const triggers = lost.length === 1 ? `The trigger ${lost[0]}` : `The triggers ${lost.join(', ')}`;
  const verb = lost.length === 1 ? 'is' : 'are';
  const found = `${triggers} of ${table} ${verb} missing, disabled or changed: what is written there is not logged.`;
  return [{ table, what: 'trigger', found, sql: null }];
}

/** Restores the triggers that are missing, disabled or changed, in the caller's transaction. Returns their tables. */
export async function restoreTriggers(client: pg.ClientBase): Promise<readonly string[]> {
  const there = await readShape(client);
  const shown = await listShownTables(client);
  const restored: string[] = [];
  for (const [table, { triggers }] of Object.entries(expectedShape())) {
    if (shown.includes(table)) continue;
    const lost = Object.entries(triggers).filter(([name, text]) => there[table]?.triggers[name] !== text);
    if (lost.length === 0) continue;
    const statements = lost.map(
      ([name, text]) =>
        `drop trigger if exists ${name} on ${table}; ${text}; alter table ${table} enable always trigger ${name}`,
    );
    await client.query([...statements, ...gapSql(table)].join(';\n'));
    restored.push(table);
  }
  return restored;
}

/** Removals without the triggers are unknown: copies must be rebuilt. */
function gapSql(table: string): readonly string[] {
  const kind = kindNames.find((name) => name === table);
  return kind === undefined ? [] : [`insert into entity_removals (kind) values ('${kind}')`];
}
