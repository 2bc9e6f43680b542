import type { estypes } from '@elastic/elasticsearch';
import { type EmbeddingModel, vectorField } from '../src/embeddings/model.ts';
import type { SearchFields } from '../src/kinds/kind.ts';

type Property = estypes.MappingProperty;

/** Shown, never asked for. */
export const shownText: Property = { type: 'text', index: false };
const onlyShown = { index: false, doc_values: false } as const;
export const shownKeyword: Property = { type: 'keyword', ...onlyShown };
export const shownNumber: Property = { type: 'integer', ...onlyShown };
export const shownDate: Property = { type: 'date', format: 'strict_date', ...onlyShown };
export const shownBoolean: Property = { type: 'boolean', ...onlyShown };
/** Sorted and counted by, never searched for. */
const onlySorted = { index: false } as const;
/** Searched for, never sorted or counted by. */
const onlyFound = { doc_values: false } as const;
const folded = { type: 'keyword', normalizer: 'folded', ignore_above: 512 } as const;
/** Filtered and counted by its value, without regard to case and accents. */
export const value: Property = {
  ...folded,
  // As documents spell it: how a counted value is shown.
  fields: { shown: { type: 'keyword', ignore_above: 512, ...onlySorted } },
};
/** The same where values are not counted. */
export const foundValue: Property = { ...folded, ...onlyFound };
export const wholeNumber: Property = { type: 'integer' };
export const sortedMoney: Property = { type: 'double', ...onlySorted };
export const calendarDate: Property = { type: 'date', format: 'strict_date' };
export const instant: Property = { type: 'date', format: 'strict_date_time' };
/** Shown as it is, never looked into. */
export const opaque: Property = { type: 'object', enabled: false };

export const id: Property = { type: 'long' };
/** Read by the million in comparisons, never asked for. */
export const hash: Property = { type: 'keyword', ...onlySorted };
export const slug: Property = { type: 'keyword', ...onlyFound };
export const name: Property = { type: 'text', analyzer: 'words', index_options: 'freqs', fields: { sort: folded } };
/**
 * All tags and places, the only field in which their words are looked up. Names, years, relations and texts have fields
 * of their own (`ranking/word-fields.ts`): a second analysis of those would be much of a document's cost.
 */
const labels = 'search.labels';
/** Looked up among the labels, and marked where it fits a query. */
const onlyAmongLabels = { type: 'text', index: false, analyzer: 'english', copy_to: labels } as const;

const english = { type: 'text', analyzer: 'english', search_analyzer: 'english_question' } as const;
/** No phrase is looked for; nor are many labels, or names, less about each word of them. */
const asLabels = { index_options: 'freqs', norms: false } as const;
/** Only the occurrence of words counts. */
const occurring = { norms: false, index_options: 'docs' } as const;
/** Whole values with their separators forgotten. */
const joined = { type: 'text', analyzer: 'joined', ...occurring } as const;

export const overview: Property = english;
export const location: Property = { properties: { city: value, country: value } };

const searchProperties: Record<keyof SearchFields | 'labels', Property> = {
  names: {
    type: 'text',
    analyzer: 'words',
    fields: {
      exact: { ...folded, ...onlyFound },
      joined,
      grams: { type: 'text', analyzer: 'grams', index_options: 'docs' },
      english: { ...english, ...asLabels },
    },
  },
  ids: joined,
  proposals: joined,
  city: joined,
  place: onlyAmongLabels,
  year: { ...english, analyzer: 'stems', ...occurring },
  tags: {
    ...onlyAmongLabels,
    fields: { whole: { ...joined, analyzer: 'label', search_analyzer: 'label_question' } },
  },
  // The gap keeps a phrase from matching across two names.
  relations: {
    ...english,
    norms: false,
    position_increment_gap: 100,
    fields: { whole: joined },
  },
  company_ids: { ...id, ...onlyFound },
  investor_ids: { ...id, ...onlyFound },
  short: english,
  kind_words: { ...english, analyzer: 'kind', ...occurring },
  popularity: { type: 'integer', ...onlySorted },
  labels: { ...english, ...asLabels },
};

export const search: Property = { properties: searchProperties };

/** The same with a vector of a model: of one byte for each number, compared by angle. */
export function searchWithVector(model: EmbeddingModel): Property {
  const vector: Property = {
    type: 'dense_vector',
    dims: model.dimension,
    element_type: 'byte',
    similarity: 'cosine',
    index: true,
    index_options: { type: 'hnsw', m: 16, ef_construction: 100 },
  };
  return { properties: { ...searchProperties, [vectorField(model)]: vector } };
}
