import { lexiconOf } from '../../../../src/search/vocabulary/lexicon.ts';
import { readWords } from '../../../../src/search/vocabulary/name-candidates.ts';
import { parseVocabulary } from '../../../../src/search/vocabulary/vocabulary-file.ts';
import { knowledge } from '../../../support/search/knowledge.ts';

const vocabulary = parseVocabulary(
  'exchange : dex, decentralised exchange\nkeys : wallet\nvalidation : staking\nlanguages : solidity',
);
const lexicon = lexiconOf(vocabulary, knowledge);
const namesOf = (text: string) => readWords(text, lexicon).names;
const candidate = (text: string, name: string) => namesOf(text).find((one) => one.text === name);

describe('A possible name in a text', () => {
  test('is an unknown word, alone or with an adjacent word', () => {
    expect(namesOf('unswap dex wallet').map(({ text }) => text)).toEqual(['unswap', 'unswap dex']);
    // Two words are the whole text.
    expect(namesOf('unswap dex').map(({ text }) => text)).toEqual(['unswap']);
    expect(namesOf('the unswap 2024 x').map(({ text }) => text)).toContain('unswap 2024');
  });

  test('is not searched for in texts of one word or of more than seven', () => {
    expect(readWords('unswap', lexicon)).toMatchObject({ names: [], corrected: null, unknown: '' });
    expect(namesOf('unswap wallet dex wallet dex wallet dex wallet')).toEqual([]);
    expect(namesOf('unswap wallet dex wallet dex wallet dex')).not.toEqual([]);
  });

  test.each([
    ['unswap dex', 'unswap', { isLikely: true }],
    ['stakng wallet', 'stakng', { isLikely: false }],
    ['unswap dex 2024', 'unswap', { isLikely: true }],
    ['unswap walet stakng', 'unswap', { isLikely: false }],
    ['unswap metamsk wallet', 'unswap', { isLikely: false }],
  ])('of "%s": %s is %j', (text, name, expected) => expect(candidate(text, name)).toMatchObject(expected));

  test.each([
    ['mtm wallet', 'mtm'],
    ['solidity wallet', 'solidity'],
    ['unswap metamsk', 'unswap'],
    ['unswap metamsk phantm', 'unswap'],
    ['ethereum unswap', 'ethereum'],
  ])('of "%s" is not %s', (text, name) => expect(candidate(text, name)).toBeUndefined());
});

test.each([
  ['gretzhaus staking wallet', true, false],
  ['ethereum app', true, true],
  ['ethereum staking', false, false],
  ['ethereum decentralised app', true, true],
  ['ethereum decentralised exchange', false, false],
])('In "%s", the first word is a name in its right spelling: %s, for sure: %s', (text, isName, isSure) => {
  const { spelledNames, sureNames } = readWords(text, lexicon);
  const [word = ''] = text.split(' ');
  expect([spelledNames, sureNames].map((names) => names.split(' ').includes(word))).toEqual([isName, isSure]);
  expect(readWords('staking gretz wallet', lexicon).sureNames.split(' ')).toContain('gretzwallet');
});

describe('The text with corrected common words', () => {
  test('keeps names, places and years unchanged', () => {
    expect(readWords('unswap walet stakng berlim 2024', lexicon).corrected).toBe('unswap wallet staking berlim 2024');
  });

  test('is missing if nothing is corrected', () => {
    expect(readWords('unswap wallet in Zürich', lexicon).corrected).toBeNull();
  });
});

describe('The unknown words of a text', () => {
  test('are a name if they are most of it, or one of two words', () => {
    const unknownIn = (text: string) => readWords(text, lexicon).unknown;
    expect(unknownIn('jane lindqvist')).toBe('jane lindqvist');
    expect(unknownIn('gretzhaus wallet')).toBe('gretzhaus');
    expect(unknownIn('gretzhaus privacy wallet')).toBe('');
    expect(unknownIn('123 456')).toBe('123 456');
  });

  test.each([
    ['gretzhaus privacy wallet', true],
    ['gretzhaus privacy ventures', true],
    ['gretzhaus privacy wallets', true],
    ['affordable privacy wallets', false],
    ['privacy wallet gretzhaus', false],
    ['gretzhaus wallet', false],
    ['gretzhaus makes a privacy wallet', false],
  ])('begin what may be a name: "%s", %s', (text, expected) => {
    expect(readWords(text, lexicon).mayBeName).toBe(expected);
  });

  test('exclude typos, and a single one of many words is not a name', () => {
    expect(readWords('walet staking', lexicon).unknown).toBe('');
    expect(readWords('what is the wallet that the gretzhaus has', lexicon).unknown).toBe('');
  });
});

describe('A text of another field', () => {
  test.each([
    ['the dog barks in berlin all night', true],
    ['a wallet fell on the kitchen floor', true],
    ['a walet for staking', false],
    ['berlin 2024', false],
    ['staking on a dex', false],
  ])('has few words of this one: "%s", %s', (text, expected) => {
    expect(readWords(text, lexicon).isForeign).toBe(expected);
  });
});
