import type { KindName } from '../../kinds/kind.ts';
import { kinds } from '../../kinds/registry.ts';
import type { EntityPage } from '../../pages/page.ts';
import type { EntityRecord } from '../../records/ports.ts';
import type { PageHead } from './document.ts';

/** Characters that search engines show. */
const descriptionMax = 160;

const nameOfKind = (kind: KindName): string => kinds[kind].singular.toLowerCase();

/** Returns the head of an entity's page, for search engines and link previews. */
export function describeEntity({ kind, record }: EntityPage, canonical: string | null): PageHead {
  const name = text(record.name) ?? nameOfKind(kind);
  const summary = text(record.tagline) ?? text(record.headline) ?? text(record.overview);
  return {
    title: `${name}, ${nameOfKind(kind)}`,
    description: shortened(summary ?? `${name}, ${nameOfKind(kind)} in Web3: facts and connections.`),
    canonical,
    about: { '@context': 'https://schema.org', ...linkedData[kind](record), ...(canonical && { url: canonical }) },
  };
}

type LinkedData = Readonly<Record<string, unknown>>;

/** The linked data of each kind, with the vocabulary of schema.org. */
const linkedData: Readonly<Record<KindName, (record: EntityRecord) => LinkedData>> = {
  companies: (record) =>
    known({
      '@type': 'Organization',
      ...common(record),
      slogan: text(record.tagline),
      foundingDate: text(record.founded_date) ?? (record.year_founded === null ? null : String(record.year_founded)),
      numberOfEmployees: record.employee_count,
      address: address(record),
    }),
  people: (record) =>
    known({
      '@type': 'Person',
      ...common(record),
      jobTitle: text(record.headline),
      homeLocation: place(record),
    }),
  investors: (record) => known({ '@type': 'Organization', ...common(record), address: address(record) }),
  events: (record) =>
    known({
      '@type': 'Event',
      ...common(record),
      startDate: text(record.start_date),
      endDate: text(record.end_date),
      eventAttendanceMode: attendance(record.is_online),
      location: place(record),
      organizer: organizer(record),
    }),
};

function common(record: EntityRecord): LinkedData {
  const overview = text(record.overview);
  return {
    name: record.name,
    description: overview === null ? null : shortened(overview, 5_000),
    alternateName: record.aliases,
    sameAs: webAddresses(record),
  };
}

function attendance(isOnline: unknown): string | null {
  if (typeof isOnline !== 'boolean') return null;
  return `https://schema.org/${isOnline ? 'OnlineEventAttendanceMode' : 'OfflineEventAttendanceMode'}`;
}

function organizer(record: EntityRecord): LinkedData | null {
  const name = text(record.organizer);
  return name === null ? null : { '@type': 'Organization', name };
}

function address(record: EntityRecord): LinkedData | null {
  const location = record.location_json;
  if (typeof location !== 'object' || location === null) return null;
  const { city = null, country = null }: { city?: unknown; country?: unknown } = location;
  return known({ '@type': 'PostalAddress', addressLocality: text(city), addressCountry: text(country) });
}

function place(record: EntityRecord): LinkedData | null {
  const where = address(record);
  const name = text(record.venue);
  return where === null && name === null ? null : known({ '@type': 'Place', name, address: where });
}

/** Returns the entity's http(s) addresses on other sites. */
function webAddresses(record: EntityRecord): readonly string[] {
  const { website, links } = record;
  const others = typeof links === 'object' && links !== null ? Object.values(links) : [];
  return [website, ...others].filter(
    (each): each is string => typeof each === 'string' && /^https?:$/.test(URL.parse(each)?.protocol ?? ''),
  );
}

/** Removes null and empty lists. */
function known(data: LinkedData): LinkedData {
  return Object.fromEntries(
    Object.entries(data).filter(([, value]) => value != null && !(Array.isArray(value) && value.length === 0)),
  );
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** Returns the beginning of a text, up to the end of a word. */
function shortened(whole: string, max = descriptionMax): string {
  const flat = whole.replace(/\s+/g, ' ').trim();
  const letters = Array.from(flat);
  if (letters.length <= max) return flat;
  const start = letters.slice(0, max - 1).join('');
  return `${start.slice(0, Math.max(start.lastIndexOf(' '), max / 2))}…`;
}
