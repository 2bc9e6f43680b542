import { createHash } from 'node:crypto';
import type { estypes } from '@elastic/elasticsearch';
import { readVocabulary } from '../src/config/vocabulary.ts';
import type { KindName } from '../src/kinds/kind.ts';
import { kinds } from '../src/kinds/registry.ts';
import { selectBodies } from '../src/kinds/sql.ts';
import { analysis } from './analysis.ts';
import { companies } from './companies.ts';
import { events } from './events.ts';
import { investors } from './investors.ts';
import { people } from './people.ts';

const properties: Record<KindName, Record<string, estypes.MappingProperty>> = { companies, people, investors, events };

/** What Elasticsearch is told when an index is created. */
export interface IndexDefinition {
  readonly settings: estypes.IndicesIndexSettings;
  readonly mappings: estypes.MappingTypeMapping;
}

/** Settings and mapping of a kind's index; a document with a field that is not named here is refused. */
export function indexDefinition(kind: KindName): IndexDefinition {
  return {
    settings: { number_of_shards: 1, analysis: analysis(readVocabulary()) },
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
