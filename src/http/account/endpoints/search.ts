import type { KindName } from '../../../kinds/kind.ts';
import type { Route } from '../../endpoint.ts';
import { recordHandler } from '../../endpoints/records.ts';
import { searchHandler } from '../../endpoints/search.ts';
import { suggestHandler } from '../../endpoints/suggest.ts';

// Search for the pages: the API's own answers, without a key. Visitors have a few searches a minute, and no cursors.

function pageSearch(path: string, parts: Pick<Route, 'gates' | 'handler'>): Route {
  return { method: 'get', path: `/account/api/${path}`, countedAs: 'console', ...parts };
}

export const accountSearch = pageSearch('search', {
  gates: ['slot', 'visitor', 'search slot', 'one search'],
  handler: searchHandler,
});

export const accountSuggestions = pageSearch('suggest', {
  gates: ['slot', 'visitor', 'search slot', 'one suggestion'],
  handler: suggestHandler,
});

export const accountRecord = (kind: KindName) =>
  pageSearch(`records/${kind}/{identifier}`, {
    gates: ['slot', 'visitor', 'records slot', 'one search'],
    handler: (deps) => recordHandler(deps, kind),
  });
