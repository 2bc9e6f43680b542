// Words that questions are made of, in addition to names and topics.

/** Returns the words of a text that separates them by blanks. */
export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

/** Returns lower case without accents, so that "Zürich" and "zurich" are equal. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

/** Returns a name as the index compares whole names: folded, with letters and digits only. */
export function joinedName(text: string): string {
  return fold(text).replace(/[^\p{L}\p{N}]/gu, '');
}

/** Words that make a text a sentence, not names and labels. All may occur in an overview by chance, or in no answer. */
export const sentenceWordsMin = 7;

/** Words that end a name, or begin a statement about the previous word. */
export const linkWords = wordSet(
  'in on at and or nor neither but who whom whose that which with without for from near by to about around across within during since after before until between among like similar such as other than except besides excluding outside instead not based located working building founded established launched backed funded created focused doing is are was were what where when using supporting this next last has have had did does do via versus vs',
);

/** Filler words of questions. They are removed at the beginning and end of the rest. */
export const fillers = wordSet(
  "a an the any some all how many list show me find give please what which who whom whose whos whats are is was were will there do does did can could i we you they looking look search searching need want to get that have has had and or in on at from by of but for with as it its be been being also most best top good named called other than like one ones something anything everything thing things stuff tell about devoted dedicated know known more every each them use using doing happened happens happening else during around take takes took taken taking place held where when headquartered gave give given talk talked spoke spoken speaking hi hello hey exist exists im i'm wrote written writing proposed based focused focusing focus specialized specialised specializing specialising interested ran deal deals dealing mainly mostly still venue primarily purely solely exclusively",
);

/** Returns true for words between a noun and a topic: "that do not require kyc". */
export function fillsTopic(key: string): boolean {
  return (
    linkWords.has(key) ||
    fillers.has(key) ||
    key === 'those' ||
    /^(requir|charg|involv|need|support|offer|accept|invest|build|built|focus|run|work|liv|deploy)(e?s|ed?|ing|ment)?$/.test(
      key,
    )
  );
}

/** The chains that people name by their coins. */
export const chainNames = new Map(
  Object.entries({
    eth: 'ethereum',
    btc: 'bitcoin',
    sol: 'solana',
    matic: 'polygon',
    bnb: 'bnb chain',
    bsc: 'bnb chain',
    avax: 'avalanche',
  }),
);

/** Words after the name of a chain. */
export const chainNoun = /^(chain|ecosystem|network|mainnet)$/;

/** Words that names don't contain. A text with one of them is everyday language. */
export const unlikeNames = wordSet(
  'a an my your our his her their its this that these those it i you we they them every each whole thing things something anything everything once only just very too not having being doing talking using paying going getting other another one own same',
);
