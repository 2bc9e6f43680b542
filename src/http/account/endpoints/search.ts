import type { KindName } from '../../../kinds/kind.ts';
import type { Endpoint } from '../../endpoint.ts';
import { recordHandler, recordParts } from '../../endpoints/records.ts';
import { searchHandler } from '../../endpoints/search.ts';
import { suggestHandler, suggestParts } from '../../endpoints/suggest.ts';
import { accountOperation } from '../../openapi/account-operation.ts';
import { limitHeaders } from '../../openapi/headers.ts';
import { jsonContent } from '../../openapi/responses.ts';
import { searchParts } from '../../search/search-operation.ts';

// Search for the pages: the API's own answers, without a key.

const searchGates = ['slot', 'visitor', 'search slot', 'one search'] as const;
const suggestGates = ['slot', 'visitor', 'search slot', 'one suggestion'] as const;
const recordGates = ['slot', 'visitor', 'records slot', 'one search'] as const;

export const accountSearch: Endpoint = {
  method: 'get',
  path: '/account/api/search',
  gates: searchGates,
  errors: ['invalid_cursor', 'cursor_expired', 'too_many_cursors'],
  countedAs: 'console',
  operation() {
    const { answer, examples, ...parts } = searchParts();
    return accountOperation({
      ...parts,
      content: jsonContent(answer, examples),
      gates: searchGates,
      description: `${parts.description} Costs one call of the account that is signed in. Visitors have a few searches a minute, and no cursors.`,
      headers: [...parts.headers, ...limitHeaders],
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
    const { answer, examples, ...parts } = suggestParts();
    return accountOperation({
      ...parts,
      content: jsonContent(answer, examples),
      gates: suggestGates,
      description: `${parts.description} Ten of them cost one call of the account that is signed in, or one search of a visitor's.`,
      headers: [...parts.headers, ...limitHeaders],
    });
  },
  handler: suggestHandler,
};

export function accountRecord(kind: KindName): Endpoint {
  return {
    method: 'get',
    path: `/account/api/records/${kind}/{identifier}`,
    gates: recordGates,
    errors: ['not_found'],
    countedAs: 'console',
    operation() {
      const { answer, examples, ...parts } = recordParts(kind);
      return accountOperation({
        ...parts,
        content: jsonContent(answer, examples),
        tag: 'Search',
        gates: recordGates,
        description: `${parts.description} Costs one call of the account that is signed in, or one search of a visitor's.`,
        headers: [...parts.headers, ...limitHeaders],
      });
    },
    handler: (deps) => recordHandler(deps, kind),
  };
}
