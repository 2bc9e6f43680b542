/** A value for COPY: text, number, boolean, null, or a list for a `text[]` column. */
export type CopyValue = string | number | boolean | null | readonly string[];

const special = /[\\\n\r\t]/g;
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Returns one row in COPY's text format, newline included. */
export function copyRow(values: readonly CopyValue[]): string {
  let row = '';
  for (let at = 0; at < values.length; at += 1) {
    if (at > 0) row += '\t';
    row += copyField(values[at] ?? null);
  }
  return `${row}\n`;
}

function copyField(value: CopyValue): string {
  if (value === null) return '\\N';
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 't' : 'f';
  return value.length === 0 ? '{}' : escaped(arrayLiteral(value));
}

function arrayLiteral(items: readonly string[]): string {
  return `{${items.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

function escaped(text: string): string {
  return text.replace(special, (character) => escapes[character] ?? character);
}
