import { type ColumnRef, type JoinExpr, type Node, parseSync, type SelectStmt, type SubLink } from 'libpg-query';
import type { CatalogTable } from './catalog.ts';
import { fieldsOf, isEquality, isExact, nameOf, partitionsIn, partsOf, textsOf } from './expressions.ts';
import {
  type Columns,
  castTo,
  columnsOf,
  type Edge,
  entryOf,
  find,
  type Instance,
  type Ref,
  type Scope,
  type ViewGraph,
} from './scope.ts';

// The tables that a view reads, and the equalities between their columns: from a row of one table, they lead to the
// rows of other tables that the view joins to it. To find every entity concerned, an equality is followed only in a
// direction in which it holds for every such row: out of a subselect, not into it; out of the nullable side of an outer
// join, and into it only to find a key there.

/** Builds the graph of a view from its definition. `tables` has the tables that it may name, by schema and name. */
export function readGraph(definition: string, tables: ReadonlyMap<string, CatalogTable>): ViewGraph {
  const reader = new GraphReader(tables);
  const statement = statementOf(definition);
  const outputs = reader.select(statement, { parent: null, ctes: new Map(), branches: new Map() }).outputs;
  return { instances: reader.instances, edges: reader.edges, outputs };
}

export function graphOfTable(table: CatalogTable): ViewGraph {
  const instance = { table, reads: new Set(table.columns.map(({ name }) => name)), branches: new Map() };
  return { instances: [instance], edges: [], outputs: columnsOf(instance) };
}

function statementOf(definition: string): SelectStmt {
  const statement = parseSync(definition).stmts?.[0]?.stmt;
  if (statement === undefined || !('SelectStmt' in statement)) throw new Error('A view is not a SELECT.');
  return statement.SelectStmt;
}

interface Outer extends Pick<Scope, 'parent' | 'ctes' | 'branches'> {
  /** True in FROM, where columns count as read only when they are used. */
  readonly isFrom?: boolean;
}

interface Selected {
  readonly outputs: Columns;
  readonly local: ReadonlySet<Instance>;
}

/** The sides of an outer join whose rows may be missing; null for an inner one. */
type Nullable = readonly ReadonlySet<Instance>[] | null;

class GraphReader {
  readonly instances: Instance[] = [];
  readonly edges: Edge[] = [];
  readonly #tables: ReadonlyMap<string, CatalogTable>;

  constructor(tables: ReadonlyMap<string, CatalogTable>) {
    this.#tables = tables;
  }

  select(statement: SelectStmt, outer: Outer): Selected {
    const ctes = new Map(outer.ctes);
    const isRecursive = statement.withClause?.recursive === true;
    for (const node of statement.withClause?.ctes ?? []) {
      if ('CommonTableExpr' in node) ctes.set(node.CommonTableExpr.ctename ?? '', node);
    }
    const within = { ...outer, ctes };
    const { op, larg, rarg } = statement;
    const selected =
      op !== undefined && op !== 'SETOP_NONE' && larg !== undefined && rarg !== undefined
        ? this.#union(larg, rarg, within, op === 'SETOP_UNION' && statement.all === true)
        : this.#plain(statement, within);
    const isCut = statement.limitCount !== undefined || statement.limitOffset !== undefined;
    return isRecursive || isCut ? { ...selected, outputs: unknown(selected.outputs) } : selected;
  }

  #union(left: SelectStmt, right: SelectStmt, outer: Outer, isAll: boolean): Selected {
    const union = {};
    const [one, other] = [left, right].map((branch, at) =>
      this.select(branch, { ...outer, isFrom: false, branches: new Map([...outer.branches, [union, at]]) }),
    );
    const others = [...(other?.outputs.values() ?? [])];
    const outputs = [...(one?.outputs ?? [])].map(([name, refs], at) => {
      const alternatives = others[at] ?? [];
      // If it is an expression in one branch, the keys of that branch are unknown.
      const both = refs.length === 0 || alternatives.length === 0 ? [] : [...refs, ...alternatives];
      return [name, isAll ? both : exact(both)] as const;
    });
    return { outputs: new Map(outputs), local: new Set([...(one?.local ?? []), ...(other?.local ?? [])]) };
  }

  #plain(statement: SelectStmt, outer: Outer): Selected {
    const { parent, ctes, branches } = outer;
    const scope: Scope = { parent, ctes, branches, entries: new Map(), local: new Set(), partitions: [] };
    for (const node of statement.fromClause ?? []) this.#from(node, scope);
    if (statement.whereClause !== undefined) this.#conditions(statement.whereClause, scope, null);
    const outputs = new Map<string, readonly Ref[]>();
    for (const [at, node] of (statement.targetList ?? []).entries()) {
      if (!('ResTarget' in node) || node.ResTarget.val === undefined) continue;
      const name = node.ResTarget.name ?? nameOf(node.ResTarget.val) ?? `?${at}`;
      const refs = this.#refsOf(node.ResTarget.val, scope);
      if (refs.length === 0 || outer.isFrom !== true || statement.distinctClause !== undefined) {
        this.#walk(node.ResTarget.val, scope);
      }
      outputs.set(name, refs);
    }
    const { groupClause = [], distinctClause = [], windowClause = [], sortClause = [], havingClause } = statement;
    for (const node of [...groupClause, ...distinctClause, ...windowClause, ...sortClause]) this.#walk(node, scope);
    if (havingClause !== undefined) this.#walk(havingClause, scope);
    // A row may affect others of its partition or group, so only the partition's or group's columns lead further.
    // A bare DISTINCT has an empty node.
    const isDistinctOn = distinctClause.some((node) => Object.keys(node).length > 0);
    const cuts = [...(isDistinctOn ? [distinctClause] : []), ...scope.partitions];
    const keyLists = cuts.map((nodes) => nodes.flatMap((node) => this.#refsOf(node, scope)));
    const isGrouped = distinctClause.length > 0 || groupClause.length > 0 || keyLists.length > 0;
    const kept = [...outputs].map(([name, refs]) => {
      const isKept = keyLists.every((list) => refs.some((ref) => list.some((one) => isSame(one, ref))));
      return [name, isKept ? (isGrouped ? exact(refs) : refs) : []] as const;
    });
    return { outputs: new Map(kept), local: scope.local };
  }

  /** Adds an item in FROM to the scope. Returns its instances. */
  #from(node: Node, scope: Scope): ReadonlySet<Instance> {
    if ('JoinExpr' in node) return this.#join(node.JoinExpr, scope);
    if ('RangeVar' in node) {
      const { schemaname, relname = '', alias } = node.RangeVar;
      const selected = this.#relation(schemaname, relname, scope);
      return this.#enter(scope, alias?.aliasname ?? relname, alias?.colnames, selected);
    }
    if ('RangeSubselect' in node) {
      const { subquery, alias, lateral } = node.RangeSubselect;
      if (subquery === undefined || !('SelectStmt' in subquery)) return new Set();
      const parent = lateral === true ? scope : scope.parent;
      const selected = this.select(subquery.SelectStmt, { ...scope, parent, isFrom: true });
      return this.#enter(scope, alias?.aliasname ?? '', alias?.colnames, selected);
    }
    this.#walk(node, scope);
    const alias = 'RangeFunction' in node ? node.RangeFunction.alias : undefined;
    return this.#enter(scope, alias?.aliasname ?? '', alias?.colnames, nothing);
  }

  #enter(scope: Scope, alias: string, names: readonly Node[] | undefined, { outputs, local }: Selected) {
    scope.entries.set(alias, renamed(outputs, names));
    for (const instance of local) scope.local.add(instance);
    return local;
  }

  #relation(schema: string | undefined, name: string, scope: Scope): Selected {
    const cte = schema === undefined ? scope.ctes.get(name) : undefined;
    if (cte !== undefined && 'CommonTableExpr' in cte) {
      const { ctequery, aliascolnames, cterecursive } = cte.CommonTableExpr;
      if (ctequery === undefined || !('SelectStmt' in ctequery)) return nothing;
      const ctes = new Map(scope.ctes);
      // Within a recursive query, its name refers to its own rows.
      ctes.delete(name);
      const within = { parent: null, ctes, branches: scope.branches, isFrom: true };
      const { outputs, local } = this.select(ctequery.SelectStmt, within);
      const named = renamed(outputs, aliascolnames);
      return { outputs: cterecursive === true ? unknown(named) : named, local };
    }
    const table = this.#tables.get(`${schema ?? 'pg_catalog'}.${name}`);
    if (table === undefined) return nothing;
    if (table.definition !== null) {
      const statement = statementOf(table.definition);
      return this.select(statement, { parent: null, ctes: new Map(), branches: scope.branches, isFrom: true });
    }
    const instance: Instance = { table, reads: new Set(), branches: scope.branches };
    this.instances.push(instance);
    return { outputs: columnsOf(instance), local: new Set([instance]) };
  }

  #join({ larg, rarg, quals, jointype, usingClause, isNatural, alias }: JoinExpr, scope: Scope): ReadonlySet<Instance> {
    const left = larg === undefined ? new Set<Instance>() : this.#from(larg, scope);
    const leftEntries = new Set(scope.entries.keys());
    const right = rarg === undefined ? new Set<Instance>() : this.#from(rarg, scope);
    const sides = new Map([
      ['JOIN_LEFT', [right]],
      ['JOIN_RIGHT', [left]],
      ['JOIN_FULL', [left, right]],
    ]);
    const missing = sides.get(jointype ?? '') ?? null;
    if (quals !== undefined) this.#conditions(quals, scope, missing);
    const entries = [...scope.entries];
    const columnsOf = (isLeft: boolean) =>
      entries.flatMap(([name, columns]) => (leftEntries.has(name) === isLeft ? [...columns] : []));
    const [one, other] = [columnsOf(true), columnsOf(false)];
    const names = isNatural === true ? one.map(([name]) => name) : textsOf(usingClause);
    for (const [name, refs] of one.filter(([column]) => names.includes(column))) {
      for (const [, match] of other.filter(([column]) => column === name)) this.#equal(refs, match, scope, missing);
    }
    if (alias?.aliasname !== undefined) {
      const merged = [...scope.entries.values()].flatMap((columns) => [...columns]);
      scope.entries.set(alias.aliasname, new Map(merged));
    }
    return new Set([...left, ...right]);
  }

  /** Adds the equalities of conditions joined by AND, and visits all other expressions. */
  #conditions(node: Node, scope: Scope, missing: Nullable): void {
    if ('BoolExpr' in node && node.BoolExpr.boolop === 'AND_EXPR') {
      for (const part of node.BoolExpr.args ?? []) this.#conditions(part, scope, missing);
      return;
    }
    this.#walk(node, scope);
    if (!('A_Expr' in node) || !isEquality(node.A_Expr)) return;
    const { lexpr, rexpr } = node.A_Expr;
    if (lexpr === undefined || rexpr === undefined) return;
    const [one, other] = [partsOf(lexpr), partsOf(rexpr)];
    for (const [at, part] of one.entries()) {
      const match = other[at];
      if (match !== undefined) this.#equal(this.#refsOf(part, scope), this.#refsOf(match, scope), scope, missing);
    }
  }

  #equal(one: readonly Ref[], other: readonly Ref[], scope: Scope, missing: Nullable): void {
    for (const from of one) {
      for (const to of other) {
        this.#lead(from, to, scope, missing);
        this.#lead(to, from, scope, missing);
      }
    }
  }

  #lead(from: Ref, to: Ref, { local }: Scope, missing: Nullable): void {
    if (from.instance === to.instance || !local.has(from.instance) || from.group !== to.group || to.isFolded) return;
    const only = missing?.find((one) => one.has(to.instance) && !one.has(from.instance)) ?? null;
    const isFollowed = only !== null || missing === null || missing.some((one) => one.has(from.instance));
    if (isFollowed) this.edges.push({ from, to, only });
  }

  /** Records the columns that an expression reads, and visits its subselects. */
  #walk(node: unknown, scope: Scope, isNegated = false): void {
    if (Array.isArray(node)) {
      for (const part of node) this.#walk(part, scope, isNegated);
      return;
    }
    if (typeof node !== 'object' || node === null) return;
    for (const [type, content] of Object.entries(node)) {
      if (type === 'ColumnRef') this.#read(content, scope);
      else if (type === 'SelectStmt') this.select(content, { ...scope, parent: scope });
      else if (type === 'SubLink') this.#sublink(content, scope, isNegated);
      else {
        scope.partitions.push(...partitionsIn(type, content));
        this.#walk(content, scope, isNegated || (type === 'BoolExpr' && content.boolop === 'NOT_EXPR'));
      }
    }
  }

  /** A row of `in (select …)` affects the rows that match it. In `not in`, a null affects all rows. */
  #sublink({ subselect, testexpr, subLinkType, operName }: SubLink, scope: Scope, isNegated: boolean): void {
    if (testexpr !== undefined) this.#walk(testexpr, scope);
    if (subselect === undefined || !('SelectStmt' in subselect)) return;
    const { outputs, local } = this.select(subselect.SelectStmt, { ...scope, parent: scope });
    if (testexpr === undefined || isNegated || subLinkType !== 'ANY_SUBLINK' || operName !== undefined) return;
    const within = { ...scope, local: new Set(local) };
    for (const [at, part] of partsOf(testexpr).entries()) {
      this.#equal([...outputs.values()][at] ?? [], this.#refsOf(part, scope), within, null);
    }
  }

  #read(column: ColumnRef, scope: Scope): void {
    const { names, isWhole } = fieldsOf(column);
    const found = isWhole ? undefined : find(names, scope);
    const refs = found ?? [...(entryOf(names.at(-1) ?? '', scope)?.values() ?? [])].flat();
    for (const { instance, column: name } of refs) instance.reads.add(name);
  }

  /** Returns the columns that an expression refers to, if it is a column, with or without a cast. */
  #refsOf(node: Node, scope: Scope): readonly Ref[] {
    if ('TypeCast' in node) {
      const { arg, typeName } = node.TypeCast;
      // A cast to a type with a length cuts values off.
      if (arg === undefined || typeName?.arrayBounds !== undefined || typeName?.typmods !== undefined) return [];
      const target = textsOf(typeName?.names).at(-1) ?? '';
      const refs = this.#refsOf(arg, scope).map((ref) => castTo(ref, target));
      return refs.every((ref) => ref !== undefined) ? refs : [];
    }
    if (!('ColumnRef' in node)) return [];
    return find(fieldsOf(node.ColumnRef).names, scope) ?? [];
  }
}

const nothing: Selected = { outputs: new Map(), local: new Set() };

/** Returns columns, the first of them renamed by an alias. */
function renamed(outputs: Columns, names: readonly Node[] | undefined): Columns {
  const given = textsOf(names);
  return new Map([...outputs].map(([name, refs], at) => [given[at] ?? name, refs]));
}

const unknown = (outputs: Columns): Columns => new Map([...outputs.keys()].map((name) => [name, []]));

/** Returns the columns in which all rows of a group are equal. */
const exact = (refs: readonly Ref[]): readonly Ref[] => (refs.every(({ group }) => isExact(group)) ? refs : []);

const isSame = (one: Ref, other: Ref): boolean => one.instance === other.instance && one.column === other.column;
