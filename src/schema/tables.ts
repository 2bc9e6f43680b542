import { kindNames } from '../kinds/kind.ts';
import { relations } from '../kinds/relations.ts';

/** One row an entity; each is named after its kind. Writers reach an entity's row before its relations. */
export const entityTables: readonly string[] = kindNames;

/** What entities have to do with each other. */
export const relationTables: readonly string[] = relations.map(({ table }) => table);

/** All that documents are made of: what is written there is in the change log. Vectors come last. */
export const loggedTables: readonly string[] = [...entityTables, ...relationTables, 'entity_vectors'];
