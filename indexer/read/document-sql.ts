/** The inputs of a generation's SQL. */
export interface ParsedDocumentSql {
  readonly id: string;
  readonly from: string;
  /** The expression of each key of a document except its hash; keys within an object as `object.key`. */
  readonly fields: ReadonlyMap<string, string>;
}

const builder = '(select row_to_json(o) from (select ';

/**
 * Parses the stored SQL of a generation's documents. Returns undefined for SQL of another form, such as one of an
 * earlier version of the code. Pure.
 */
export function parseDocumentSql(documentSql: string): ParsedDocumentSql | undefined {
  const id = /^\s*select (\w+\.id) as id\b/.exec(documentSql)?.[1];
  const start = documentSql.indexOf(builder);
  if (id === undefined || start < 0) return undefined;
  const listed = listOf(documentSql, start + builder.length);
  const from = /\bas body\s+from\s+([\s\S]*)$/.exec(documentSql.slice(listed?.end))?.[1];
  if (listed === undefined || from === undefined) return undefined;
  const fields = new Map(fieldsOf(listed.items, ''));
  // It is computed from the others.
  fields.delete('hash');
  return { id, from, fields };
}

function* fieldsOf(items: readonly string[], prefix: string): Generator<readonly [string, string]> {
  for (const item of items) {
    const [, expression = '', name = ''] = /^([\s\S]*) as (\w+)$/.exec(item) ?? [];
    const key = `${prefix}${name}`;
    const inner = expression.startsWith(builder) ? listOf(expression, builder.length) : undefined;
    // The whole expression is one object.
    if (inner !== undefined && expression.slice(inner.end) === ' as o)') yield* fieldsOf(inner.items, `${key}.`);
    else yield [key, expression];
  }
}

/** Returns the items of a list up to its closing bracket, and the end of the list. */
function listOf(sql: string, start: number): { readonly items: readonly string[]; readonly end: number } | undefined {
  const items: string[] = [];
  let depth = 0;
  let quoted = false;
  let begin = start;
  for (let at = start; at < sql.length; at += 1) {
    const character = sql[at] ?? '';
    // A doubled quote within quotes closes and reopens them.
    if (character === "'") quoted = !quoted;
    if (quoted) continue;
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    if (depth >= 0 && !(depth === 0 && character === ',')) continue;
    items.push(sql.slice(begin, at).trim());
    begin = at + 1;
    if (depth < 0) return { items, end: begin };
  }
  return undefined;
}
