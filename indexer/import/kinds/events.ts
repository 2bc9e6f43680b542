import { z } from 'zod';
import { calendarDay, commonColumns, commonParts, list, optional, text, wholeNumber, year } from './fields.ts';
import { defineKindImport } from './kind-import.ts';

/** One line of events.ndjson. */
const eventLine = z
  .strictObject({
    ...commonParts,
    website: optional(text),
    start_date: optional(calendarDay),
    end_date: optional(calendarDay),
    year: optional(year),
    venue: optional(text),
    organizer: optional(text),
    event_types: list(text),
    tags: list(text),
    ecosystems: list(text),
    is_online: optional(z.boolean()),
    capacity: optional(wholeNumber),
  })
  .refine((line) => line.start_date === null || line.end_date === null || line.end_date >= line.start_date, {
    path: ['end_date'],
    error: 'is before start_date',
  });

export const eventsImport = defineKindImport({
  kind: 'events',
  schema: eventLine,
  columns: [
    'id',
    'name',
    'slug',
    'logo',
    'overview',
    'website',
    'start_date',
    'end_date',
    'year',
    'venue',
    'organizer',
    'event_types',
    'tags',
    'ecosystems',
    'is_online',
    'capacity',
    'city',
    'country',
    'links',
    'sources',
    'synthetic',
  ],
  row: (line) => ({
    ...commonColumns(line),
    website: line.website,
    start_date: line.start_date,
    end_date: line.end_date,
    year: line.year,
    venue: line.venue,
    organizer: line.organizer,
    event_types: line.event_types,
    tags: line.tags,
    ecosystems: line.ecosystems,
    is_online: line.is_online,
    capacity: line.capacity,
  }),
  relations: [],
});
