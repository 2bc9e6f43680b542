import { z } from 'zod';
import { calendarDay, list, optional, text, wholeNumber, year } from './fields.ts';
import { defineKindImport } from './kind-import.ts';

export const eventsImport = defineKindImport({
  kind: 'events',
  columns: {
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
  },
  others: {},
  check: ({ start_date: start, end_date: end }) =>
    start !== null && end !== null && end < start ? [{ path: 'end_date', message: 'is before start_date' }] : [],
  relations: [],
});
