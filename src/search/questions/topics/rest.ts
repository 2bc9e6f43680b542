import { isKindNoun } from '../kind-nouns.ts';
import { isOnlyChain } from '../knowledge.ts';
import { mayBeName } from '../names.ts';
import { phrase, type Sentence } from '../sentence.ts';
import { chainNames, fillers, fold, linkWords } from '../words.ts';

/**
 * Returns the words to search for, without fillers at both ends. A chain's ticker also means its name ("eth or ethereum"),
 * and "or" joins a list.
 */
export function searchedRest(sentence: Sentence): string {
  const words = [...sentence.rest()];
  while (fillers.has(words[0]?.key ?? '')) {
    const isTop = words.shift()?.key === 'top';
    // "Top 10".
    if (isTop && /^\d{1,3}$/.test(words[0]?.key ?? '')) words.shift();
  }
  // "Nft related".
  const isFiller = (key: string) => key === 'related' || fillers.has(key);
  while (isFiller(words.at(-1)?.key ?? '') && words.at(-2)?.key !== 'series') words.pop();
  const last = words.at(-1);
  const rest = words
    // "At the seed stage".
    .filter(({ key }, at) => !(/^stages?$/.test(key) && /^(pre)?seed$/.test(words[at - 1]?.key ?? '')))
    .map((word, at) => {
      // "Eth events in germany", "eth hackathons".
      const isAlone = words.length === 1 || isKindNoun(words[1]?.key ?? '');
      const chain = at === 0 && isAlone ? chainNames.get(word.key) : undefined;
      // "Aave's valuation", without the last word.
      const own = word.isPossessive && word === last ? word.name : word.text;
      const text = word === last ? own.replace(/[?,;:]+$/, '') : own;
      return chain === undefined ? (word.isCorrected ? word.key : text) : `${text} or ${chain}`;
    })
    .join(' ');
  return withOrs(rest, sentence);
}

/** Returns "dex or bridge or wallet" for "dex, bridge or wallet", but not for "solana, dex or bridge". */
function withOrs(text: string, sentence: Sentence): string {
  const isChain = (word: string) => isOnlyChain(sentence, fold(word));
  const joined = text.replace(/([\w-]+), (?=([\w-]+)(?: [\w-]+)? or )/g, (all, word: string, next: string) =>
    isChain(word) === isChain(next) && !fillers.has(fold(next)) ? `${word} or ` : all,
  );
  return joined === text ? text : withOrs(joined, sentence);
}

/** Returns the remaining words that name topics or chains, alone or together, and those that are written as names. */
export function topicsOf(sentence: Sentence): string {
  const { words, keys, isTopicOrChain, gazetteer } = sentence;
  const topics: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const { name = '', key = '' } = words[at] ?? {};
    const place = gazetteer.find(key);
    const isName =
      place === null
        ? /\p{Lu}|\p{N}/u.test(name) && !linkWords.has(key) && mayBeName(sentence, at, at + 1)
        : place.countries.length < 2;
    const ends = [3, 2, 1].map((length) => at + length).filter((end) => keys(at, end).split(' ').length === end - at);
    const end =
      ends.find((one) => isTopicOrChain(keys(at, one).split(' '))) ?? (isName && sentence.isFree(at) ? at + 1 : at);
    topics.push(...words.slice(at, end).map((word) => word.name));
    at = Math.max(at, end - 1);
  }
  return topics.join(' ');
}

const mainClause = phrase(
  '(please )?(i|we) (need|want|should|would|am|are|look)|please|show|give|list|which|who(m|se)?|what|where|could|can|tel+|find|name',
);
const asRole = phrase('as an?');
const roleWordsMax = 6;

/** Returns the end of the words before the question: "i plan a meetup; which". Takes a role: "as a founder, i". */
export function readPreamble(sentence: Sentence): number {
  const isRole = sentence.after(0, asRole) !== null;
  if (!isRole && !sentence.is(0, /^(for|to|i|we|my|our|im)$/)) return 0;
  const isEnd = (at: number) => sentence.words[at - 1]?.endsPhrase && sentence.after(at, mainClause) !== null;
  // "As a former banker i wonder".
  const isBeforeI = (at: number) => isRole && at <= roleWordsMax && sentence.is(at, /^i$/);
  const end = sentence.words.findIndex((_, at) => isEnd(at) || isBeforeI(at));
  if (isRole && end > 0) sentence.take(0, end, 'filler');
  return Math.max(end, 0);
}

/** Takes out the words before the question that are neither topics nor names, nor its only place. */
export function dropPreamble(sentence: Sentence, end: number, hasPlace: boolean): void {
  const { words, isFree, isTopicOrChain, gazetteer, take } = sentence;
  for (const [at, { key, name }] of words.slice(0, end).entries()) {
    const isTopic = [[key], [words[at - 1]?.key ?? '', key], [key, words[at + 1]?.key ?? '']].some(isTopicOrChain);
    // "West and East Africa".
    const isPlace = gazetteer.find(key) !== null || /^(north|south|east|west)(ern)?$/.test(key);
    const isName = at > 0 && !isPlace && /\p{Lu}|\p{N}/u.test(name);
    if (isFree(at) && !isTopic && !isName && (hasPlace || !isPlace)) take(at, at + 1, 'filler');
  }
}
