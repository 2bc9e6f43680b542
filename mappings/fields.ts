import type { estypes } from '@elastic/elasticsearch';
import { type EmbeddingModel, vectorField } from '../src/embeddings/model.ts';
import type { CompanyRecord } from '../src/kinds/companies.ts';
import type { EventRecord } from '../src/kinds/events.ts';
import type { InvestorRecord } from '../src/kinds/investors.ts';
import type { documentParts, KindName, SearchFields } from '../src/kinds/kind.ts';
import type { PersonRecord } from '../src/kinds/people.ts';
import { kinds } from '../src/kinds/registry.ts';

type Property = estypes.MappingProperty;

/** Shown, never searched. */
const shownText: Property = { type: 'text', index: false };
const onlyShown = { index: false, doc_values: false } as const;
const shownKeyword: Property = { type: 'keyword', ...onlyShown };
const shownNumber: Property = { type: 'integer', ...onlyShown };
const shownDate: Property = { type: 'date', format: 'strict_date', ...onlyShown };
const shownBoolean: Property = { type: 'boolean', ...onlyShown };
/** Used for sorting and counting, never searched. */
const onlySorted = { index: false } as const;
/** Searched, never used for sorting or counting. */
const onlyFound = { doc_values: false } as const;
const folded = { type: 'keyword', normalizer: 'folded', ignore_above: 512 } as const;
/** Filtered and counted by value, ignoring case and accents. */
const value: Property = {
  ...folded,
  // The spelling of documents, with which counted values are shown.
  fields: { shown: { type: 'keyword', ignore_above: 512, ...onlySorted } },
};
/** The same for values that are not counted. */
const foundValue: Property = { ...folded, ...onlyFound };
const wholeNumber: Property = { type: 'integer' };
const sortedMoney: Property = { type: 'double', ...onlySorted };
const calendarDate: Property = { type: 'date', format: 'strict_date' };
const instant: Property = { type: 'date', format: 'strict_date_time' };
/** Shown unchanged, never searched. */
const opaque: Property = { type: 'object', enabled: false };

const id: Property = { type: 'long' };
/** Read for all documents in comparisons, never searched. */
const hash: Property = { type: 'keyword', ...onlySorted };
const slug: Property = { type: 'keyword', ...onlyFound };
const name: Property = { ...shownText, fields: { sort: folded } };
/**
 * All tags and places, the only field in which their words are searched. Names, years, relations and texts have their
 * own fields (`ranking/word-fields.ts`), because analysing them twice would cost too much.
 */
const labels = 'search.labels';
/** Searched through the labels, and highlighted if it matches a query. */
const onlyAmongLabels = { type: 'text', index: false, analyzer: 'english', copy_to: labels } as const;

const english = { type: 'text', analyzer: 'english', search_analyzer: 'english_question' } as const;
/** Without phrases and norms: an entity with many labels or names is not less about each of them. */
const asLabels = { index_options: 'freqs', norms: false } as const;
/** Only the presence of words counts. */
const occurring = { norms: false, index_options: 'docs' } as const;
/** Whole values without their separators. */
const joined = { type: 'text', analyzer: 'joined', ...occurring } as const;

const overview: Property = english;
const location: Property = { properties: { city: value, country: value } };

const searchProperties: Record<keyof SearchFields | 'labels', Property> = {
  names: {
    type: 'text',
    analyzer: 'words',
    norms: false,
    fields: {
      joined,
      english: { ...english, ...asLabels },
    },
  },
  ids: joined,
  proposals: joined,
  series: foundValue,
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
  size: wholeNumber,
  labels: { ...english, ...asLabels },
};

/** The fields of documents of all kinds. A name means the same in every kind, so that one query works for all. */
const properties: Record<
  keyof (CompanyRecord & PersonRecord & InvestorRecord & EventRecord & typeof documentParts),
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
  founded_date: { ...calendarDate, ...onlyFound },
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

export function propertiesOf(kind: KindName): Record<string, Property> {
  const known: Readonly<Record<string, Property>> = properties;
  return Object.fromEntries(
    Object.keys(kinds[kind].document.shape).flatMap((name) => {
      const property = known[name];
      return property === undefined ? [] : [[name, property]];
    }),
  );
}

/** Returns `search` with a vector of a model, which has one byte per number and is compared by cosine. */
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
