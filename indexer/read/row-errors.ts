import { byIndex, type Queryable } from '../../src/postgres/by-index.ts';
import { codeOf } from '../errors.ts';

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

/** Explains why a row cannot be read, with the columns at fault if there are any. */
export async function describeUnreadableRow(
  database: Queryable,
  source: { readonly kind: string; readonly documentSql: string },
  id: number,
  error: unknown,
): Promise<string> {
  const said = describeRowError(source.kind, id, error);
  const columns = await columnsAtFault(database, source, id);
  const { rows } = await database.query<{ key: readonly string[] | null }>(
    'select key from source_entities where kind = $1 and id = $2',
    [source.kind, id],
  );
  const keys = rows[0]?.key ?? [];
  const key = keys.length === 0 ? '' : ` (key ${keys.join(', ')} of search_source.${source.kind})`;
  const where = columns.length === 0 ? '' : `column${columns.length > 1 ? 's' : ''} ${columns.join(', ')}: `;
  return said.replace(': ', `${key}: ${where}`);
}

/** Explains it without the column. */
export function describeRowError(kind: string, id: number, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `${kind} ${id}: ${message} (${codeOf(error)})`;
}

interface Column {
  readonly name: string;
  readonly quoted: string;
  readonly type: string;
}

const columnsSql = `
  select attname::text as name, quote_ident(attname) as quoted, format_type(atttypid, atttypmod) as type
  from pg_attribute
  where attrelid = to_regclass(format('public.%I', $1::text)) and attnum > 0 and not attisdropped order by attnum`;

/** Returns the columns without whose value the row can be made into a document. */
async function columnsAtFault(
  database: Queryable,
  { kind, documentSql }: { readonly kind: string; readonly documentSql: string },
  id: number,
): Promise<readonly string[]> {
  const { rows: columns } = await database.query<Column>(columnsSql, [kind]);
  /** Returns those of some columns. If the row fails without all of them, it is none of them. */
  const atFault = async (some: readonly Column[]): Promise<readonly string[]> => {
    // A query by the table's name in front of the documents' SQL hides the table.
    const shown = columns.map((one) => (some.includes(one) ? `null::${one.type} as ${one.quoted}` : one.quoted));
    const text = `with ${kind} as (select ${shown.join(', ')} from public.${kind} where id = $1)
      select body from (${documentSql}) as documents where id = $1`;
    try {
      await byIndex(database, (client) => client.query(text, [id]));
    } catch (error) {
      if (isRowError(error)) return [];
      throw error;
    }
    if (some.length === 1) return some.map(({ name }) => name);
    const middle = Math.ceil(some.length / 2);
    return [...(await atFault(some.slice(0, middle))), ...(await atFault(some.slice(middle)))];
  };
  const values = columns.filter(({ name }) => name !== 'id');
  const found = await atFault(values);
  // Otherwise the row was corrected meanwhile.
  return found.length < values.length ? found.toSorted() : [];
}
