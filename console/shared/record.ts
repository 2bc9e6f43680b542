// Reading of records whose fields depend on their kind, and of which search results show a part.

export type Fields = Readonly<Record<string, unknown>>;

/** A text that says something; null for everything else. */
export function textOf(fields: Fields, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** A number; null for everything else. */
export function numberOf(fields: Fields, name: string): number | null {
  const value = fields[name];
  return typeof value === 'number' ? value : null;
}

/** The texts of a list that say something. */
export function textsOf(fields: Fields, name: string): readonly string[] {
  const value = fields[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string' && each.trim() !== '') : [];
}

/** The objects of a list. */
export function objectsOf(fields: Fields, name: string): readonly Fields[] {
  const value = fields[name];
  return Array.isArray(value) ? value.map(fieldsOf).filter((each) => each !== null) : [];
}

/** An object's fields; null for what is none. */
export function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}

/** City and country, as far as they are known. */
export function placeOf(fields: Fields): string | null {
  const location = fieldsOf(fields.location_json);
  if (location === null) return null;
  const parts = [textOf(location, 'city'), textOf(location, 'country')].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** A day, or the days from one to another, as people write them. */
export function daysText(from: string | null, to: string | null): string | null {
  const [first, last] = [from, to].map((day) => (day === null ? null : new Date(`${day}T00:00:00Z`)));
  if (!first || Number.isNaN(first.getTime())) return null;
  if (!last || Number.isNaN(last.getTime()) || last <= first) return dayFormat.format(first);
  return dayFormat.formatRange(first, last);
}

/** An address of the web; null for anything that a link should not lead to. */
export function webAddress(text: string | null): URL | null {
  if (text === null) return null;
  const url = URL.parse(text) ?? URL.parse(`https://${text}`);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname.includes('.') ? url : null;
}

/** A slug of which no name is known, as words. */
export function slugWords(slug: string): string {
  return slug.replace(/(?:^|-)([^-])/g, (_, letter: string) => ` ${letter.toUpperCase()}`).trim();
}

/** One or two letters that stand for a name. */
export function initials(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const [first = '?', second] = words;
  const letters =
    second === undefined ? Array.from(first).slice(0, 2) : [first, second].map((word) => Array.from(word)[0]);
  return letters.join('').toUpperCase();
}
