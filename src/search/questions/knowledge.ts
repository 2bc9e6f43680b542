import { createGazetteer, type Gazetteer } from './gazetteer.ts';
import { fold } from './sentence.ts';

/** Words of the data, spelled as there. */
export interface DataTerms {
  readonly countries: ReadonlySet<string>;
  readonly cities: ReadonlySet<string>;
  /** What entities are about, and phrases that mean such topics. */
  readonly topics: ReadonlySet<string>;
  /** Chains: topics that are names as well. */
  readonly ecosystems: ReadonlySet<string>;
}

/** What a question is read with: it tells names of places and topics from other words. */
export interface Knowledge {
  readonly gazetteer: Gazetteer;
  /** All of the data's terms: what queries are made of beside names. */
  readonly labels: readonly string[];
  /** Whether words mean a topic; a chain is none here, for one may ask who founded it. */
  isTopic(words: readonly string[]): boolean;
}

export function createKnowledge({ countries, cities, topics, ecosystems }: DataTerms): Knowledge {
  const names = new Set([...ecosystems].map(joined));
  const known = new Set([...topics, ...everyday].map(joined).filter((topic) => !names.has(topic)));
  return {
    gazetteer: createGazetteer(countries, cities),
    labels: [...countries, ...cities, ...topics, ...ecosystems],
    isTopic: (words) =>
      known.has(words.map(joined).join('')) || known.has(words.map(joined).join('').replace(/s$/, '')),
  };
}

/** Topics whatever the data has. */
const everyday = ['crypto', 'blockchain', 'web3', 'defi', 'nft', 'dao', 'ai', 'fintech', 'cryptocurrency'];

function joined(text: string): string {
  return fold(text).replace(/[\s\-‐-―_]/g, '');
}

const none: ReadonlySet<string> = new Set();

/** As long as nothing is known of the data: countries, regions and times are understood, cities are not. */
export const emptyKnowledge = createKnowledge({ countries: none, cities: none, topics: none, ecosystems: none });
