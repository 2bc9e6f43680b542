import { asksForKinds, chooseFinalPass, chooseInitialPass, isFound, isNamed } from '../../../src/search/choose-pass.ts';
import { readQuestion } from '../../../src/search/questions/read-question.ts';
import { isSure, tierTable } from '../../../src/search/ranking/tier-table.ts';
import { analyzeText } from '../../../src/search/vocabulary/analyze-text.ts';
import { vocabularyOf } from '../../../src/search/vocabulary/vocabulary.ts';
import { knowledge, now } from '../../support/search/knowledge.ts';

const vocabulary = vocabularyOf([
  { name: 'lending', token: 'clending', phrases: ['lending'], queryPhrases: [], descriptions: [], broader: null },
]);
const text = (words: string) => analyzeText(words, vocabulary);

const asCompanies = { type: 'companies', question: null } as const;
const final = (initial: 'strict' | 'partial', analyzed: ReturnType<typeof text>, hits: number, best?: number) =>
  chooseFinalPass(initial, { ...asCompanies, analyzed }, hits, best);

const short = text('floor tiles spain');
const sentence = text('where do i find somebody who lays tiles');

test('Searches of kinds with few entities begin with the partial pass', () => {
  expect(
    (['companies', 'people', 'investors', 'events', 'all'] as const).map((type) => chooseInitialPass(type, null)),
  ).toEqual(['strict', 'strict', 'partial', 'partial', 'strict']);
});

describe('The second pass', () => {
  test.each([
    ['nothing', 0, 0, 'tolerant'],
    ['fewer than all words', tierTable.contentWords.points - 1, 500, 'tolerant'],
    ['all words in few hits', tierTable.contentWords.points, 50, 'partial'],
    ['all words in many hits', tierTable.contentWords.points, 500, 'strict'],
    ['a sure name', tierTable.exactName.points, 1, 'strict'],
  ] as const)('after %s is of the right type', (_, best, hits, pass) => {
    expect(final('strict', short, hits, best)).toBe(pass);
  });

  test('of a sentence is the tolerant one even if all words occur, unless a question is answered', () => {
    const best = tierTable.contentWords.points + 20;
    expect(final('strict', sentence, 900, best)).toBe('tolerant');
    expect(final('strict', sentence, 900, 80)).toBe('strict');
    expect(final('partial', sentence, 1, 80)).toBe('partial');
  });

  test('in an order without scores follows only if nothing was found', () => {
    expect([0, 1].map((hits) => final('strict', text('raydim'), hits))).toEqual(['tolerant', 'strict']);
  });
});

describe('A tolerant pass is successful', () => {
  test.each([
    ['a name with two wrong letters', short, tierTable.fuzzyJoinedTwoEdits.points, true],
    ['less than such a name', short, tierTable.fuzzyJoinedTwoEdits.points - 0.1, false],
    ['the concept that a short text names', text('lending spain'), 14, true],
    ['less than the concept', text('lending spain'), 13.9, false],
    ['all that a sentence asks for', sentence, 80, true],
    ['most words of a sentence', sentence, 79.9, false],
    ['a concept in a sentence', text('where do i find somebody who does lending'), 60, false],
  ] as const)('with %s', (_, analyzed, best, expected) => {
    expect(isFound({ ...asCompanies, analyzed }, best)).toBe(expected);
  });

  const asked = (words: string) => ({ analyzed: text(words), question: readQuestion(words, knowledge, now) });
  test.each([
    ['people', 'speakers on lending', false],
    ['all', 'speakers on lending', false],
    ['investors', 'who puts money into lending', true],
    ['companies', 'lending', true],
  ] as const)('with only the concept: %s, "%s"', (type, words, expected) => {
    expect(isFound({ type, ...asked(words) }, 30)).toBe(expected);
    expect(isFound({ type, ...asked(words) }, tierTable.fuzzyJoinedTwoEdits.points)).toBe(true);
  });

  test('for a sentence that asks for a kind, if the kind and its description occur together', () => {
    const people = { type: 'people', ...asked('people who can find out how such loans go bad') } as const;
    expect(asksForKinds(people)).toBe(true);
    expect([130, 129.9].map((best) => isFound(people, best))).toEqual([true, false]);
  });
});

test('Points distinguish sure names and names with a typo', () => {
  expect([155, 154.9].map(isSure)).toEqual([true, false]);
  expect([43, 42.9].map(isNamed)).toEqual([true, false]);
});
