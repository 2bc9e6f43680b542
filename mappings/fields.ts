import type { estypes } from '@elastic/elasticsearch';
import { type EmbeddingModel, vectorField } from '../src/embeddings/model.ts';
import type { CompanyDocument } from '../src/kinds/companies.ts';
import type { EventDocument } from '../src/kinds/events.ts';
import type { InvestorDocument } from '../src/kinds/investors.ts';
import type { KindName, SearchFields } from '../src/kinds/kind.ts';
import type { PersonDocument } from '../src/kinds/people.ts';
import { kinds } from '../src/kinds/registry.ts';

type Property = estypes.MappingProperty;

/** Shown, never asked for. */
const shownText: Property = { type: 'text', index: false };
const onlyShown = { index: false, doc_values: false } as const;
const shownKeyword: Property = { type: 'keyword', ...onlyShown };
const shownNumber: Property = { type: 'integer', ...onlyShown };
const shownDate: Property = { type: 'date', format: 'strict_date', ...onlyShown };
const shownBoolean: Property = { type: 'boolean', ...onlyShown };
/** Sorted and counted by, never searched for. */
const onlySorted = { index: false } as const;
/** Searched for, never sorted or counted by. */
const onlyFound = { doc_values: false } as const;
const folded = { type: 'keyword', normalizer: 'folded', ignore_above: 512 } as const;
/** Filtered and counted by its value, without regard to case and accents. */
const value: Property = {
  ...folded,
  // As documents spell it: how a counted value is shown.
  fields: { shown: { type: 'keyword', ignore_above: 512, ...onlySorted } },
};
/** The same where values are not counted. */
const foundValue: Property = { ...folded, ...onlyFound };
const wholeNumber: Property = { type: 'integer' };
const sortedMoney: Property = { type: 'double', ...onlySorted };
const calendarDate: Property = { type: 'date', format: 'strict_date' };
const instant: Property = { type: 'date', format: 'strict_date_time' };
/** Shown as it is, never looked into. */
const opaque: Property = { type: 'object', enabled: false };

const id: Property = { type: 'long' };
/** Read by the million in comparisons, never asked for. */
const hash: Property = { type: 'keyword', ...onlySorted };
const slug: Property = { type: 'keyword', ...onlyFound };
const name: Property = { type: 'text', analyzer: 'words', index_options: 'freqs', fields: { sort: folded } };
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

const overview: Property = english;
const location: Property = { properties: { city: value, country: value } };

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

/** Every field of a document, whatever its kind: one query serves all kinds, so a name means the same everywhere. */
const properties: Record<
  keyof CompanyDocument | keyof PersonDocument | keyof InvestorDocument | keyof EventDocument,
  Property
> = {
  id,
  name,
  slug,
  logo: shownKeyword,
  tagline: shownText,
  overview,
  total_employees: wholeNumber,
  employee_count: shownNumber,
  year_founded: wholeNumber,
  founded_date: calendarDate,
  website: shownKeyword,
  tags: value,
  location_json: location,
  company_stage: value,
  funding_stage: value,
  total_funding_usd: sortedMoney,
  is_verified: shownBoolean,
  aliases: shownText,
  former_names: shownText,
  tickers: shownKeyword,
  ecosystems: value,
  investors: shownText,
  investor_references: opaque,
  links: opaque,
  updated_at: instant,
  hash,
  headline: shownText,
  roles: opaque,
  companies: foundValue,
  company_references: opaque,
  events: foundValue,
  event_references: opaque,
  proposals: shownKeyword,
  investor_type: foundValue,
  investment_focus: value,
  investment_stages: foundValue,
  ticket_size: shownKeyword,
  portfolio_companies: opaque,
  portfolio_count: shownNumber,
  start_date: calendarDate,
  end_date: shownDate,
  year: shownNumber,
  venue: shownText,
  organizer: shownText,
  event_types: value,
  is_online: { type: 'boolean' },
  capacity: shownNumber,
  search: { properties: searchProperties },
};

/** Returns the properties of a kind's documents. */
export function propertiesOf(kind: KindName): Record<string, Property> {
  const known: Readonly<Record<string, Property>> = properties;
  return Object.fromEntries(
    Object.keys(kinds[kind].document.shape).flatMap((name) => {
      const property = known[name];
      return property === undefined ? [] : [[name, property]];
    }),
  );
}

/** Returns `search` with a vector of a model: of one byte for each number, compared by angle. */
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
