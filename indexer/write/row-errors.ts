import type pg from 'pg';
import { codeOf } from '../errors.ts';
import { type DocumentParts, takeApart } from './document-sql.ts';

// A statement that fails because of what one row holds must not keep the others from being read: it is known by its
// SQLSTATE, and told with the row's column.

/** What reads: a pool, or one connection of it that is in no transaction. */
export type Database = pg.Pool | pg.PoolClient;

/** A document's row, and why it can't be made into one. */
export interface UnreadableRow {
  readonly id: number;
  /** For people: kind, id, column, and what Postgres says. */
  readonly reason: string;
}

/**
 * Data exceptions (22), what a type can't do with a value (0A: infinity as an integer), more than one row where one was
 * meant (21), constraints (23), what functions and triggers raise (38, 39, P0), values beyond Postgres's own limits (54),
 * and rows whose pages are damaged (XX). Not connections, rights, time limits, disks, or SQL that no row could answer.
 */
const statesOfRows = /^(?:0A|21|22|23|38|39|54|P0|XX)[0-9A-Z]{3}$/;

/** Whether a statement failed because of what some row holds. */
export function isRowError(error: unknown): boolean {
  return statesOfRows.test(codeOf(error) ?? '');
}

/** Why a row can't be read, with the columns that are at fault where the generation's SQL shows them. */
export async function whyUnreadable(
  database: Database,
  source: { readonly kind: string; readonly documentSql: string },
  id: number,
  error: unknown,
): Promise<string> {
  const said = whatPostgresSaid(source.kind, id, error);
  const parts = takeApart(source.documentSql);
  const where = parts === undefined ? '' : await columnsAtFault(database, parts, id);
  return where === '' ? said : said.replace(': ', `: ${where}: `);
}

/** The same without looking for the column. */
export function whatPostgresSaid(kind: string, id: number, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `${kind} ${id}: ${message} (${codeOf(error)})`;
}

async function columnsAtFault(database: Database, parts: DocumentParts, id: number): Promise<string> {
  const failing: string[] = [];
  for (const [key, expression] of parts.fields) {
    if (await raises(database, parts, expression, id)) failing.push(key);
  }
  const expressions = failing.map((key) => parts.fields.get(key) ?? '');
  const columns = await filled(database, parts, columnsOfAll(expressions, parts.id.replace(/\.id$/, '')), id);
  const [what, names] = columns.length > 0 ? ['column', columns] : ['field', failing];
  if (names.length === 0) return '';
  return `${what}${names.length > 1 ? 's' : ''} ${names.join(', ')}`;
}

async function raises(database: Database, { from, id: idSql }: DocumentParts, expression: string, id: number) {
  try {
    await database.query(`select (${expression})::text from ${from} where ${idSql} = $1`, [id]);
    return false;
  } catch (error) {
    if (!isRowError(error)) throw error;
    return true;
  }
}

/** The table's columns that all of the expressions have, or, where they have none in common, any of them has. */
function columnsOfAll(expressions: readonly string[], alias: string): readonly string[] {
  const each = expressions.map((sql) => new Set(columnsOf(sql, alias)));
  const all = [...new Set(each.flatMap((columns) => [...columns]))].sort();
  const common = all.filter((column) => each.every((columns) => columns.has(column)));
  return common.length > 0 ? common : all;
}

function columnsOf(sql: string, alias: string): readonly string[] {
  // The alias is that of a stored statement's own first words.
  // nosemgrep: no-expressions-from-values
  return [...sql.matchAll(new RegExp(`\\b${alias}\\.(\\w+)`, 'g'))].map(([, column = '']) => column);
}

/** Those that hold something: nothing can be wrong with a null or an empty list. */
async function filled(database: Database, parts: DocumentParts, columns: readonly string[], id: number) {
  if (columns.length < 2) return columns;
  const alias = parts.id.replace(/\.id$/, '');
  const held = columns.map((column) => `coalesce(${alias}.${column}::text, '{}') <> '{}'`);
  const { rows } = await database.query<boolean[]>({
    text: `select ${held.join(', ')} from ${parts.from} where ${parts.id} = $1`,
    values: [id],
    rowMode: 'array',
  });
  const some = columns.filter((_, at) => rows[0]?.[at] === true);
  return some.length > 0 ? some : columns;
}
