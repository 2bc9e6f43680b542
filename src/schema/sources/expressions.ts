import type { A_Expr, ColumnRef, Node, WindowDef } from 'libpg-query';

// Reads parsed expressions for ways.

/** Returns the columns that partition a window, if the node is one. A named window is defined once, and referred to. */
export function partitionsIn(type: string, window: WindowDef): readonly (readonly Node[])[] {
  const isDefined = type === 'WindowDef' || (type === 'over' && window.name === undefined);
  return isDefined ? [window.partitionClause ?? []] : [];
}

export function isEquality({ kind, name }: A_Expr): boolean {
  return kind === 'AEXPR_OP' && textsOf(name).at(-1) === '=';
}

/** Returns the fields of a row expression, or the expression itself. */
export function partsOf(node: Node): readonly Node[] {
  return 'RowExpr' in node ? (node.RowExpr.args ?? []) : [node];
}

export function textsOf(nodes: readonly Node[] = []): readonly string[] {
  return nodes.flatMap((node) => ('String' in node ? [node.String.sval ?? ''] : []));
}

export function fieldsOf({ fields = [] }: ColumnRef): { readonly names: readonly string[]; readonly isWhole: boolean } {
  return { names: textsOf(fields), isWhole: fields.some((field) => 'A_Star' in field) };
}

export function nameOf(node: Node): string | undefined {
  if ('ColumnRef' in node) return fieldsOf(node.ColumnRef).names.at(-1);
  return 'TypeCast' in node && node.TypeCast.arg !== undefined ? nameOf(node.TypeCast.arg) : undefined;
}

const texts = new Set(['text', 'varchar', 'character varying']);
const integers = new Set(['smallint', 'integer', 'bigint', 'int2', 'int4', 'int8']);

/**
 * Returns the group of a type. Values of a group are compared without a cast; in an exact group, equal values have
 * equal texts.
 */
export function groupOf(type: string): string {
  if (texts.has(type)) return 'text';
  return integers.has(type) ? 'integer' : type;
}

const exactGroups = new Set(['text', 'integer', 'uuid', 'boolean', 'date']);

/** Returns false if equal values of a group may have different texts, such as 1.0 and 1.00. */
export const isExact = (group: string): boolean => exactGroups.has(group);
