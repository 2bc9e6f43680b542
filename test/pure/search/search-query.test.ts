import {
  normalizeText,
  textCharactersMax,
  textWordsMax,
  unreadEnd,
} from '../../../src/search/vocabulary/analyze-text.ts';

describe('the text that is searched for', () => {
  test.each([
    ['uniswap', 'uniswap'],
    ['  de  fi\tllama\n', 'de fi llama'],
    ['a\u0000b\u200bc', 'a b c'],
    ['cafe\u0301', 'café'],
    ['ＵＮＩｓｗａｐ', 'UNIswap'],
    ['   ', ''],
    ['', ''],
    ['+"quoted" AND (x OR y)^2~', '+"quoted" AND (x OR y)^2~'],
  ])('%j becomes %j', (query, expected) => {
    expect(normalizeText(query)).toBe(expected);
  });

  test('keeps the first words of a long text, and returns the others apart', () => {
    const words = Array.from({ length: 40 }, (_, i) => `w${i}`);
    expect(normalizeText(words.join(' ')).split(' ')).toEqual(words.slice(0, textWordsMax));
    expect(unreadEnd(words.join('  '))).toBe(words.slice(textWordsMax).join(' '));
  });

  test('drops a word that would exceed the character limit', () => {
    const fits = 'x'.repeat(textCharactersMax - 4);
    expect(normalizeText(`${fits} abc defg`)).toBe(`${fits} abc`);
    expect(normalizeText(`${fits} abcd`)).toBe(fits);
  });

  test('is cut between characters, never inside one, if a single word is too long', () => {
    expect(normalizeText('🦄'.repeat(300))).toBe('🦄'.repeat(textCharactersMax));
  });
});
