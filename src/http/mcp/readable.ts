import type { Json } from '../../lib/wire-schema.ts';

/** A line of a list says what something is about; whoever wants all of a text fetches the record. In characters. */
const lineTextMax = 240;
/** Named by the line itself. */
const namedAlready: ReadonlySet<string> = new Set(['entity_type', 'id', 'name', 'slug', 'matchedBy']);

/** A compact item in one line: its name, how other tools are told which one it is, then its fields. */
export function itemLine(item: Json): string {
  const fields = Object.entries(item).filter(([name]) => !namedAlready.has(name));
  const facts = fields.map(([name, value]) => `${name}: ${shortened(valueText(value))}`).join('; ');
  const title = typeof item.name === 'string' ? `${item.name} ` : '';
  return `${title}(${reference(item)})${facts === '' ? '' : ` ${facts}`}`;
}

/** `companies/plover-spire, id 7`: tools take the slug, filters the id. */
function reference({ entity_type, id, slug }: Json): string {
  const kind = typeof entity_type === 'string' ? `${entity_type}/` : '';
  return slug === undefined ? `${kind}${id}` : `${kind}${slug}, id ${id}`;
}

/** A compact record, a line for each field. */
export function recordText(record: Json): string {
  return Object.entries(record)
    .map(([name, value]) => `${name}: ${valueText(value)}`)
    .join('\n');
}

/** Numbered lines, as answers refer to them. */
export function numbered(lines: readonly string[], from = 1): string {
  return lines.map((line, at) => `${from + at}. ${line}`).join('\n');
}

/** A value as people write it: lists with commas, objects as what they hold. */
function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  if (typeof value !== 'object' || value === null) return String(value).replaceAll(/\s+/g, ' ');
  const entries = Object.entries(value);
  // What names itself needs no names of its parts.
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
