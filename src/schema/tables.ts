import { kindNames } from '../kinds/kind.ts';
import { relations } from '../kinds/relations.ts';
import { type Database, readValue } from '../postgres/statements.ts';

/** Returns true if the database has a table, or a view in its place. */
export function hasTable(database: Database, name: string): Promise<boolean> {
  return readValue(database, `select to_regclass('public.' || $1::text) is not null`, [name]);
}

/**
 * The tables with one row per entity, named after their kinds. Writers change an entity's row before its relations.
 */
export const entityTables: readonly string[] = kindNames;

export const relationTables: readonly string[] = relations.map(({ table }) => table);

/** All tables that documents show. The change log records writes to them. Vectors come last. */
export const loggedTables: readonly string[] = [...entityTables, ...relationTables, 'entity_vectors'];

/** The slots of the change log. Writers fill one of them, and pruning truncates whole slots. */
export const changeLogSlots = [0, 1, 2, 3, 4, 5] as const;

/** The partitions of `search_changes`, one per slot. */
export const changeLogPartitions: readonly string[] = changeLogSlots.map((slot) => `search_changes_${slot}`);
