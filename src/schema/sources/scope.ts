import type { Node } from 'libpg-query';
import type { CatalogTable } from './catalog.ts';
import { groupOf } from './expressions.ts';

/** One occurrence of a table in a view. */
export interface Instance {
  readonly table: CatalogTable;
  /** Columns that the view reads; whole rows count as every column. */
  readonly reads: Set<string>;
  /** Its branch in each union around it. */
  readonly branches: ReadonlyMap<object, number>;
}

/** A column of an instance, perhaps with a cast around it. */
export interface Ref {
  readonly instance: Instance;
  readonly column: string;
  /** The group of types in which it is compared. */
  readonly group: string;
  /** True if different values may be equal after the cast, as texts that are cast to uuid. */
  readonly isFolded: boolean;
}

/** An equality that leads from one instance to another. */
export interface Edge {
  readonly from: Ref;
  readonly to: Ref;
  /** The keys for which it may be followed; null: all. */
  readonly only: ReadonlySet<Instance> | null;
}

export interface ViewGraph {
  readonly instances: readonly Instance[];
  readonly edges: readonly Edge[];
  /** The view's columns, each with its table columns: one per branch of a union, none for an expression. */
  readonly outputs: ReadonlyMap<string, readonly Ref[]>;
}

export type Columns = ReadonlyMap<string, readonly Ref[]>;

export interface Scope {
  readonly entries: Map<string, Columns>;
  readonly parent: Scope | null;
  readonly ctes: Map<string, Node>;
  /** The instances of this SELECT, and of those in its FROM. */
  readonly local: Set<Instance>;
  readonly branches: ReadonlyMap<object, number>;
  /** For each window of this SELECT, the columns that partition it: rows of a partition affect each other. */
  readonly partitions: (readonly Node[])[];
}

export function entryOf(alias: string, scope: Scope | null): Columns | undefined {
  return scope === null ? undefined : (scope.entries.get(alias) ?? entryOf(alias, scope.parent));
}

/** Returns the columns that a name refers to in a scope; undefined if there are none. */
export function find(names: readonly string[], scope: Scope | null): readonly Ref[] | undefined {
  if (scope === null) return undefined;
  const column = names.at(-1) ?? '';
  const alias = names.at(-2);
  const entries = alias === undefined ? [...scope.entries.values()] : [scope.entries.get(alias)];
  const found = entries.flatMap((columns) => columns?.get(column) ?? []);
  const isThere = entries.some((columns) => columns?.has(column));
  return isThere ? found : find(names, scope.parent);
}

export function columnsOf(instance: Instance): Columns {
  return new Map(
    instance.table.columns.map(({ name: column, type, collation }) => {
      // Each collation is a separate group, because it decides which texts are equal.
      const group = `${groupOf(type.split('.').at(-1) ?? '')}${collation === null ? '' : ` ${collation}`}`;
      return [column, [{ instance, column, group, isFolded: false }]];
    }),
  );
}

/** Returns a column with a cast around it; undefined if its group after the cast is unknown. */
export function castTo(ref: Ref, type: string): Ref | undefined {
  const [target, [base]] = [groupOf(type), ref.group.split(' ')];
  if (target === base) return ref;
  if (ref.isFolded) return undefined;
  if (target === 'text') return { ...ref, group: target };
  return ref.group === 'text' ? { ...ref, group: target, isFolded: true } : undefined;
}
