import { isTitle, kindWordAt } from './kind-words.ts';
import { mayBeName, nameEnd, namesAt, nameWordsMax } from './names.ts';
import { keysFrom, nameOf, phrase, phraseEnd, type Sentence } from './sentence.ts';
import { linkWords } from './words.ts';

/** Cues before a name whose neighbours are wanted. */
const likeCue = phrase(
  [
    'similar( [a-z]{3,}s)? to',
    '(comparable (to|with)|akin to|close to|same( (job|thing|kind|sort|work|idea))? as|such as|resembling|like)',
    '(alternatives? (to|for|of)|(competitors?|rivals?) (of|to|for)|(peers?|clones?) of)',
    '(equivalents? (of|to)|(replacements?|substitutes?) (for|of)|replac(e|es|ing)|instead of|rather than)',
    '((compete|competes|competing) (with|against)|rivall?ing|(better|safer|cheaper|faster|easier|simpler) than)',
    '(in place of|in the (style|spirit|same league) (of|as)|along the lines of)',
    '((switch|switching|migrate|migrating|move|moving) away from|(switch|switching|migrate|migrating|moving) from)',
    // "Tools that do what tenderly does", "funds that invest the way paradigm does".
    '((do|does|doing) what|the way)',
  ].join('|'),
);
/** The same after the name. */
const trailingCue =
  /^(alternatives?|competitors?|rivals?|lookalikes?|equivalents?|clones?|replacements?|substitutes?)$/;

/** Reads the entity whose neighbours are wanted, taken out of a sentence together with the words that ask for them. */
export function readLike(sentence: Sentence): string | null {
  for (const at of sentence.words.keys()) {
    const from = phraseEnd(keysFrom(sentence, at), at, likeCue);
    if (from === null || !isNeighbourCue(sentence, at, from)) continue;
    const { names, end } = namesAt(sentence, from);
    const [name] = names;
    if (name === undefined) continue;
    takeGeneric(sentence, at - 1);
    takeVerb(sentence, end);
    // "Like binance and kraken": the first name is enough.
    sentence.take(at, end, 'like');
    return name;
  }
  return readTrailing(sentence) ?? readElsewhere(sentence) ?? readJoined(sentence);
}

/** "Like a bank" and "I would like" compare with no entity, and "Like Company" is one. */
function isNeighbourCue(sentence: Sentence, at: number, from: number): boolean {
  // "Like Coin" as well.
  if (at === 0 && isTitle(sentence, 0, sentence.words.length)) return false;
  if (/^(an?|to|it|this|that|you|i|me|my|when|how)$/.test(sentence.key(from))) return false;
  const isWish = /^(would|i|id|we|you|they|(look|feel|sound)s?|looking|dont|do|much)$/.test(sentence.key(at - 1));
  return kindWordAt(sentence, from) === null && !(isWish && sentence.key(at) === 'like');
}

/** Reads "something like uniswap". */
function takeGeneric(sentence: Sentence, at: number): void {
  if (/^(something|anything|things?|stuff|ones?|others?)$/.test(sentence.key(at))) sentence.take(at, at + 1, 'filler');
}

/** Reads "what tenderly does". */
function takeVerb(sentence: Sentence, at: number): void {
  if (/^(do|does|did)$/.test(sentence.key(at))) sentence.take(at, at + 1, 'filler');
}

/** Reads "ens but for other chains", "uniswap but on solana": a name at the beginning, and the wanted difference. */
function readElsewhere(sentence: Sentence): string | null {
  const from = /^(an?|the|something)$/.test(sentence.key(0)) ? 1 : 0;
  const end = nameEnd(sentence, from);
  const isElsewhere = sentence.key(end) === 'but' && /^(for|on|in|with|without)$/.test(sentence.key(end + 1));
  if (end === from || !isElsewhere || !mayBeName(sentence, from, end)) return null;
  if (kindWordAt(sentence, end - 1) !== null) return null;
  sentence.take(0, end + 2, 'like');
  const isAnywhere = /^(other|another|different)$/.test(sentence.key(end + 2));
  if (isAnywhere) sentence.take(end + 2, end + 4, 'filler');
  return nameOf(sentence, from, end);
}

/** Reads "farcaster-like apps". */
function readJoined(sentence: Sentence): string | null {
  for (const [at, { name }] of sentence.words.entries()) {
    const joined = /^(.*[\p{L}\p{N}])-(like|style|esque)$/iu.exec(name)?.[1];
    if (joined === undefined || !sentence.isFree(at) || unlikeJoined.test(joined)) continue;
    sentence.take(at, at + 1, 'like');
    return joined;
  }
  return null;
}

const unlikeJoined = /^(bank|cash|game|life|old|new|web2|web3|human|free|open)$/i;

/** Reads "metamask alternatives", "chainlink competitors". */
function readTrailing(sentence: Sentence): string | null {
  for (const at of sentence.words.keys()) {
    const next = sentence.key(at + 1);
    if (!trailingCue.test(sentence.key(at)) || !(next === '' || linkWords.has(next))) continue;
    let from = at;
    while (sentence.isFree(from - 1) && !linkWords.has(sentence.key(from - 1)) && at - from < nameWordsMax) from -= 1;
    while (from < at && /^(the|a|an|best|top|good|any|some|find|show|me)$/.test(sentence.key(from))) from += 1;
    if (from === at || kindWordAt(sentence, at - 1)?.isPlural === true) continue;
    if (!mayBeName(sentence, from, at)) continue;
    sentence.take(from, at + 1, 'like');
    return nameOf(sentence, from, at);
  }
  return null;
}
