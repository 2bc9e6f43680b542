import { eventRecord } from '../../../kinds/events.ts';
import { calendarDate, location } from '../../../kinds/kind.ts';
import { csvLine } from '../../../lib/text/csv.ts';
import { type CalendarEntry, calendarFile } from '../../../lib/text/icalendar.ts';
import { identifierOf } from '../../../pages/page.ts';
import type { Deps } from '../../../ports.ts';
import type { Context } from '../../context.ts';
import type { Route } from '../../endpoint.ts';
import { fetchRecord } from '../../endpoints/records.ts';
import { findEntities, searchHandler } from '../../endpoints/search.ts';
import { suggestHandler } from '../../endpoints/suggest.ts';
import { ownOrigin } from '../../pages/send-page.ts';
import { sendFile } from '../account-endpoint.ts';

// Search for the pages: the API's own answers, without a key. Visitors have a few searches a minute, and no cursors.

function pageSearch(path: string, parts: Pick<Route, 'gates' | 'handler'>): Route {
  return { method: 'get', path: `/account/api/${path}`, countedAs: 'console', ...parts };
}

export const accountSearch = pageSearch('search', {
  gates: ['slot', 'visitor', 'search slot', 'one search'],
  handler: searchHandler,
});

const columns = ['entity_type', 'id', 'name', 'slug', 'headline', 'city', 'country', 'website', 'tags'] as const;

/** The same results as a table. */
export const accountSearchCsv = pageSearch('search.csv', {
  gates: accountSearch.gates,
  handler: (deps) => async (ctx) => {
    const { data } = await findEntities(deps, ctx, ctx.querystring);
    const lines = data.results.map((item) => {
      const { location_json: place } = item;
      const values: Readonly<Record<string, unknown>> = { ...item, ...(typeof place === 'object' ? place : {}) };
      return csvLine(columns.map((column) => cellOf(values[column])));
    });
    sendFile(ctx, 'results.csv', 'text/csv', csvLine(columns) + lines.join(''));
  },
});

function cellOf(value: unknown): string | number | null {
  if (Array.isArray(value)) return value.join('; ');
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/** The events among the same results as a calendar. */
export const accountSearchCalendar = pageSearch('search.ics', {
  gates: accountSearch.gates,
  handler: (deps) => async (ctx) => {
    const { data } = await findEntities(deps, ctx, ctx.querystring);
    sendCalendar(ctx, deps, 'events.ics', data.results);
  },
});

/** An event as a calendar. */
export const eventCalendar: Route = {
  method: 'get',
  path: '/account/api/events/{identifier}/event.ics',
  gates: ['slot', 'visitor', 'records slot'],
  handler: (deps) => async (ctx) => {
    const event = await fetchRecord(deps, 'events', ctx.params.identifier ?? '');
    sendCalendar(ctx, deps, 'event.ics', [event]);
  },
};

const datedEvent = eventRecord
  .pick({ id: true, name: true, slug: true, start_date: true, end_date: true, venue: true, overview: true })
  .extend({ start_date: calendarDate, location_json: location.nullable() })
  .strip();

/** Answers with a calendar of the items that are events with a date. */
function sendCalendar(ctx: Context, deps: Deps, fileName: string, items: readonly object[]): void {
  const origin = ownOrigin(ctx, deps.config.console);
  const entries = items.flatMap((item): readonly CalendarEntry[] => {
    const { data: event } = datedEvent.safeParse(item);
    if (event === undefined) return [];
    const { id, name, start_date: first, end_date: last, venue, location_json: place, overview } = event;
    return [
      {
        uid: `events-${id}@${origin === null ? 'entity-search' : new URL(origin).host}`,
        title: name,
        first,
        last,
        place: [venue, place?.city, place?.country].filter((part) => part).join(', '),
        text: overview ?? '',
        url: origin === null ? '' : `${origin}/events/${encodeURIComponent(identifierOf(event))}`,
      },
    ];
  });
  sendFile(ctx, fileName, 'text/calendar', calendarFile(entries, deps.clock.now()));
}

export const accountSuggestions = pageSearch('suggest', {
  gates: ['slot', 'visitor', 'search slot', 'one suggestion'],
  handler: suggestHandler,
});
