import type { estypes } from '@elastic/elasticsearch';

/** The characters of words, including combining marks, which are vowels in many scripts. */
const wordCharacters = '\\p{L}\\p{N}\\p{M}';
/** Accents written as separate characters, which the filter that folds accented letters leaves alone. */
const latinMarks = '\\u0300-\\u036F';
/** Listed one by one, because Java looks single characters up in a table, but compares ranges one after the other. */
const usualLetters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
/** The characters that are removed when words are joined. A table for the usual letters halves the cost. */
const forgotten = `[[^${usualLetters}]&&[[^${wordCharacters}]${latinMarks}]]+`;
/** Rules that remove marks and inner punctuation. A regular expression would cost several times as much. */
const dropMarks = codes([0x300, 0x36f]).map((mark) => `${mark} => `);
const dropApostrophes = ["' => ", '\\u2019 => ', '` => '];
/** "Bitcoin++" and "C++" are words of their own. */
const keepPluses = ['++ => plusplus\\u0020'];
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
  /** Rules that replace the words of a phrase by these words and the tokens of their concepts. */
  readonly concepts: string[];
  /** Rules that replace a document's one word for its kind by all words for it, with the tokens of their concepts. */
  readonly kindWords: string;
}

/**
 * Text analysis of every index. Only filters that a stock Elasticsearch 9 and the embedded node both have.
 *
 * Names mean the same everywhere: `words` keeps words as written, `joined` ignores where words are separated, and
 * `english` ignores their endings.
 */
export function analysis({ concepts, kindWords }: AnalysisRules): estypes.IndicesIndexSettingsAnalysis {
  return {
    char_filter: {
      // "Café's" and "Cafes" are one word, even if the accent is a separate character.
      drop_apostrophes: { type: 'mapping', mappings: [...dropApostrophes, ...dropMarks, ...keepPluses] },
      drop_latin_marks: { type: 'mapping', mappings: dropMarks },
    },
    tokenizer: {
      letters_and_digits: { type: 'char_group', tokenize_on_chars: wordEnds },
    },
    filter: {
      join: { type: 'pattern_replace', pattern: forgotten, replacement: '' },
      not_empty: { type: 'length', min: 1 },
      // Joins neighbouring words, so that "de fi llama" finds "DefiLlama", and "eip 1559" its number.
      neighbours: { ...joinedNeighbours, output_unigrams: true, token_separator: '' },
      // KStem keeps words separate that Porter's rules would merge ("universe" and "university").
      english_stems: { type: 'stemmer', language: 'light_english' },
      // Comes after the stemmer, which also removes the endings of the rules' words.
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
      english: ofWords('english_stems', 'concepts'),
      // The words for the kind are the same in every document, so their concepts and stems are part of the rule.
      kind: custom([], 'keyword', ['english_stems', 'kind_words']),
      // Whole labels without their endings. A query may contain them among other words.
      label: custom([], 'keyword', ['lowercase', 'asciifolding', 'join', 'not_empty', 'english_stems']),
      label_question: ofWords('neighbours', 'english_stems'),
      stems: ofWords('english_stems'),
      // The phrases of a query were replaced before it was sent.
      english_question: ofWords('question_words', 'english_stems'),
    },
  };
}

/** Returns a range of characters in Elasticsearch's notation. */
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

/** Words of queries that answers need not have. They are only removed from queries. */
function queryStopWords(): string[] {
  const grammar =
    'a an and are as at be but by for from if in into is it its of on or that the their these this to was with';
  const asking =
    'what where which who whom how does can i me my we our you your need find looking show get list all any some';
  const praise = 'best top';
  const linking = 'against using invested backed funded';
  return [grammar, asking, praise, linking].flatMap((words) => words.split(' '));
}
