import { z } from 'zod';
import { instant } from '../lib/wire-schema.ts';
import { calendarDate, documentParts, entityId, type Kind, links, location, type SearchFields } from './kind.ts';
import { beginning, handles, hosts, kindSql, listed, ownProminence, present, texts, writableDate } from './sql.ts';

export const eventRecord = z.strictObject({
  id: entityId,
  name: z.string(),
  slug: z.string(),
  logo: z.string().nullable(),
  overview: z.string().nullable(),
  website: z.string().nullable(),
  start_date: calendarDate.nullable(),
  end_date: calendarDate.nullable(),
  year: z.int().nullable(),
  venue: z.string().nullable(),
  organizer: z.string().nullable(),
  event_types: z.array(z.string()),
  tags: z.array(z.string()),
  ecosystems: z.array(z.string()),
  is_online: z.boolean().nullable(),
  capacity: z.int().nonnegative().nullable(),
  location_json: location.nullable(),
  links,
  updated_at: instant,
});
export type EventRecord = z.infer<typeof eventRecord>;

const eventYear = `coalesce(e.year, extract(year from ${writableDate('e.start_date')})::int)`;
const eventTypes = texts('e.event_types');
const tags = texts('e.tags');
const ecosystems = texts('e.ecosystems');

const from = `events e
  cross join lateral (
    select count(distinct a.person_id)::int as people from event_people a where a.event_id = e.id
  ) as attendance`;

const record = { year: eventYear } satisfies Partial<Record<keyof EventRecord, string>>;

const search = {
  ids: `${handles('e')} || ${hosts('e.website')}`,
  place: present('e.city', 'e.country', 'e.venue'),
  year: present(`(${eventYear})::text`),
  tags: `${tags} || ${ecosystems} || ${eventTypes} || case when e.is_online then array['online'] else '{}' end`,
  relations: present('e.organizer'),
  kind_words: "'event'",
  popularity: `${ownProminence('e', true)} + attendance.people / 10`,
  size: 'e.capacity',
} satisfies Partial<Record<keyof SearchFields, string>>;

const textParts = [
  beginning('e.name', 200),
  listed(`${eventTypes} || ${tags} || ${ecosystems}`),
  beginning('e.overview', 600),
];

export const events: Kind = {
  name: 'events',
  singular: 'Event',
  noun: 'event',
  words: 'event events gathering gatherings crypto blockchain web3 ecosystem onchain network',
  exampleIdentifier: '4000001',
  record: eventRecord,
  document: eventRecord.extend(documentParts),
  itemFields: Object.keys(eventRecord.shape).filter((field) => field !== 'updated_at'),
  sql: kindSql({ kind: 'events', alias: 'e', schema: eventRecord, from, record, search, texts: textParts }),
  relations: [],
};
