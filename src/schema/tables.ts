import { kindNames } from '../kinds/kind.ts';
import { relations } from '../kinds/relations.ts';

/** One row an entity; each is named after its kind. Writers reach an entity's row before its relations. */
export const entityTables: readonly string[] = kindNames;

/** The tables of relations between entities. */
export const relationTables: readonly string[] = relations.map(({ table }) => table);

/** All that documents are made of: what is written there is in the change log. Vectors come last. */
export const loggedTables: readonly string[] = [...entityTables, ...relationTables, 'entity_vectors'];

/** The slots of the change log: writers fill one of them, and whole ones are emptied. */
export const changeLogSlots = [0, 1, 2, 3, 4, 5] as const;

/** The partitions of `search_changes`, one a slot. */
export const changeLogPartitions: readonly string[] = changeLogSlots.map((slot) => `search_changes_${slot}`);
