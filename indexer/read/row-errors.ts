import { byIndex, type Queryable } from '../../src/postgres/by-index.ts';
import { codeOf } from '../errors.ts';
import { type ParsedDocumentSql, parseDocumentSql } from './document-sql.ts';

// A statement that fails because of one row's data must not keep the others from being read: its SQLSTATE identifies
// it, and the report names the row's column.

/** A document's row, and why it cannot be made into one. */
export interface UnreadableRow {
  readonly id: number;
  /** For people: kind, id, column, and the message of Postgres. */
  readonly reason: string;
}

/**
 * Data exceptions (22), values that a type cannot process (0A: infinity as an integer), several rows instead of one
 * (21), constraints (23), errors raised by functions and triggers (38, 39, P0), values beyond Postgres's own limits
 * (54), and rows whose pages are damaged (XX). Not connections, rights, time limits, disks, or SQL that fails for every
 * row.
 */
const statesOfRows = /^(?:0A|21|22|23|38|39|54|P0|XX)[0-9A-Z]{3}$/;

/** Returns true if a statement failed because of a row's data. */
export function isRowError(error: unknown): boolean {
  return statesOfRows.test(codeOf(error) ?? '');
}

/** Explains why a row cannot be read, with the columns at fault if the generation's SQL shows them. */
export async function describeUnreadableRow(
  database: Queryable,
  source: { readonly kind: string; readonly documentSql: string },
  id: number,
  error: unknown,
): Promise<string> {
  const said = describeRowError(source.kind, id, error);
  const parts = parseDocumentSql(source.documentSql);
  const where = parts === undefined ? '' : await columnsAtFault(database, parts, id);
  const { rows } = await database.query<{ key: readonly string[] | null }>(
    'select key from source_entities where kind = $1 and id = $2',
    [source.kind, id],
  );
  const columns = rows[0]?.key ?? [];
  const key = columns.length === 0 ? '' : ` (key ${columns.join(', ')} of search_source.${source.kind})`;
  return said.replace(': ', where === '' ? `${key}: ` : `${key}: ${where}: `);
}

/** Explains it without the column. */
export function describeRowError(kind: string, id: number, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `${kind} ${id}: ${message} (${codeOf(error)})`;
}

async function columnsAtFault(database: Queryable, parts: ParsedDocumentSql, id: number): Promise<string> {
  const alias = parts.id.replace(/\.id$/, '');
  const failing: string[] = [];
  const columns = new Set<string>();
  for (const [key, expression] of parts.fields) {
    if (!(await raises(database, parts, expression, id))) continue;
    failing.push(key);
    for (const column of columnsOf(expression, alias)) {
      // A column is at fault if the expression succeeds without its value.
      const without = expression.replace(columnPattern(alias, column), `nullif($&, $&)`);
      if (!(await raises(database, parts, without, id))) columns.add(column);
    }
  }
  // The view's own condition fails if every field does.
  if (failing.length === 0 || failing.length === [...parts.fields].length) return '';
  const [what, names] = columns.size > 0 ? ['column', [...columns].sort()] : ['field', failing];
  return `${what}${names.length > 1 ? 's' : ''} ${names.join(', ')}`;
}

async function raises(database: Queryable, { from, id: idSql }: ParsedDocumentSql, expression: string, id: number) {
  try {
    // Parts of the generation's own statement.
    // nosemgrep: no-values-in-sql
    const text = `select (${expression})::text from ${from} where ${idSql} = $1`;
    await byIndex(database, (client) => client.query(text, [id]));
    return false;
  } catch (error) {
    if (!isRowError(error)) throw error;
    return true;
  }
}

function columnsOf(sql: string, alias: string): ReadonlySet<string> {
  return new Set([...sql.matchAll(columnPattern(alias, '\\w+'))].map(([name]) => name.slice(alias.length + 1)));
}

function columnPattern(alias: string, column: string): RegExp {
  // Both are words of a stored statement.
  // nosemgrep: no-expressions-from-values
  return new RegExp(`\\b${alias}\\.${column}\\b`, 'g');
}
