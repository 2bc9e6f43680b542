import { kindWordAt } from './kind-words.ts';
import { mayBeName, nameEnd, nameStart, namesAt } from './names.ts';
import { firstOf, phrase, type Sentence } from './sentence.ts';
import { linkWords } from './words.ts';

/** Cues before a name whose neighbours are wanted. */
const likeCue = phrase(
  [
    'similar( [a-z]{3,}s)? to',
    '(comparable (to|with)|akin to|close to|same( (job|thing|kind|sort|work|idea|companies|projects|startups))? as|such as|resembling|like)',
    '(alternatives? (to|for|of)|(competitors?|competition|rivals?) (of|to|for)|(version|equivalent) of|(peers?|clones?) of)',
    '(equivalents? (of|to)|(replacements?|substitutes?) (for|of)|replac(e|es|ing))',
    '((compete|competes|competing) (with|against)|rivall?ing|(better|safer|cheaper|faster|easier|simpler) than)',
    '(in place of|in the (style|spirit|vein|same league) (of|as)|along the lines of)',
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
  const positions = [...sentence.words.keys()];
  return firstOf([likeAt, trailingAt, elsewhereAt, joinedAt], (one) => firstOf(positions, (at) => one(sentence, at)));
}

/** Reads "alternatives to uniswap". */
function likeAt(sentence: Sentence, at: number): string | null {
  const from = sentence.after(at, likeCue);
  if (from === null || !isNeighbourCue(sentence, at, from)) return null;
  const { names, end } = namesAt(sentence, from);
  const [name = null] = names;
  if (name === null) return null;
  if (sentence.is(at - 1, /^(good|free|(better|cheap|fast|safe|simple)(e?r|st)?)$/))
    sentence.take(at - 1, at, 'ignored');
  // "Like binance and kraken": the first name is enough.
  sentence.take(at, end, 'like');
  return name;
}

/** "Like a bank" and "I would like" compare with no entity. */
function isNeighbourCue(sentence: Sentence, at: number, from: number): boolean {
  if (sentence.is(from, /^(an?|to|it|this|that|you|i|me|my|when|how)$/)) return false;
  const isWish = sentence.is(at - 1, /^(would|i|id|we|you|they|(look|feel|sound)s?|looking|dont|do|much)$/);
  const noun = kindWordAt(sentence, from);
  // "Alternatives to Maker".
  const isKind = noun !== null && (noun.isPlural || sentence.key(from - 1) === 'like');
  return !isKind && !(isWish && sentence.key(at) === 'like');
}

/** Reads "ens but for other chains", "uniswap but on solana": a name at the beginning, and the wanted difference. */
function elsewhereAt(sentence: Sentence, at: number): string | null {
  const from = sentence.is(0, /^(an?|the|something)$/) ? 1 : 0;
  const end = at === 0 ? nameEnd(sentence, from) : from;
  const isElsewhere = sentence.is(end, /^but$/) && sentence.is(end + 1, /^(for|on|in|with|without)$/);
  if (end === from || !isElsewhere || !mayBeName(sentence, from, end)) return null;
  if (kindWordAt(sentence, end - 1) !== null) return null;
  sentence.take(0, end + 2, 'like');
  if (sentence.is(end + 2, /^(other|another|different)$/)) sentence.take(end + 2, end + 4, 'filler');
  return sentence.nameOf(from, end);
}

const unlikeJoined = /^(bank|cash|game|life|old|new|web2|web3|human|free|open)$/i;

/** Reads "farcaster-like apps". */
function joinedAt(sentence: Sentence, at: number): string | null {
  const joined = /^(.*[\p{L}\p{N}])-(like|style|esque)$/iu.exec(sentence.words[at]?.name ?? '')?.[1];
  if (joined === undefined || !sentence.isFree(at) || unlikeJoined.test(joined)) return null;
  sentence.take(at, at + 1, 'like');
  return joined;
}

/** Reads "metamask alternatives", "chainlink competitors". */
function trailingAt(sentence: Sentence, at: number): string | null {
  const next = sentence.key(at + 1);
  const isLast = next === '' || linkWords.has(next);
  const from = nameStart(sentence, at);
  if (!sentence.is(at, trailingCue) || !isLast || !mayBeName(sentence, from, at)) return null;
  sentence.take(from, at + 1, 'like');
  return sentence.nameOf(from, at);
}
