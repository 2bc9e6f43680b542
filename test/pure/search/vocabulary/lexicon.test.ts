import fc from 'fast-check';
import { createKnowledge, emptyKnowledge } from '../../../../src/search/questions/knowledge.ts';
import { lexiconOf } from '../../../../src/search/vocabulary/lexicon.ts';
import { emptyVocabulary, vocabularyOf } from '../../../../src/search/vocabulary/vocabulary.ts';
import { codePoint } from '../../../support/code-point.ts';
import { knowledge } from '../../../support/search/knowledge.ts';

const vocabulary = vocabularyOf([
  {
    name: 'exchange',
    token: 'cexchange',
    phrases: ['exchange', 'trading venue'],
    queryPhrases: ['swapping place'],
    descriptions: ['turn one coin into another quietly'],
    broader: null,
  },
]);
const lexicon = lexiconOf(vocabulary, knowledge);

function concept(name: string, phrases: readonly string[]) {
  return { name, token: name, phrases: [name, ...phrases], queryPhrases: [], descriptions: [], broader: null };
}

describe('The lexicon contains', () => {
  test.each([
    ['phrases of the vocabulary', ['exchange', 'trading', 'venue', 'swapping']],
    ['other forms of their words', ['exchanges', 'swap', 'trade']],
    ['labels of the data', ['staking', 'rollup', 'arbitrum', 'solidity']],
    ['places of the data', ['berlin', 'zurich', 'germany', 'paulo']],
    ['words that people put next to a name', ['alternatives', 'startups', 'founder', 'website']],
    ['words of questions', ['where', 'around', 'the', 'which', 'with']],
  ])('%s', (_, words) => {
    expect(words.filter((word) => !lexicon.has(word))).toEqual([]);
  });

  test('neither names nor words that only describe a concept', () => {
    expect(['uniswap', 'ledger', 'quietly'].filter((word) => lexicon.has(word))).toEqual([]);
  });
});

describe('The nearest word', () => {
  test.each([
    ['a letter too many', 'exchhange', 'exchange'],
    ['a letter too few', 'exchage', 'exchange'],
    ['another letter', 'exchonge', 'exchange'],
    ['two letters that changed places', 'exhcange', 'exchange'],
    ['a typo in the first letter', 'wxchange', 'exchange'],
    ['a typo in the last letter', 'soliditi', 'solidity'],
    ['a letter too few at the end', 'solidit', 'solidity'],
  ])('is %s away: %s, %s', (_, word, nearest) => {
    expect(lexicon.nearest(word)).toBe(nearest);
  });

  test('is missing for a word that is known, short, two typos away, or short with another letter', () => {
    expect(
      ['exchange', 'exchanges', 'walt', 'dexx', 'exhcagne', 'uniswap', 'vanue'].map((word) => lexicon.nearest(word)),
    ).toEqual(Array(7).fill(null));
  });

  test('is another spelling of a known stem, if a letter is doubled', () => {
    const voting = lexiconOf(vocabularyOf([concept('governance', ['voting', 'vote'])]), emptyKnowledge);
    expect(['votting', 'votings'].map((word) => voting.nearest(word))).toEqual(['voting', null]);
  });

  test('of a short word must make a phrase with the adjacent word', () => {
    const games = lexiconOf(vocabularyOf([concept('gaming', ['play to earn'])]), emptyKnowledge);
    expect(games.nearest('ern')).toBeNull();
    expect(games.nearest('ern', { before: 'play', behind: '' })).toBe('earn');
    expect(games.nearest('ern', { before: 'the', behind: 'token' })).toBeNull();
  });

  test('is never a place, because near misses of cities are usually names of events there', () => {
    expect(['berlim', 'lisbom', 'portugall', 'germny'].map((word) => lexicon.nearest(word))).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  test('is, of several, the one with the same beginning', () => {
    const both = lexiconOf(
      emptyVocabulary,
      createKnowledge({
        countries: new Set(),
        cities: new Set(),
        topics: new Set(['banking', 'ranking']),
        ecosystems: new Set(),
      }),
    );
    expect([both.nearest('bnnking'), both.nearest('rnnking')]).toEqual(['banking', 'ranking']);
  });

  test('of a known word with one typo is that word, if the typo is not a word itself', () => {
    const alphabet = [...'abcdefghijklmnopqrstuvwxyz'];
    fc.assert(
      fc.property(fc.nat(7), fc.constantFrom(...alphabet), fc.nat(3), (at, letter, how) => {
        const word = 'exchange';
        const [before, here, behind] = [word.slice(0, at), word[at] ?? '', word.slice(at + 1)];
        const slips = [
          before + behind,
          before + letter + behind,
          before + letter + here + behind,
          before + (behind[0] ?? '') + here + behind.slice(1),
        ];
        const slip = slips[how] ?? '';
        expect(lexicon.has(slip) || lexicon.nearest(slip) === word).toBe(true);
      }),
    );
  });

  test('of any text is a known word or none', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 160 }), (word) => {
        const nearest = lexicon.nearest(word);
        expect(nearest === null || lexicon.has(nearest)).toBe(true);
      }),
    );
  });
});

test('The same vocabulary and knowledge share one lexicon', () => {
  expect(lexiconOf(vocabulary, knowledge)).toBe(lexicon);
  expect(lexiconOf(vocabulary, emptyKnowledge)).not.toBe(lexicon);
});

test('A label with an overlong word corrects nothing', () => {
  const long = 'a'.repeat(20_000);
  const known = createKnowledge({
    countries: new Set(),
    cities: new Set(),
    topics: new Set([long]),
    ecosystems: new Set(),
  });
  const heavy = lexiconOf(emptyVocabulary, known);
  expect([heavy.has(long), heavy.nearest(`${long}a`)]).toEqual([true, null]);
});
