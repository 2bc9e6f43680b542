import type { KindName } from '../../kinds/kind.ts';
import { kinds } from '../../kinds/registry.ts';
import type { Json } from '../../lib/wire-schema.ts';
import type { ToolArguments } from './tool-arguments.ts';

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

// Models pay for every token that they read, so answers leave out empty values.

/** Returns true for null and for an empty text, list or object. */
function isBlank(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Removes empty values at any depth. Items of lists stay, so that positions keep their meaning. */
export function compact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compact);
  return typeof value === 'object' && value !== null ? compactObject(value) : value;
}

/** Removes empty values of an object. The result may be empty. */
export function compactObject(value: object): Json {
  const entries = Object.entries(value).map(([name, inner]) => [name, compact(inner)] as const);
  return Object.fromEntries(entries.filter(([, inner]) => !isBlank(inner)));
}

/** The field that is left out by default, because addresses of pictures are long and rarely useful to a model. */
const picture = 'logo';

/** Returns items as a tool shows them: with the usual fields, or with the requested ones. */
export function shownItems(items: readonly object[], { fields }: ToolArguments): readonly Json[] {
  const all = items.map(compactObject);
  if (fields !== undefined && fields !== null) return all;
  return all.map(({ [picture]: _, ...item }) => item);
}

/** Returns the fields that a lookup shows by default. */
export function usualFields(kind: KindName): readonly string[] {
  return kinds[kind].itemFields.filter((field) => field !== picture);
}
