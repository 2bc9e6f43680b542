import { filterTexts } from '../../search/options/filters.ts';
import type { healthParameters } from '../endpoints/health.ts';
import type { paidSearchParameters } from '../endpoints/paid-search.ts';
import type { suggestParameters } from '../endpoints/suggest.ts';
import type { searchParameters } from '../request/search-parameters.ts';
import type { ParameterTexts } from './query-parameters.ts';

/** The parameters' words in the OpenAPI document. */
export const searchTexts: ParameterTexts<typeof searchParameters> = {
  type: { text: 'The kind of entities, or all kinds in one list.', example: 'companies' },
  query: {
    text: 'Text to search for; nothing in it is an operator. Empty: all entities, the most prominent first.',
    example: 'plover spire',
  },
  page: {
    text: 'Page times limit reaches to 10,000; beyond, follow data.nextCursor. Not together with cursor. Default 1.',
  },
  limit: { text: 'Results on a page.', example: 5 },
  cursor: { text: "An earlier answer's data.nextCursor, with all other parameters as they were and without page." },
  ...filterTexts,
  sort: { text: 'The order; "-" before it reverses. Default relevance.' },
  facets: { text: 'What to count over all results, as data.facets: the 20 most frequent values each.' },
  highlight: { text: 'Whether items show where they match.' },
  fields: {
    text: 'Fields of the items, instead of those that they have by themselves; id and entity_type are always there.',
  },
};

export const suggestTexts: ParameterTexts<typeof suggestParameters> = {
  q: { text: 'What has been typed so far. Empty: nothing is suggested.', example: 'plov' },
  type: { text: 'The kind of entities, or all kinds.' },
  limit: { text: 'Suggestions at most.' },
};

export const healthTexts: ParameterTexts<typeof healthParameters> = {
  detailed: {
    text: 'Whether the routes are tried too, with real searches. Takes up to 10 s; poll it every 5 to 10 minutes.',
  },
};

export const paidSearchTexts: ParameterTexts<typeof paidSearchParameters> = {
  q: { text: 'Text to search for. Empty: the most prominent entities.', example: 'exchange' },
  type: { text: 'The kind of entities; events are not sold.' },
  limit: { text: 'Results at most. With all it is divided evenly, the remainder going to companies, then people.' },
  page: { text: 'Only echoed: page 2 costs the same for the same results.' },
};

export const recordTexts = { fields: { text: 'Fields of the record, instead of all; id is always there.' } } as const;
