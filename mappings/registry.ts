import { createHash } from 'node:crypto';
import type { estypes } from '@elastic/elasticsearch';
import { readVocabulary } from '../src/config/vocabulary.ts';
import type { KindName } from '../src/kinds/kind.ts';
import { kinds } from '../src/kinds/registry.ts';
import { selectBodies } from '../src/kinds/sql.ts';
import { indexRules } from '../src/search/vocabulary/vocabulary.ts';
import { analysis } from './analysis.ts';
import { companies } from './companies.ts';
import { events } from './events.ts';
import { investors } from './investors.ts';
import { people } from './people.ts';

const properties: Record<KindName, Record<string, estypes.MappingProperty>> = { companies, people, investors, events };

/** Settings and mapping of an index; a document with a field that is not named is refused. */
export interface IndexDefinition {
  readonly settings: estypes.IndicesIndexSettings;
  readonly mappings: estypes.MappingTypeMapping;
}

/** What makes an index of this kind, rule by rule, as it is compared. */
export function indexDefinition(kind: KindName): IndexDefinition {
  return definitionWith(kind, indexRules(readVocabulary()));
}

/**
 * The same as Elasticsearch is told it: the vocabulary's 1,400 rules as the lines of one text. Elasticsearch copies every
 * list among the settings of an analysis once for each of these settings, which takes longer than making the index.
 */
export function indexRequest(kind: KindName): IndexDefinition {
  return definitionWith(kind, [indexRules(readVocabulary()).join('\n')]);
}

function definitionWith(kind: KindName, rules: string[]): IndexDefinition {
  return {
    settings: { number_of_shards: 1, analysis: analysis(rules) },
    mappings: { dynamic: 'strict', properties: properties[kind] },
  };
}

/**
 * Eight hexadecimal digits over all that decides what a kind's index holds: settings, mapping and the document's SQL.
 * Indices of the same hash are interchangeable; another hash means that a new generation is needed.
 */
export function generationHash(kind: KindName): string {
  const content = JSON.stringify([indexDefinition(kind), selectBodies(kinds[kind].sql, 'document', '')]);
  return createHash('sha256').update(content).digest('hex').slice(0, 8);
}
