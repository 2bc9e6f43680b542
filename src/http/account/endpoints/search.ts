import type { KindName } from '../../../kinds/kind.ts';
import type { Endpoint } from '../../endpoint.ts';
import { recordHandler, recordParts } from '../../endpoints/records.ts';
import { searchHandler } from '../../endpoints/search.ts';
import { suggestHandler, suggestParts } from '../../endpoints/suggest.ts';
import { limitHeaders } from '../../openapi/headers.ts';
import { searchParts } from '../../search/search-operation.ts';

// Search for the pages: the API's own answers, without a key.

type Parts = ReturnType<typeof searchParts | typeof suggestParts | typeof recordParts>;

interface PageSearch extends Pick<Endpoint, 'gates' | 'handler' | 'errors'> {
  readonly path: string;
  readonly parts: () => Parts;
  /** A sentence about the cost, for the documentation. */
  readonly cost: string;
}

function pageSearch({ path, parts, cost, ...endpoint }: PageSearch): Endpoint {
  return {
    method: 'get',
    path: `/account/api/${path}`,
    ...endpoint,
    countedAs: 'console',
    operation() {
      const shared = parts();
      return {
        ...shared,
        tag: 'Search',
        description: `${shared.description} ${cost}`,
        headers: [...shared.headers, ...limitHeaders],
      };
    },
  };
}

export const accountSearch = pageSearch({
  path: 'search',
  gates: ['slot', 'visitor', 'search slot', 'one search'],
  handler: searchHandler,
  parts: searchParts,
  cost: 'Costs one call of the account that is signed in. Visitors have a few searches a minute, and no cursors.',
  errors: ['invalid_cursor', 'cursor_expired', 'too_many_cursors'],
});

export const accountSuggestions = pageSearch({
  path: 'suggest',
  gates: ['slot', 'visitor', 'search slot', 'one suggestion'],
  handler: suggestHandler,
  parts: suggestParts,
  cost: "Ten of them cost one call of the account that is signed in, or one search of a visitor's.",
});

export const accountRecord = (kind: KindName) =>
  pageSearch({
    path: `records/${kind}/{identifier}`,
    gates: ['slot', 'visitor', 'records slot', 'one search'],
    handler: (deps) => recordHandler(deps, kind),
    parts: () => recordParts(kind),
    cost: "Costs one call of the account that is signed in, or one search of a visitor's.",
    errors: ['not_found'],
  });
