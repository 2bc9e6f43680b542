import { escapeIdentifier, escapeLiteral } from 'pg';
import type { CatalogColumn, CatalogTable } from './catalog.ts';
import { groupOf } from './expressions.ts';
import type { Edge, Instance, Ref, ViewGraph } from './scope.ts';

// Turns the graph of a view into statements that find entities, given the noted rows of a table: along the shortest way
// of equalities to the table that has the key.

export interface Way {
  /** Columns of the table that notes must have. */
  readonly columns: readonly string[];
  /** Null: any row may concern every entity. */
  readonly statement: string | null;
  /** True if the rows of the table contain the key. */
  readonly hasKey: boolean;
}

/** Any row may concern every entity. */
export const everything: Way = { columns: [], statement: null, hasKey: false };

export function findWays(graph: ViewGraph, table: CatalogTable, key: readonly string[]): readonly Way[] {
  const keys = keysOf(graph, key);
  if (keys.length === 0) return [everything];
  // Each way is a separate statement, because a value that can't be converted for one way may be valid for another.
  const ways = new Map<string, Way>();
  for (const start of graph.instances.filter((instance) => instance.table === table)) {
    for (const refs of keys) {
      const [{ instance: end } = { instance: undefined }] = refs;
      if (end === undefined || !areTogether(start, end)) continue;
      const steps = shortest(graph, start, end);
      if (steps === undefined) return [everything];
      const noted =
        steps.length === 0 ? refs.map(({ column }) => column) : (steps[0] ?? []).map(({ from }) => from.column);
      const statement = statementOf(steps, refs);
      ways.set(statement, { columns: [...new Set(noted)].sort(), statement, hasKey: steps.length === 0 });
    }
  }
  return [...ways.values()];
}

/** Returns the columns of a view's key, for each branch of a union; none if it is an expression. */
function keysOf({ outputs }: ViewGraph, key: readonly string[]): readonly (readonly Ref[])[] {
  const parts = key.map((name) => outputs.get(name) ?? []);
  const [first = []] = parts;
  const keys = first.map((_, at) => parts.flatMap((refs) => refs[at] ?? []));
  const isWhole = keys.every(
    (refs) => refs.length === key.length && refs.every((ref) => ref.instance === refs[0]?.instance && !ref.isFolded),
  );
  return isWhole ? keys : [];
}

/** Returns false for rows of different branches of a union. */
function areTogether(one: Instance, other: Instance): boolean {
  return [...one.branches].every(([union, branch]) => (other.branches.get(union) ?? branch) === branch);
}

type Step = readonly Edge[];

/** Returns the shortest sequence of steps between two instances; undefined if there is none. */
function shortest({ edges }: ViewGraph, start: Instance, end: Instance): readonly Step[] | undefined {
  const ways = new Map<Instance, readonly Step[]>([[start, []]]);
  for (const [instance, steps] of ways) {
    if (instance === end) return steps;
    const next = edges.filter(
      ({ from, to, only }) =>
        from.instance === instance &&
        // The value of a row after the first can't be cast like a noted value.
        (instance === start || !from.isFolded) &&
        !ways.has(to.instance) &&
        (only === null || only.has(end)) &&
        areTogether(start, to.instance),
    );
    for (const to of new Set(next.map((edge) => edge.to.instance))) {
      ways.set(to, [...steps, next.filter((edge) => edge.to.instance === to)]);
    }
  }
  return undefined;
}

function statementOf(steps: readonly Step[], key: readonly Ref[]): string {
  const joins = steps.map((step, at) => {
    const [first] = step;
    const on = step.map(({ from, to }) => (at === 0 ? matchesNote(to, from) : matchesRow(to, from, at)));
    return `join ${first?.to.instance.table.quoted} as t${at + 1} on ${[...new Set(on)].join(' and ')}`;
  });
  const values = key.map((ref) =>
    steps.length === 0 ? `${noted(ref, ref)}::text` : `t${steps.length}.${escapeIdentifier(ref.column)}::text`,
  );
  return [
    `select array[${values.join(', ')}] from jsonb_array_elements($1) as n (key)`,
    ...joins,
    `where ${values.map((value) => `${value} is not null`).join(' and ')}`,
  ].join(' ');
}

/** A noted value, cast to the type of the column that it is compared with. */
function noted({ column }: Ref, as: Ref): string {
  return `(n.key ->> ${escapeLiteral(column)})::${typeOf(as).type}`;
}

function matchesNote(to: Ref, from: Ref): string {
  return `t1.${escapeIdentifier(to.column)} operator(${escapeIdentifier(typeOf(to).operators)}.=) ${noted(from, to)}`;
}

function matchesRow(to: Ref, from: Ref, at: number): string {
  const [one, other] = [`t${at + 1}.${escapeIdentifier(to.column)}`, `t${at}.${escapeIdentifier(from.column)}`];
  // Another row's value that can't be converted must not make the statement fail.
  if (groupOf(typeOf(to).type) !== groupOf(typeOf(from).type)) return `${one}::text = ${other}::text`;
  return `${one} operator(${escapeIdentifier(typeOf(to).operators)}.=) ${other}`;
}

function typeOf({ instance, column }: Ref): Pick<CatalogColumn, 'type' | 'operators'> {
  return instance.table.columns.find(({ name }) => name === column) ?? { type: 'text', operators: 'pg_catalog' };
}
