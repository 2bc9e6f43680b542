import type { Json } from '../../lib/wire-schema.ts';

/** Maximum number of characters of a value in a list. The full text is in the record. */
const lineTextMax = 240;
/** Fields that are not repeated after the beginning of a line. */
const namedAlready: ReadonlySet<string> = new Set(['entity_type', 'id', 'name', 'slug', 'matchedBy']);

/** Formats a compact item as one line: its name, its identifiers for other tools, then its fields. */
export function itemLine(item: Json): string {
  const fields = Object.entries(item).filter(([name]) => !namedAlready.has(name));
  const facts = fields.map(([name, value]) => `${name}: ${shortened(valueText(value))}`).join('; ');
  const title = typeof item.name === 'string' ? `${item.name} ` : '';
  return `${title}(${reference(item)})${facts === '' ? '' : ` ${facts}`}`;
}

/** Formats identifiers, such as `companies/plover-spire, id 7`. Tools accept the slug, and filters accept the id. */
function reference({ entity_type, id, slug }: Json): string {
  const kind = typeof entity_type === 'string' ? `${entity_type}/` : '';
  return slug === undefined ? `${kind}${id}` : `${kind}${slug}, id ${id}`;
}

/** Formats a compact record with one line per field. */
export function recordText(record: Json): string {
  return Object.entries(record)
    .map(([name, value]) => `${name}: ${valueText(value)}`)
    .join('\n');
}

/** Numbers lines. */
export function numbered(lines: readonly string[], from = 1): string {
  return lines.map((line, at) => `${from + at}. ${line}`).join('\n');
}

/** Formats a value for readers: lists with commas, and objects by their values. */
function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  if (typeof value !== 'object' || value === null) return String(value).replaceAll(/\s+/g, ' ');
  const entries = Object.entries(value);
  // Objects of texts, such as a place, are clear without the names of their properties.
  if (entries.every(([, inner]) => typeof inner === 'string')) return entries.map(([, inner]) => inner).join(', ');
  return `(${entries.map(([name, inner]) => `${name}: ${valueText(inner)}`).join('; ')})`;
}

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length <= lineTextMax
    ? text
    : `${characters
        .slice(0, lineTextMax - 1)
        .join('')
        .trimEnd()}…`;
}
