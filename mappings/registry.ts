import { createHash } from 'node:crypto';
import type { estypes } from '@elastic/elasticsearch';
import { readVocabulary } from '../src/config/vocabulary.ts';
import type { EmbeddingModel } from '../src/embeddings/model.ts';
import type { KindName } from '../src/kinds/kind.ts';
import { kinds } from '../src/kinds/registry.ts';
import { selectBodies } from '../src/kinds/sql.ts';
import { conceptTokensOf, indexRules } from '../src/search/vocabulary/vocabulary.ts';
import { analysis } from './analysis.ts';
import { propertiesOf, searchWithVector } from './fields.ts';

/** Settings and mapping of an index, which refuses documents with other fields. */
export interface IndexDefinition {
  readonly settings: estypes.IndicesIndexSettings;
  readonly mappings: estypes.MappingTypeMapping;
}

/** The options of an index. A change of either requires a new generation. */
export interface IndexOptions {
  /** The model whose vectors documents hold; null: none. */
  readonly embeddings: EmbeddingModel | null;
  readonly shards: number;
}

/** Returns the definition of a kind's index in the form for comparisons, with one entry per rule. */
export function indexDefinition(kind: KindName, options: IndexOptions): IndexDefinition {
  return definitionWith(kind, indexRules(readVocabulary()), options);
}

/**
 * Returns the definition in the form for Elasticsearch, with the vocabulary's 1,400 rules as the lines of one text.
 * Elasticsearch copies every list among the analysis settings once per setting, which takes longer than creating the
 * index.
 */
export function indexRequest(kind: KindName, options: IndexOptions): IndexDefinition {
  return definitionWith(kind, [indexRules(readVocabulary()).join('\n')], options);
}

function definitionWith(kind: KindName, concepts: string[], { embeddings, shards }: IndexOptions): IndexDefinition {
  const settings = { number_of_shards: shards, analysis: analysis({ concepts, kindWords: kindRule(kind) }) };
  const fields = propertiesOf(kind);
  if (embeddings === null) return { settings, mappings: { dynamic: 'strict', properties: fields } };
  return {
    // By default, vectors are left out of returned documents, and a comparison of whole documents would report them as
    // missing.
    settings: { ...settings, 'index.mapping.exclude_source_vectors': false },
    mappings: { dynamic: 'strict', properties: { ...fields, search: searchWithVector(embeddings) } },
  };
}

function kindRule(kind: KindName): string {
  const { noun, words } = kinds[kind];
  const all = words.split(' ');
  return `${noun} => ${[...new Set([...all, ...conceptTokensOf(all, readVocabulary())])].join(', ')}`;
}

/** Returns the SQL of a kind's documents, as a new generation stores it. */
export function documentSql(kind: KindName, { embeddings }: Pick<IndexOptions, 'embeddings'>): string {
  return selectBodies(kinds[kind].sql, 'document', '', embeddings);
}

/**
 * Returns a hash, of eight hexadecimal digits, of everything that determines the content of a kind's index: settings,
 * mapping and the documents' SQL. Indices with the same hash are interchangeable. A different hash requires a new
 * generation.
 */
export function generationHash(kind: KindName, options: IndexOptions): string {
  const content = JSON.stringify([indexDefinition(kind, options), documentSql(kind, options)]);
  return createHash('sha256').update(content).digest('hex').slice(0, 8);
}
