import { readVocabulary } from '../../../../src/config/vocabulary.ts';
import { readConcepts } from '../../../../src/search/vocabulary/concepts.ts';
import {
  emptyVocabulary,
  indexRules,
  stemOf,
  type Vocabulary,
  wordsOf,
} from '../../../../src/search/vocabulary/vocabulary.ts';
import { parseVocabulary, VocabularyError } from '../../../../src/search/vocabulary/vocabulary-file.ts';

const inConcepts = (text: string, vocabulary: Vocabulary) => readConcepts(text, vocabulary).withConcepts;

const vocabulary = parseVocabulary(`
# Trading
dex : decentralized exchange, amm
dex aggregator < dex : swap aggregator | best swap price
united states : usa | us
`);

describe('a query in concepts', () => {
  test.each([
    ['decentralized exchange', 'dex'],
    ['Decentralized  EXCHANGES!', 'dex'],
    ['a swap aggregator on base', 'dexaggregator on base'],
    ['best swap price', 'dexaggregator'],
    ['the best swap prices', 'dexaggregator'],
    ['AMMs in the U.S.A.', 'dex in u s'],
    ['meetups in the us', 'meetups in unitedstates'],
  ])('%j becomes %j', (text, expected) => {
    expect(inConcepts(text, vocabulary)).toBe(expected);
  });

  test('is unchanged if it contains no phrase of the vocabulary', () => {
    expect(inConcepts('Uniswap v4!', vocabulary)).toBe('Uniswap v4!');
    expect(inConcepts('decentralized exchange', emptyVocabulary)).toBe('decentralized exchange');
  });

  test('uses the longest phrase, from the left', () => {
    const nested = parseVocabulary('money market : money market fund\nfund : market fund');
    expect(inConcepts('money market fund', nested)).toBe('moneymarket');
    expect(inConcepts('a market fund', nested)).toBe('fund');
  });

  const wordy = parseVocabulary(
    'gaming : game, blockchain game | earn while playing\nbitcoin : btc\nramp : | buy with a card',
  );

  test.each([
    ['words between those of a phrase fill it', 'earn tokens while playing', 'gaming'],
    ['but not more than two', 'earn many new nice tokens while playing', 'earn many new nice tokens while playing'],
    ['linking words need not be the same', 'earn by playing', 'gaming'],
    ['a concept in between is kept', 'buy btc with a card', 'ramp bitcoin'],
    ['a phrase does not begin with a linking word', 'with card', 'with card'],
  ])('%s', (_, text, expected) => expect(inConcepts(text, wordy)).toBe(expected));

  test('joins phrases to labels, followed by those of their words that mean the same', () => {
    expect(readConcepts('blockchain games on base', wordy).withJoinedPhrases).toBe('blockchaingames on base games');
    expect(readConcepts('earn tokens while playing', wordy).withJoinedPhrases).toBe('earn tokens while playing');
  });
});

describe('the rules of a document', () => {
  test('keep its own words, add the concept and broader ones, and leave out phrases of queries', () => {
    expect(indexRules(vocabulary)).toEqual([
      'dex => dex',
      'decentralized exchange => decentralized exchange, dex',
      'amm => amm, dex',
      'dex aggregator => dex aggregator, dexaggregator, dex',
      'swap aggregator => swap aggregator, dexaggregator, dex',
      'united states => united states, unitedstates',
      'usa => usa, unitedstates',
    ]);
  });
});

describe('descriptions', () => {
  const described = parseVocabulary(
    [
      "dex : amm | swap coins ~ a shop for coins that nobody owns, I don't want to sign up; 24-hour trading",
      'wallet : ~ a purse for coins',
      'bridge : cross chain',
    ].join('\n'),
  );

  test('follow "~", with or without other parts', () => {
    expect(described.concepts.map(({ descriptions }) => descriptions)).toEqual([
      ['a shop for coins that nobody owns', "I don't want to sign up", '24-hour trading'],
      ['a purse for coins'],
      [],
    ]);
    expect(described.concepts[0]?.queryPhrases).toEqual(['swap coins']);
  });

  test('are never matched as words, in queries or documents', () => {
    expect(inConcepts('a purse for coins', described)).toBe('a purse for coins');
    expect(indexRules(described)).toEqual(
      ['dex => dex', 'amm => amm, dex', 'wallet => wallet'].concat([
        'bridge => bridge',
        'cross chain => cross chain, bridge',
      ]),
    );
  });
});

describe('an invalid vocabulary', () => {
  test.each([
    ['a phrase in two rules', 'dex : amm\nswap : amm', 'line 2: "amm" is already in line 1'],
    ['a phrase twice in one rule', 'dex : amm, amm', 'line 1: "amm" occurs 2 times'],
    [
      'the same phrase with another ending in two rules',
      'dex : swap\ntrade : swaps',
      'line 2: "swaps" is already in line 1',
    ],
    ['a cycle', 'a < b : x\nb < a : y', 'is under itself'],
    ['an unknown broader concept', 'dex < trade : amm', '"dex" is under "trade", which is not a concept'],
    ['a phrase not in its normal form', 'dex : De-Fi', 'line 1: write "De-Fi" as "de fi"'],
    ['two concepts of one token', 'real world : x\nrealworld : y', 'would be one token'],
    ['a phrase that is the token of another concept', 'real world : x\ny : realworld', 'is the token of "real world"'],
    ['a second "~"', 'a : ~ send ~ money', 'line 1: write "concept < broader : phrase'],
    ['phrases of queries after descriptions', 'a : ~ send | money', 'line 1: write "concept < broader : phrase'],
    ['another form', 'just words', 'line 1: write "concept < broader : phrase'],
  ])('is refused for %s', (_, text, message) => {
    expect(() => parseVocabulary(text)).toThrow(VocabularyError);
    expect(() => parseVocabulary(text)).toThrow(message);
  });

  test('is refused with all problems together', () => {
    expect(() => parseVocabulary('nonsense\ndex : A\ndex : b')).toThrow(/line 1[\s\S]*line 2[\s\S]*line 3/);
  });
});

describe('words', () => {
  test.each([
    ['wallets', 'wallet'],
    ['currencies', 'currency'],
    ['dexes', 'dex'],
    ['trading', 'trad'],
    ['trade', 'trad'],
    ['staked', 'stak'],
    ['swapping', 'swap'],
    ['bring', 'bring'],
    ['series', 'sery'],
    ['bus', 'bus'],
    ['analysis', 'analysis'],
    ['l2s', 'l2'],
    ['marketing', 'marketing'],
  ])('%j is compared as %j', (word, stem) => {
    expect(stemOf(word)).toBe(stem);
  });

  test('are those of the analyzers', () => {
    expect(wordsOf("Türkiye's de-Fi №2")).toEqual(['turkiyes', 'de', 'fi', 'no2']);
    expect(wordsOf('C++ at bitcoin++ 2+2')).toEqual(['c++', 'at', 'bitcoin++', '2', '2']);
  });
});

test('the vocabulary of this project is valid', () => {
  expect(readVocabulary()).toBeDefined();
});
