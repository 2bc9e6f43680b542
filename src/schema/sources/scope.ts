import type { Node } from 'libpg-query';
import type { CatalogTable } from './catalog.ts';
import { keepsValues } from './expressions.ts';

/** One occurrence of a table in a view. */
export interface Instance {
  readonly table: CatalogTable;
  /** Columns that the view reads; whole rows count as every column. */
  readonly reads: Set<string>;
  /** The branch of each union that it is in. */
  readonly branches: ReadonlyMap<object, number>;
}

/** A column of an instance. */
export interface Ref {
  readonly instance: Instance;
  readonly column: string;
}

/** An equality that leads from one instance to another. */
export interface Edge {
  readonly from: Ref;
  readonly to: Ref;
  /** Keys that it may be followed for; null: all. */
  readonly only: ReadonlySet<Instance> | null;
}

export interface ViewGraph {
  readonly instances: readonly Instance[];
  readonly edges: readonly Edge[];
  /** The view's columns; the columns of tables that each is, one for every branch of a union. None for an expression. */
  readonly outputs: ReadonlyMap<string, readonly Ref[]>;
}

/** The columns of something in FROM. */
export type Columns = ReadonlyMap<string, readonly Ref[]>;

export interface Scope {
  readonly entries: Map<string, Columns>;
  readonly parent: Scope | null;
  readonly ctes: Map<string, Node>;
  /** Instances of this SELECT, and of those in its FROM. */
  readonly local: Set<Instance>;
  readonly branches: ReadonlyMap<object, number>;
}

export function entryOf(alias: string, scope: Scope | null): Columns | undefined {
  return scope === null ? undefined : (scope.entries.get(alias) ?? entryOf(alias, scope.parent));
}

/** Returns the columns that a name means in a scope; undefined if it is none. */
export function find(names: readonly string[], scope: Scope | null): readonly Ref[] | undefined {
  if (scope === null) return undefined;
  const column = names.at(-1) ?? '';
  const alias = names.at(-2);
  const entries = alias === undefined ? [...scope.entries.values()] : [scope.entries.get(alias)];
  const found = entries.flatMap((columns) => columns?.get(column) ?? []);
  const isThere = entries.some((columns) => columns?.has(column));
  return isThere ? found : find(names, scope.parent);
}

export function typeOf({ instance, column }: Ref): string {
  const type = instance.table.columns.find(({ name }) => name === column)?.type ?? '';
  return type.split('.').at(-1) ?? '';
}

export function areComparable(one: Ref, other: Ref): boolean {
  return keepsValues(typeOf(one), typeOf(other));
}
