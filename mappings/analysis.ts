import type { estypes } from '@elastic/elasticsearch';

/** The characters of words. Combining marks are among them: in many scripts a vowel is one. */
const wordCharacters = '\\p{L}\\p{N}\\p{M}';
/** Accents written as characters of their own; the filter that folds accented letters leaves them alone. */
const latinMarks = '\\u0300-\\u036F';
/** One by one: Java looks these up in a table, and compares with one range after the other. */
const usualLetters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
/** The characters left out where words are joined. Usual letters are found in a table, which halves the cost. */
const forgotten = `[[^${usualLetters}]&&[[^${wordCharacters}]${latinMarks}]]+`;
/** Marks and inner punctuation, as rules that drop them: a regular expression costs several times as much. */
const dropMarks = codes([0x300, 0x36f]).map((mark) => `${mark} => `);
const dropApostrophes = ["' => ", '\\u2019 => ', '` => '];
/**
 * The characters between words, for a tokenizer that reads one character at a time: all except `wordCharacters`, private
 * and unassigned ones, and rare ones of ancient scripts. The groups leave out non-breaking blanks, invisible
 * characters and controls.
 */
const wordEnds = [
  'whitespace',
  'punctuation',
  'symbol',
  ...codes([0x01, 0x08], [0x0e, 0x1b], [0x7f, 0xa0], [0xad, 0xad], [0x600, 0x605], [0x61c, 0x61c], [0x6dd, 0x6dd]),
  ...codes([0x70f, 0x70f], [0x890, 0x891], [0x8e2, 0x8e2], [0x180e, 0x180e], [0x2007, 0x2007], [0x200b, 0x200f]),
  ...codes([0x202a, 0x202f], [0x2060, 0x2064], [0x2066, 0x206f], [0xfeff, 0xfeff], [0xfff9, 0xfffb]),
];

const joinedNeighbours = { type: 'shingle', min_shingle_size: 2, max_shingle_size: 4 } as const;

/** Rules of `synonym` filters. */
export interface AnalysisRules {
  /** The meaning of words: from the words of a phrase to these words and the tokens of the concepts. */
  readonly concepts: string[];
  /** From the one word that each document has for its kind to all words for it, with the tokens of their concepts. */
  readonly kindWords: string;
}

/**
 * Text analysis of every index. Only filters that a stock Elasticsearch 9 and the embedded node both have.
 *
 * The same names are used for the same text everywhere: `words` keeps the words as written, `joined` forgets where
 * they part, `grams` forgets their order and small errors, `english` forgets their endings.
 */
export function analysis({ concepts, kindWords }: AnalysisRules): estypes.IndicesIndexSettingsAnalysis {
  return {
    char_filter: {
      // "Café's" and "Cafes" are one word, also where the accent is a character of its own.
      drop_apostrophes: { type: 'mapping', mappings: [...dropApostrophes, ...dropMarks] },
      drop_latin_marks: { type: 'mapping', mappings: dropMarks },
      drop_separators: { type: 'pattern_replace', pattern: forgotten, replacement: '' },
      // Marks both ends, so that a gram at the start of a name differs from the same letters inside one.
      mark_ends: { type: 'pattern_replace', pattern: '^(.+)$', replacement: '_$1_' },
    },
    tokenizer: {
      letters_and_digits: { type: 'char_group', tokenize_on_chars: wordEnds },
      // A tokenizer, not a filter: the filter puts all grams at one position, where minimum_should_match has no effect.
      three_grams: { type: 'ngram', min_gram: 3, max_gram: 3 },
    },
    filter: {
      join: { type: 'pattern_replace', pattern: forgotten, replacement: '' },
      not_empty: { type: 'length', min: 1 },
      // Neighbouring words written together: how "de fi llama" finds "DefiLlama", and "eip 1559" its number.
      neighbours: { ...joinedNeighbours, output_unigrams: true, token_separator: '' },
      neighbours_only: { ...joinedNeighbours, output_unigrams: false, token_separator: '' },
      // KStem: it keeps words apart that Porter's rules would merge ("universe" and "university").
      english_stems: { type: 'stemmer', language: 'light_english' },
      // After the stemmer, which thereby takes the endings off the rules' words, too.
      concepts: { type: 'synonym', synonyms: concepts },
      kind_words: { type: 'synonym', synonyms: [kindWords] },
      question_words: { type: 'stop', stopwords: queryStopWords() },
    },
    normalizer: {
      folded: { type: 'custom', char_filter: ['drop_latin_marks'], filter: ['lowercase', 'asciifolding', 'trim'] },
    },
    analyzer: {
      words: ofWords(),
      joined: custom([], 'keyword', ['lowercase', 'asciifolding', 'join', 'not_empty']),
      joined_neighbours: ofWords('neighbours'),
      joined_neighbours_only: ofWords('neighbours_only'),
      grams: custom(['drop_separators', 'mark_ends'], 'three_grams', ['lowercase', 'asciifolding', 'unique']),
      english: ofWords('english_stems', 'concepts'),
      // The words for the kind are the same in every document: to look for concepts in them each time would be dear.
      kind: custom([], 'keyword', ['kind_words', 'english_stems']),
      // Whole labels with their endings taken off; a query may hold them among other words.
      label: custom([], 'keyword', ['lowercase', 'asciifolding', 'join', 'not_empty', 'english_stems']),
      label_question: ofWords('neighbours', 'english_stems'),
      stems: ofWords('english_stems'),
      // A query's phrases were replaced before it was sent.
      english_question: ofWords('question_words', 'english_stems'),
    },
  };
}

/** Characters from one code to another, as Elasticsearch writes them. */
function codes(...ranges: readonly (readonly [from: number, to: number])[]): string[] {
  return ranges.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, at) => `\\u${(from + at).toString(16).padStart(4, '0')}`),
  );
}

/** Returns an analyzer of single words, which are folded and then filtered. */
function ofWords(...filters: string[]): estypes.AnalysisAnalyzer {
  return custom(['drop_apostrophes'], 'letters_and_digits', ['lowercase', 'asciifolding', ...filters]);
}

function custom(charFilters: string[], tokenizer: string, filters: string[]): estypes.AnalysisAnalyzer {
  return { type: 'custom', char_filter: charFilters, tokenizer, filter: filters };
}

/** Words that a query has and its answer need not have. Dropped from queries only. */
function queryStopWords(): string[] {
  const grammar =
    'a an and are as at be but by for from if in into is it its of on or that the their these this to was with';
  const asking =
    'what where which who whom how does can i me my we our you your need find looking show get list all any some';
  const praise = 'best top';
  const linking = 'against using invested backed funded';
  return [grammar, asking, praise, linking].flatMap((words) => words.split(' '));
}
