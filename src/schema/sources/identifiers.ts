import { escapeIdentifier } from 'pg';

// Names as SQL writes them: folded to lower case, unless they are quoted.

/** A table, and columns of it where some are named. */
export interface TableReference {
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly string[] | null;
}

/** Postgres truncates longer names. */
const nameBytesMax = 63;

const unquoted = /^[a-z_\u0080-\uffff][\w$\u0080-\uffff]*/i;
const quoted = /^"((?:[^"]|"")+)"/;

/** Returns a name at the beginning of a text, and what follows it; undefined if there is none. */
function takeName(text: string): { readonly name: string; readonly rest: string } | undefined {
  const within = quoted.exec(text);
  const plain = within === null ? unquoted.exec(text) : null;
  const found = within ?? plain;
  if (found === null) return undefined;
  const name = within?.[1]?.replaceAll('""', '"') ?? found[0].toLowerCase();
  if (Buffer.byteLength(name) > nameBytesMax) return undefined;
  return { name, rest: text.slice(found[0].length).trimStart() };
}

/** Names with a separator between them, at the beginning of a text. */
function takeNames(text: string, separator: '.' | ','): { readonly names: readonly string[]; readonly rest: string } {
  const names: string[] = [];
  let rest = text.trimStart();
  for (;;) {
    const taken = takeName(rest);
    if (taken === undefined) return { names: [], rest: text };
    names.push(taken.name);
    if (!taken.rest.startsWith(separator)) return { names, rest: taken.rest };
    rest = taken.rest.slice(1).trimStart();
  }
}

/**
 * `schema.table` or `schema.table(column, …)`, as a foreign key writes what it references; without a schema it is
 * `public`. Undefined if the text is something else. Pure.
 */
export function parseTable(text: string): TableReference | undefined {
  const { names, rest } = takeNames(text.trim(), '.');
  const [first, second, third] = names;
  if (first === undefined || third !== undefined) return undefined;
  const [schema, table] = second === undefined ? ['public', first] : [first, second];
  if (rest === '') return { schema, table, columns: null };
  if (!rest.startsWith('(')) return undefined;
  const listed = takeNames(rest.slice(1), ',');
  if (listed.names.length === 0 || listed.rest !== ')') return undefined;
  return { schema, table, columns: listed.names };
}

/** Column names separated by commas; undefined if the text is something else. Pure. */
export function parseColumns(text: string): readonly string[] | undefined {
  const { names, rest } = takeNames(text.trim(), ',');
  return names.length > 0 && rest === '' ? names : undefined;
}

/** Returns a table with its schema, for a statement. */
export function quoteTable({ schema, table }: Pick<TableReference, 'schema' | 'table'>): string {
  return `${escapeIdentifier(schema)}.${escapeIdentifier(table)}`;
}
