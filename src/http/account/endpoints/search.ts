import { csvLine } from '../../../lib/text/csv.ts';
import type { Route } from '../../endpoint.ts';
import { findEntities, searchHandler } from '../../endpoints/search.ts';
import { suggestHandler } from '../../endpoints/suggest.ts';
import { sendFile } from '../account-endpoint.ts';
import { sendCalendar } from '../send-calendar.ts';

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

export const accountSuggestions = pageSearch('suggest', {
  gates: ['slot', 'visitor', 'search slot', 'one suggestion'],
  handler: suggestHandler,
});
