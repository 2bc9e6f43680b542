import { type KindName, kindNames, type Relation } from './kind.ts';
import { kinds } from './registry.ts';

// Facts derived from the relations of the kinds. The triggers of the relation tables and search_readers in the database
// repeat a part of them. A test compares both.

/** A table whose rows connect an entity to the documents that show it. */
export interface Dependency {
  readonly table: string;
  readonly document: string;
  /** Column of the id of the entity that the document shows. */
  readonly entity: string;
}

export const relations: readonly (Relation & { readonly owner: KindName })[] = kindNames.flatMap((owner) =>
  kinds[owner].relations.map((relation) => ({ ...relation, owner })),
);

/** Returns the tables that lead from an entity of `shown` to the documents of `reader` that show it. */
export function dependencies(reader: KindName, shown: KindName): readonly Dependency[] {
  return relations.flatMap(({ table, owner, id, other, otherId, mutual }) => {
    if (owner === reader && other === shown) return [{ table, document: id, entity: otherId }];
    if (mutual && other === reader && owner === shown) return [{ table, document: otherId, entity: id }];
    return [];
  });
}

/**
 * The kinds in an order in which referenced kinds come first, so that an import resolves most references immediately.
 */
export const importOrder: readonly KindName[] = orderByReferences();

function orderByReferences(): readonly KindName[] {
  const ordered: KindName[] = [];
  const refersTo = (kind: KindName): readonly KindName[] => kinds[kind].relations.map(({ other }) => other);
  const ready = (kind: KindName): boolean =>
    !ordered.includes(kind) &&
    refersTo(kind).every((other) => ordered.includes(other) || refersTo(other).includes(kind));
  for (let next = kindNames.find(ready); next !== undefined; next = kindNames.find(ready)) ordered.push(next);
  // Longer circles have no such order, so the order of the list is kept.
  return [...ordered, ...kindNames.filter((kind) => !ordered.includes(kind))];
}
