import { correctCue } from './correct-cue.ts';
import type { Knowledge } from './knowledge.ts';
import type { ReadPart } from './question.ts';
import { fold } from './words.ts';

export interface Word {
  /** As written. */
  readonly text: string;
  /** The word read here: in "kima excluded", that is "excluding kima". */
  readonly read: string;
  /** Folded, without surrounding punctuation, hyphens and possessive. Misspelt cues are corrected. */
  readonly key: string;
  /** True if the written word was a misspelling of the key. */
  readonly isCorrected: boolean;
  /** The form for names: as written, without surrounding punctuation and possessive. */
  readonly name: string;
  readonly isPossessive: boolean;
  readonly endsPhrase: boolean;
}

const around = /^[\p{Pi}\p{Pf}\p{Ps}"'`¿¡]+|[\p{Pi}\p{Pf}\p{Pe}"'`?!,;:.]+$/gu;

const shortForms = new Map(
  '+ and,n and,/ or,w with,w/ with,w/o without,r are,b4 before,ppl people,cos companies,projs projects,yr year,yrs years,smth something,wich which,thats that,exept except,xcept except'
    .split(',')
    .map((pair) => pair.split(' '))
    .map(([short = '', long = '']) => [short, long] as const),
);
const title = /^chief (\p{L})\p{L}+ officer/u;
/** "Chief technology officers" are one word, the same as "CTOs". */
const blank = /(?<!\bchief(?= \p{L}+ officers?\b)) (?<!\bchief \p{L}+ (?=officers?\b))/iu;

function toWord(text: string): Omit<Word, 'read'> {
  const bare = text.replace(around, '');
  const isPossessive = /['’]s$/iu.test(bare);
  const name = isPossessive ? bare.slice(0, -2) : bare;
  const plain = fold(name).replace(/[-‐-―]/g, '');
  const long = plain.replace(title, 'c$1o').replace(/^conf(?=s?$)/, 'conference');
  const key = correctCue(shortForms.get(text.toLowerCase().replace(/[,;:?!.]+$/, '')) ?? long);
  return { text, name, isPossessive, key, isCorrected: key !== plain, endsPhrase: /[,;:]$/u.test(text) };
}

const excludingEnd = /^(excluded|excepted|aside|out|(?:i|we)\u00a0.*know.*)([?!.,;:]*)$/i;
const excludingStart = /^(leav(e|ing)|set(ting)?|put(ting)?)$/i;
const excludedWordsMax = 6;

/** Puts words that exclude before the names: "kima excluded", "leaving aave and dydx aside". */
function withExcludingFirst(words: readonly string[]): readonly string[] {
  const read = [...words];
  for (const [at, word] of words.entries()) {
    const [, end, sign = ''] = excludingEnd.exec(word) ?? [];
    if (end === undefined) continue;
    const last = (wanted: RegExp) =>
      words.findLastIndex((one, place) => place < at && place >= at - excludedWordsMax && wanted.test(one));
    const followsNames = /^(exc|i\u00a0|we\u00a0)/i.test(end);
    // "New york city excepted" after a comma.
    const from = followsNames ? last(/[,;]$/) + 1 || at - 1 : last(excludingStart) + 1 || at;
    if (from < 0 || from >= at) continue;
    const name = words.slice(from, at);
    read.splice(from, at - from + 1, followsNames ? 'excluding' : end, ...name.slice(0, -1), `${name.at(-1)}${sign}`);
  }
  return read;
}

/** Reads "-ethereum" at the end, as search engines do. */
function withoutMinus(words: readonly string[], { isTopicOrChain }: Knowledge): readonly string[] {
  const from = words.findLastIndex((word) => !/^-\p{L}+$/u.test(word)) + 1;
  const last = words.slice(Math.max(1, from)).map((word) => word.slice(1));
  const excluding = last.flatMap((name) => (isTopicOrChain([fold(name)]) ? `non-${name}` : ['excluding', name]));
  return [...words.slice(0, words.length - last.length), ...excluding];
}

/** Returns true for "kenya" in "kenya ghana events", but not in "berlin germany", "south korea japan" and "georgia usa". */
function isListedCountry(words: readonly Pick<Word, 'key'>[], at: number, { gazetteer }: Knowledge): boolean {
  const key = (place: number) => words[place]?.key ?? '';
  const one = gazetteer.find(key(at));
  if (one === null || one.cities.length > 0 || key(at) === key(at + 1)) return false;
  const other = gazetteer.find(key(at + 1));
  if (other === null || other.cities.length > 0 || other.countries.includes('United States')) return false;
  const isPart = [at - 1, at].some((from) => gazetteer.find(`${key(from)} ${key(from + 1)}`) !== null);
  return !isPart;
}

/** Words before a misspelt "than". */
const comparing = /^(other|else|more|less|fewer|greater|higher|lower|larger|bigger|smaller)$/;

type Meaning = ReadPart['as'] | 'filler';

/** The words of a text, with the knowledge for reading them. Readers take words, so that no word is read twice. */
export interface Sentence extends Knowledge {
  readonly words: readonly Word[];
  isFree(at: number): boolean;
  /** Returns the word's key; '' if there is no such word, or it is taken. */
  key(at: number): string;
  /** Returns true if the word's key matches; a word that is taken has the key ''. */
  is(at: number, wanted: RegExp): boolean;
  /** Returns the keys of the free words from a position on, separated by blanks, for comparisons with phrases. */
  keys(at: number, until?: number, keyOf?: (word: Word) => string): string;
  /** Returns the position after a phrase that begins at a word; null if there is none. */
  after(at: number, wanted: RegExp): number | null;
  /** Returns the position of a word, or the next one if it is "the": "in the summer", "from the nordics". */
  afterThe(at: number): number;
  /** Returns the position after a word that joins the values of a list; null if there is none. */
  joinEnd(at: number): number | null;
  /** Returns the position of the next value of a list, after such a word or a comma; null if there is none. */
  nextListed(at: number): number | null;
  /** Returns words as written, without surrounding punctuation. */
  written(from: number, until: number): string;
  /** Returns a name. The article stays in names of two words, such as "The Graph". */
  nameOf(from: number, until: number): string;
  /** Takes the words from one up to, but not including, another. Words that were taken earlier are unchanged. */
  take(from: number, until: number, as: Meaning): void;
  /** Takes each occurrence of a phrase. */
  takeAll(wanted: RegExp, as: Meaning): void;
  /** Marks words as read that are still searched for. */
  note(from: number, until: number, as: Meaning): void;
  /** True if anything other than filler was read. */
  isRead(): boolean;
  rest(): readonly Word[];
  parts(): readonly ReadPart[];
}

export function createSentence(text: string, knowledge: Knowledge): Sentence {
  const split = text
    // "Ex-coinbase" and "berlin-based" have two words, and so have "2015+" and "france/germany".
    .replace(/(?<=\bex-)(?=\p{L})|(?<=\p{L})-(?=(?:based|hq|headquartered|domiciled|incorporated|century)\b)/giu, ' ')
    .replace(/(?<=\b(?:19|20)\d\d)\+(?=\W|$)/g, ' plus')
    // "NFT-centred events", "5 - 10 million".
    .replace(/(?<=\p{L})-(?:centred|centered|themed)(?= \p{L})/giu, '')
    .replace(/(?<=\d) [-–] (?=\d+ ?(?:k|mn?|mln|million|bn?|billion)\b)/gi, '-')
    .replace(/(?<=\p{L}{4})\/(?=\p{L}{4})/gu, ' / ')
    // "Docker i know already" is one word that excludes.
    .replace(
      /(?<=\S )(i|we) (already know( (them|that one))?|know( (them|that one))? already|know that one)[.!]?$/i,
      (know) => know.replaceAll(' ', '\u00a0'),
    )
    .split(blank);
  const parts = withoutMinus(split, knowledge);
  const inOrder = withExcludingFirst(parts);
  const all = text === '' ? [] : inOrder.map((part, at) => ({ ...toWord(part), read: part, text: parts[at] ?? part }));
  const words = all.map((word, at) => ({
    ...word,
    ...(word.key === 'then' && comparing.test(all[at - 1]?.key ?? '') ? { key: 'than', isCorrected: true } : {}),
    endsPhrase: word.endsPhrase || isListedCountry(all, at, knowledge),
  }));
  // Words that were taken together share one object.
  const taken = new Map<number, { readonly as: Meaning }>();
  const noted: typeof taken = new Map();
  const mark = (marked: typeof taken, from: number, until: number, as: Meaning, isOpen: (at: number) => boolean) => {
    const reading = { as };
    for (let at = from; at < until; at += 1) if (isOpen(at)) marked.set(at, reading);
  };
  // Many phrases are compared with the words at one position.
  let compared: { readonly at: number; readonly keys: string } | null = null;
  const sentence: Sentence = {
    ...knowledge,
    words,
    isFree: (at) => at >= 0 && at < words.length && !taken.has(at),
    key: (at) => (sentence.isFree(at) ? (words[at]?.key ?? '') : ''),
    is: (at, wanted) => wanted.test(sentence.key(at)),
    keys(at, until = at + phraseWordsMax, keyOf = ({ key }) => key) {
      let end = at;
      while (end < until && sentence.isFree(end)) end += 1;
      return end === at ? '' : words.slice(at, end).map(keyOf).join(' ');
    },
    after(at, wanted) {
      if (compared?.at !== at) compared = { at, keys: sentence.keys(at) };
      const found = wanted.exec(compared.keys)?.[0] ?? '';
      return found === '' ? null : at + found.split(' ').length;
    },
    afterThe: (at) => (sentence.key(at) === 'the' ? at + 1 : at),
    joinEnd: (at) => sentence.after(at, join),
    nextListed: (at) => sentence.joinEnd(at) ?? (words[at - 1]?.endsPhrase === true ? at : null),
    written: (from, until) => namesOf(words.slice(from, until)).join(' '),
    nameOf(from, until) {
      const names = namesOf(words.slice(from, until));
      if (names.length > 2 && /^the$/iu.test(names[0] ?? '')) names.shift();
      return names.join(' ').trim();
    },
    take(from, until, as) {
      mark(taken, from, until, as, sentence.isFree);
      compared = null;
    },
    takeAll(wanted, as) {
      for (const at of words.keys()) sentence.take(at, sentence.after(at, wanted) ?? at, as);
    },
    note: (from, until, as) => mark(noted, from, until, as, () => true),
    isRead: () => [...taken.values(), ...noted.values()].some(({ as }) => as !== 'filler'),
    rest: () => words.filter((_, at) => sentence.isFree(at)),
    parts() {
      const read = [...words.entries()].map(([at, { text }]) => ({ text, reading: noted.get(at) ?? taken.get(at) }));
      return [...Map.groupBy(read, ({ reading }) => reading)].flatMap(([reading, own]) =>
        reading === undefined || reading.as === 'filler'
          ? []
          : [{ as: reading.as, text: own.map(({ text }) => text).join(' ') }],
      );
    },
  };
  return sentence;
}

const namesOf = (words: readonly Word[]): string[] => words.map(({ name }) => name);

/** Returns the first result that is not null, of reading one value after another. */
export function firstOf<One, Found>(all: Iterable<One>, read: (one: One) => Found | null): Found | null {
  for (const one of all) {
    const found = read(one);
    if (found !== null) return found;
  }
  return null;
}

/** A pattern of consecutive words: their keys, separated by blanks. */
export function phrase(pattern: string): RegExp {
  // Built from tables of words, which are constants.
  // nosemgrep: no-expressions-from-values
  return new RegExp(`^(?:${pattern})(?= |$)`);
}

const phraseWordsMax = 10;
const join = phrase('and|or|nor|plus|as well as');
