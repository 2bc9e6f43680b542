import type { KindName } from '../../../kinds/kind.ts';
import type { Endpoint } from '../../endpoint.ts';
import { recordHandler, recordParts } from '../../endpoints/records.ts';
import { searchHandler } from '../../endpoints/search.ts';
import { suggestHandler, suggestParts } from '../../endpoints/suggest.ts';
import { CursorExpired, InvalidCursor, RecordNotFound, SearchFailed, TooManyCursors } from '../../errors/errors.ts';
import { accountOperation } from '../../openapi/account-operation.ts';
import { limitHeaders } from '../../openapi/headers.ts';
import { searchParts } from '../../search/search-operation.ts';

// Search for the pages: the API's own answers, without a key.

const searchGates = ['slot', 'search slot', 'visitor'] as const;
const suggestGates = ['slot', 'search slot', 'visitor suggestion'] as const;
const recordGates = ['slot', 'records slot', 'visitor'] as const;

export const accountSearch: Endpoint = {
  method: 'get',
  path: '/account/api/search',
  gates: searchGates,
  countedAs: 'console',
  operation() {
    const parts = searchParts();
    return accountOperation({
      ...parts,
      gates: searchGates,
      description: `${parts.description} Costs one call of the account that is signed in. Visitors may ask a few times a minute, and follow no cursor.`,
      headers: [...parts.headers, ...limitHeaders],
      errors: [
        new InvalidCursor(),
        new CursorExpired(),
        new TooManyCursors(20, 60_000),
        new SearchFailed('timeout', null),
      ],
    });
  },
  handler: searchHandler,
};

export const accountSuggestions: Endpoint = {
  method: 'get',
  path: '/account/api/suggest',
  gates: suggestGates,
  countedAs: 'console',
  operation() {
    const parts = suggestParts();
    return accountOperation({
      ...parts,
      gates: suggestGates,
      description: `${parts.description} Ten of them cost one call of the account that is signed in, or one search of a visitor's.`,
      headers: [...parts.headers, ...limitHeaders],
      errors: [new SearchFailed('timeout', null)],
    });
  },
  handler: suggestHandler,
};

export function accountRecord(kind: KindName): Endpoint {
  return {
    method: 'get',
    path: `/account/api/records/${kind}/{identifier}`,
    gates: recordGates,
    countedAs: 'console',
    operation() {
      const parts = recordParts(kind);
      return accountOperation({
        ...parts,
        tag: 'Search',
        gates: recordGates,
        description: `${parts.description} Costs one call of the account that is signed in, or one search of a visitor's.`,
        headers: [...parts.headers, ...limitHeaders],
        errors: [new RecordNotFound(kind)],
      });
    },
    handler: (deps) => recordHandler(deps, kind),
  };
}
