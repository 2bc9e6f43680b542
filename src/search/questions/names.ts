import { kindWordAt } from './kind-words.ts';
import { phrase, type Sentence } from './sentence.ts';
import { fillers, linkWords, unlikeNames } from './words.ts';

export const nameWordsMax = 6;
/** Maximum number of names in a list. */
export const namesMax = 4;

/** Returns true for a word that ends a name: "to", but not in "Gateway to Cosmos". */
const endsName = (sentence: Sentence, at: number): boolean =>
  linkWords.has(sentence.key(at)) && !(sentence.key(at) === 'to' && sentence.is(at - 1, /^(gateway|road|path)$/));

/** Returns the end of a name that begins at a word; the word itself if none does. */
export function nameEnd(sentence: Sentence, from: number): number {
  let at = from;
  while (sentence.isFree(at) && at - from < nameWordsMax && (at === from || !endsName(sentence, at))) {
    at += 1;
    if (sentence.words[at - 1]?.endsPhrase === true) break;
  }
  return at > from && !linkWords.has(sentence.key(from)) ? at : from;
}

/** Words before a name that aren't part of it. */
const leads = /^(an?|ex|also|former|previous|who|whos|whats|what|list|show|find|give|me|all|any|some|best|top|good)$/;

/** Returns the position where the name before a word begins; that of the word if there is none. */
export function nameStart(sentence: Sentence, at: number): number {
  let from = at;
  while (sentence.isFree(from - 1) && !endsName(sentence, from - 1) && at - from < nameWordsMax) from -= 1;
  const isLead = (place: number): boolean => place < at && sentence.is(place, leads);
  // "The graph founder", but "who is the ethereum founder".
  while (isLead(from) || (sentence.key(from) === 'the' && (from > 0 || isLead(from + 1)))) from += 1;
  return from;
}

/** "Instead of once a month" and "not playing" name nothing. */
export function mayBeName({ words }: Sentence, from: number, until: number): boolean {
  const name = words.slice(from, until).map(({ key }) => key);
  return name.every((key) => !unlikeNames.has(key)) && name.some((key) => key !== '' && !fillers.has(key));
}

/** Names of series of proposals: any of them has authors. */
export const seriesOfProposals = 'eip|erc|bip|cip|cps|nep|slip|caip';
export const series = phrase(`(${seriesOfProposals})s?`);

/**
 * Reads one name, or several that are joined, up to a known end: "chainlink, aave and compound". Returns the names as
 * written, none if no name begins there, the position after the last one, and what "both", "either" or "or" mean.
 */
export function namesAt(sentence: Sentence, from: number, until = sentence.words.length) {
  const names: string[] = [];
  const isListed = sentence.is(from, /^(both|either)$/);
  let isEither = sentence.key(from) === 'either';
  // "Besides the ceo and the cto".
  const areRoles = kindWordAt(sentence, from)?.kind === 'people';
  let end = from;
  for (let at = isListed ? from + 1 : from; names.length < namesMax; ) {
    const last = Math.min(nameEnd(sentence, at), until);
    const isFirst = names.length === 0;
    if (last <= at || !mayBeName(sentence, at, last) || (!isFirst && !areRoles && isStatement(sentence, at, last)))
      break;
    names.push(sentence.nameOf(at, last));
    isEither ||= !isFirst && sentence.key(at - 1) === 'or';
    end = last;
    const next = sentence.nextListed(last);
    if (next === null) break;
    at = areRoles ? sentence.afterThe(next) : next;
  }
  return { names, end, isBoth: sentence.key(from) === 'both', isEither };
}

/** Returns true for a noun or verb of another statement: "worked at consensys and founded a company". */
export function isStatement(sentence: Sentence, from: number, until: number): boolean {
  const isVerb =
    /(?<!^se)(ed|ing)$|^(are|is|was|were|has|have|had|then|later|also|went|came|returned|now|today|who|that|spoke|speaks?|works?|wrote|runs|gave|held|invests?)$/;
  if (sentence.is(from, isVerb)) return true;
  // "Maker" and "Drift Protocol" are names.
  const nouns = sentence.words.slice(from, until).map((_, at) => kindWordAt(sentence, from + at));
  return nouns.some((noun) => noun?.isPlural === true || noun?.kind === 'people');
}
