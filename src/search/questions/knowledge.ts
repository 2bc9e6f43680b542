import { createGazetteer, type Gazetteer } from './places/gazetteer.ts';
import { chainNames, fold } from './words.ts';

const none: ReadonlySet<string> = new Set();

/** Words in the spelling of the data. */
export interface DataTerms {
  readonly countries: ReadonlySet<string>;
  readonly cities: ReadonlySet<string>;
  /** The subjects of companies and investors, and the vocabulary's phrases for them. */
  readonly topics: ReadonlySet<string>;
  /** Chains, which are topics and names. */
  readonly ecosystems: ReadonlySet<string>;
  /** Tags of entities of any kind. */
  readonly tags?: ReadonlySet<string>;
}

/** The knowledge for reading a question, which distinguishes places and topics from other words. */
export interface Knowledge {
  readonly terms: DataTerms;
  readonly gazetteer: Gazetteer;
  /** Countries and cities of the data. */
  readonly places: readonly string[];
  /** Topics, chains and tags. */
  readonly labels: readonly string[];
  /** Topics that are names as well. */
  readonly chains: readonly string[];
  /** Returns true if words mean a topic. Chains and places don't count, because a chain may have founders. */
  isTopic(words: readonly string[]): boolean;
  /** Returns true for a topic in the plural, which asks for companies: "wallets", with the word before: "yield vaults". */
  isPluralTopic(word: string, before?: string): boolean;
  isTopicOrChain(words: readonly string[]): boolean;
  /** Returns the values of the data for the chain that words name, also among others: "ethereum-solana". */
  chainsOf(words: readonly string[]): readonly string[];
}

/** Returns true for a chain that is not another topic as well. */
export const isOnlyChain = (of: Pick<Knowledge, 'isTopic' | 'isTopicOrChain'>, word: string): boolean =>
  of.isTopicOrChain([word]) && !of.isTopic([word]);

export function createKnowledge(terms: DataTerms): Knowledge {
  const { countries, cities, topics, ecosystems, tags = none } = terms;
  const gazetteer = createGazetteer(countries, cities);
  const chains = new Set([...ecosystems].map(joined));
  const isPlace = (topic: string): boolean => (gazetteer.find(fold(topic))?.countries.length ?? 0) > 0;
  const known = new Set([...topics, ...everyday].filter((topic) => !isPlace(topic)).map(joined));
  for (const chain of chains) known.delete(chain);
  const valuesOf = Map.groupBy(ecosystems, joined);
  for (const value of ecosystems) {
    const parts = value.split('-').map(joined);
    // "Polygon-zkevm" is another chain.
    if (parts.length < 2 || parts.filter((part) => chains.has(part)).length < 2) continue;
    for (const part of parts) valuesOf.get(part)?.push(value);
    valuesOf.delete(joined(value));
  }
  const isTopic = (words: readonly string[]): boolean => {
    // "New york" is a tag, too, but no topic.
    if (words.length > 1 && gazetteer.find(words.map(fold).join(' ')) !== null) return false;
    const key = words.map(joined).join('');
    return known.has(key) || known.has(key.replace(/(?<=x|ch|sh)es$|s$/, ''));
  };
  return {
    terms,
    gazetteer,
    places: [...countries, ...cities],
    chains: [...ecosystems],
    labels: [...topics, ...ecosystems, ...tags],
    isTopic,
    isPluralTopic: (word, before = '') =>
      word.endsWith('s') && (isTopic([word]) || (before !== '' && isTopic([before, word]))),
    isTopicOrChain: (words) => isTopic(words) || chains.has(words.map(joined).join('')),
    chainsOf(words) {
      const key = words.map(joined).join('');
      const values = valuesOf.get(key) ?? valuesOf.get(joined(chainNames.get(key) ?? '')) ?? [];
      return key === '' ? [] : values.slice(0, valuesMax);
    },
  };
}

/** Returns true if both have the same elements, in any order. */
export function sameTerms(one: DataTerms, other: DataTerms): boolean {
  return (['countries', 'cities', 'topics', 'ecosystems', 'tags'] as const).every((name) => {
    const [left, right] = [one[name] ?? none, other[name] ?? none];
    return left.size === right.size && [...left].every((term) => right.has(term));
  });
}

/** Maximum number of values that name a chain, its own first. Queries contain all of them. */
const valuesMax = 8;

/** Topics that don't depend on the data. */
const everyday = ['crypto', 'blockchain', 'web3', 'defi', 'nft', 'dao', 'ai', 'fintech', 'cryptocurrency'];

function joined(text: string): string {
  return fold(text).replace(/[\s\-‐-―_]/g, '');
}

/** The knowledge before the data was read: countries, regions and times are understood, cities are not. */
export const emptyKnowledge = createKnowledge({ countries: none, cities: none, topics: none, ecosystems: none });
