import type { estypes } from '@elastic/elasticsearch';
import { type IndexDefinition, indexRequest } from '../../../mappings/registry.ts';
import { indexOptions } from '../../../src/config/indexer.ts';
import type { KindName } from '../../../src/kinds/kind.ts';
import { kinds } from '../../../src/kinds/registry.ts';

// Indices as earlier versions made them, as far as searches ask for something else of them. A new version's API asks these
// until they are rebuilt. Analyzers kept their names.

type Properties = Record<string, estypes.MappingProperty>;

/** One way in which documents were indexed. */
interface EarlierIndex {
  readonly search: Properties;
  readonly overview: estypes.MappingProperty;
  /** What documents held as words for their kind. */
  readonly kindWords: (kind: KindName) => string;
}

const english = { type: 'text', analyzer: 'english', search_analyzer: 'english_question' } as const;
const stems = { ...english, analyzer: 'stems' } as const;
const occurring = { norms: false, index_options: 'docs' } as const;
const frequencies = { index_options: 'freqs' } as const;
const joined = { type: 'text', analyzer: 'joined', ...occurring } as const;
const whole: Properties = { whole: { ...joined, analyzer: 'label', search_analyzer: 'label_question' } };
const folded = { type: 'keyword', normalizer: 'folded', ignore_above: 512 } as const;
const nameFields: Properties = {
  exact: folded,
  joined,
  grams: { type: 'text', analyzer: 'grams', index_options: 'docs' },
  english: { ...english, norms: false },
};
const same: Properties = {
  ids: joined,
  proposals: joined,
  city: joined,
  company_ids: { type: 'long' },
  investor_ids: { type: 'long' },
  popularity: { type: 'integer' },
};

const all = 'search.words';
const filed = 'search.filed';
const copiesOfAllWords: EarlierIndex = {
  overview: { ...english, copy_to: [all, 'search.telling'] },
  kindWords: (kind) => kinds[kind].words,
  search: {
    ...same,
    names: { type: 'text', analyzer: 'words', copy_to: [all, 'search.telling'], fields: nameFields },
    place: { ...english, copy_to: [all, 'search.telling', filed] },
    year: { ...english, norms: false, copy_to: [all, 'search.telling', filed] },
    tags: { ...english, norms: false, copy_to: [all, 'search.telling', filed], fields: whole },
    relations: {
      ...english,
      norms: false,
      copy_to: [all, 'search.telling'],
      position_increment_gap: 100,
      fields: { whole: joined },
    },
    short: { ...english, copy_to: [all, 'search.telling'] },
    kind_words: { ...english, norms: false, copy_to: [all, filed] },
    words: { ...english, ...occurring },
    telling: { ...english, ...occurring },
    filed: { ...english, ...occurring },
  },
};

const copiesOfShortTexts: EarlierIndex = {
  overview: english,
  kindWords: (kind) => kinds[kind].noun,
  search: {
    ...same,
    names: { type: 'text', analyzer: 'words', copy_to: 'search.telling', fields: nameFields },
    place: { ...english, ...frequencies, copy_to: 'search.labels' },
    year: { ...stems, ...occurring, copy_to: 'search.labels' },
    tags: { ...english, norms: false, ...frequencies, copy_to: 'search.labels', fields: whole },
    relations: {
      ...stems,
      norms: false,
      copy_to: 'search.telling',
      position_increment_gap: 100,
      fields: { whole: joined },
    },
    short: english,
    kind_words: { ...english, analyzer: 'kind', ...occurring },
    telling: { ...english, ...occurring },
    labels: { ...english, ...occurring },
  },
};

export const earlierIndices = {
  'copies of all words': copiesOfAllWords,
  'copies of names and labels': copiesOfShortTexts,
} as const;

/** The kind's index as it was made then. */
export function earlierDefinition(kind: KindName, { search, overview }: EarlierIndex): IndexDefinition {
  const { settings, mappings } = indexRequest(kind, indexOptions({}));
  const properties = { ...mappings.properties, search: { properties: search }, overview };
  return { settings, mappings: { ...mappings, properties } };
}
