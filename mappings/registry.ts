import { createHash } from 'node:crypto';
import type { estypes } from '@elastic/elasticsearch';
import { readVocabulary } from '../src/config/vocabulary.ts';
import type { EmbeddingModel } from '../src/embeddings/model.ts';
import type { KindName } from '../src/kinds/kind.ts';
import { kinds } from '../src/kinds/registry.ts';
import { selectBodies } from '../src/kinds/sql.ts';
import { indexRules } from '../src/search/vocabulary/vocabulary.ts';
import { analysis } from './analysis.ts';
import { companies } from './companies.ts';
import { events } from './events.ts';
import { searchWithVector } from './fields.ts';
import { investors } from './investors.ts';
import { people } from './people.ts';

const properties: Record<KindName, Record<string, estypes.MappingProperty>> = { companies, people, investors, events };

/** Settings and mapping of an index; a document with a field that is not named is refused. */
export interface IndexDefinition {
  readonly settings: estypes.IndicesIndexSettings;
  readonly mappings: estypes.MappingTypeMapping;
}

/**
 * What makes an index of this kind, rule by rule, as it is compared.
 * @param embeddings the model whose vectors its documents hold; null: none
 */
export function indexDefinition(kind: KindName, embeddings: EmbeddingModel | null): IndexDefinition {
  return definitionWith(kind, indexRules(readVocabulary()), embeddings);
}

/**
 * The same as Elasticsearch is told it: the vocabulary's 1,400 rules as the lines of one text. Elasticsearch copies every
 * list among the settings of an analysis once for each of these settings, which takes longer than making the index.
 */
export function indexRequest(kind: KindName, embeddings: EmbeddingModel | null): IndexDefinition {
  return definitionWith(kind, [indexRules(readVocabulary()).join('\n')], embeddings);
}

function definitionWith(kind: KindName, rules: string[], embeddings: EmbeddingModel | null): IndexDefinition {
  const settings = { number_of_shards: 1, analysis: analysis(rules) };
  const fields = properties[kind];
  if (embeddings === null) return { settings, mappings: { dynamic: 'strict', properties: fields } };
  return {
    // By default vectors are left out of what is given back, and a comparison of whole documents would find them missing.
    settings: { ...settings, 'index.mapping.exclude_source_vectors': false },
    mappings: { dynamic: 'strict', properties: { ...fields, search: searchWithVector(embeddings) } },
  };
}

/** The SQL of a kind's documents, as a new generation stores it. */
export function documentSql(kind: KindName, embeddings: EmbeddingModel | null): string {
  return selectBodies(kinds[kind].sql, 'document', '', embeddings);
}

/**
 * Eight hexadecimal digits over all that decides what a kind's index holds: settings, mapping and the document's SQL.
 * Indices of the same hash are interchangeable; another hash means that a new generation is needed.
 */
export function generationHash(kind: KindName, embeddings: EmbeddingModel | null): string {
  const content = JSON.stringify([indexDefinition(kind, embeddings), documentSql(kind, embeddings)]);
  return createHash('sha256').update(content).digest('hex').slice(0, 8);
}
