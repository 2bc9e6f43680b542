import { askedCharactersMax, askedText, askedWordsMax } from '../../../src/search/query.ts';

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
    expect(askedText(query)).toBe(expected);
  });

  test('has at most the first sixteen words', () => {
    const words = Array.from({ length: 40 }, (_, i) => `w${i}`);
    expect(askedText(words.join(' ')).split(' ')).toEqual(words.slice(0, askedWordsMax));
  });

  test('leaves out a word that would pass the last character', () => {
    const fits = 'x'.repeat(askedCharactersMax - 4);
    expect(askedText(`${fits} abc defg`)).toBe(`${fits} abc`);
    expect(askedText(`${fits} abcd`)).toBe(fits);
  });

  test('cuts a single word that is too long between characters, never inside one', () => {
    expect(askedText('🦄'.repeat(300))).toBe('🦄'.repeat(askedCharactersMax));
  });
});
