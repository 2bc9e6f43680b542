import type { estypes } from '@elastic/elasticsearch';

/** What parts words. Combining marks don't: in many scripts a vowel is one. */
const separators = '[^\\p{L}\\p{N}\\p{M}]+';
/** Accents written as characters of their own; the filter that folds accented letters leaves them alone. */
const latinMarks = '[\\u0300-\\u036F]+';

/**
 * Text analysis of every index. Only filters that a stock Elasticsearch 9 and the embedded node both have.
 *
 * The same names are used for the same text everywhere: `words` keeps the words as written, `joined` forgets where
 * they part, `grams` forgets their order and small errors, `english` forgets their endings.
 */
export function analysis(synonyms: string[]): estypes.IndicesIndexSettingsAnalysis {
  return {
    char_filter: {
      // "Café's" and "Cafes" are one word, also where the accent is a character of its own.
      drop_apostrophes: { type: 'pattern_replace', pattern: `['’\`]|${latinMarks}`, replacement: '' },
      drop_latin_marks: { type: 'pattern_replace', pattern: latinMarks, replacement: '' },
      drop_separators: { type: 'pattern_replace', pattern: `${separators}|${latinMarks}`, replacement: '' },
      // Marks both ends, so that a gram at the start of a name differs from the same letters inside one.
      mark_ends: { type: 'pattern_replace', pattern: '^(.+)$', replacement: '_$1_' },
    },
    tokenizer: {
      letters_and_digits: { type: 'pattern', pattern: separators },
      // A tokenizer, not a filter: the filter puts all grams at one position, where minimum_should_match has no effect.
      three_grams: { type: 'ngram', min_gram: 3, max_gram: 3 },
    },
    filter: {
      join: { type: 'pattern_replace', pattern: `${separators}|${latinMarks}`, replacement: '' },
      not_empty: { type: 'length', min: 1 },
      // Neighbouring words written together: how "de fi llama" finds "DefiLlama", and "eip 1559" its number.
      neighbours: {
        type: 'shingle',
        min_shingle_size: 2,
        max_shingle_size: 4,
        output_unigrams: true,
        token_separator: '',
      },
      neighbours_only: {
        type: 'shingle',
        min_shingle_size: 2,
        max_shingle_size: 4,
        output_unigrams: false,
        token_separator: '',
      },
      // KStem: it keeps words apart that Porter's rules would merge ("universe" and "university").
      english_stems: { type: 'stemmer', language: 'light_english' },
      // After the stemmer, which thereby takes the endings off the rules' words, too.
      concepts: { type: 'synonym', synonyms },
      question_words: { type: 'stop', stopwords: queryStopWords() },
    },
    normalizer: {
      folded: { type: 'custom', char_filter: ['drop_latin_marks'], filter: ['lowercase', 'asciifolding', 'trim'] },
    },
    analyzer: {
      words: custom(['drop_apostrophes'], 'letters_and_digits', ['lowercase', 'asciifolding']),
      joined: custom([], 'keyword', ['lowercase', 'asciifolding', 'join', 'not_empty']),
      joined_neighbours: custom(['drop_apostrophes'], 'letters_and_digits', [
        'lowercase',
        'asciifolding',
        'neighbours',
      ]),
      joined_neighbours_only: custom(['drop_apostrophes'], 'letters_and_digits', [
        'lowercase',
        'asciifolding',
        'neighbours_only',
      ]),
      grams: custom(['drop_separators', 'mark_ends'], 'three_grams', ['lowercase', 'asciifolding', 'unique']),
      english: custom(['drop_apostrophes'], 'letters_and_digits', [
        'lowercase',
        'asciifolding',
        'english_stems',
        'concepts',
      ]),
      // A query's phrases were replaced before it was sent.
      // Whole labels with their endings taken off; a query may hold them among other words.
      label: custom([], 'keyword', ['lowercase', 'asciifolding', 'join', 'not_empty', 'english_stems']),
      label_question: custom(['drop_apostrophes'], 'letters_and_digits', [
        'lowercase',
        'asciifolding',
        'neighbours',
        'english_stems',
      ]),
      stems: custom(['drop_apostrophes'], 'letters_and_digits', ['lowercase', 'asciifolding', 'english_stems']),
      english_question: custom(['drop_apostrophes'], 'letters_and_digits', [
        'lowercase',
        'asciifolding',
        'question_words',
        'english_stems',
      ]),
    },
  };
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
