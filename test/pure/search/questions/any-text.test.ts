import fc from 'fast-check';
import type { Question } from '../../../../src/search/questions/question.ts';
import { readQuestion } from '../../../../src/search/questions/read-question.ts';
import { normalizeText, textCharactersMax } from '../../../../src/search/vocabulary/analyze-text.ts';
import { codePoint } from '../../../support/code-point.ts';
import { knowledge, now } from '../../../support/search/knowledge.ts';

const read = (text: string) => readQuestion(text, knowledge, now);

/** Words of questions, so that many readings overlap. */
const words = fc.constantFrom(
  ...'founder founders of ethereum who founded backed invested in by portfolio investors startups companies events'.split(
    ' ',
  ),
  ...'hackathon fund like similar to alternatives instead other than not except but and or the a berlin lisbon new york'.split(
    ' ',
  ),
  ...'city europe latin american uk next last this month week year june may 2020 2024 q3 first quarter between after'.split(
    ' ',
  ),
  ...'before since 5 12th spring online upcoming latest speakers at devcon ceo circle’s uniswap, defi? 2018-2020 90s'.split(
    ' ',
  ),
  ...`who's a16z-backed e\u0301 — ... " 's people somebody what did where does work constructor __proto__`.split(' '),
  ...'late9999 early0001 1st 0th century'.split(' '),
);
const questions = fc.array(words, { maxLength: 20 }).map((all) => all.join(' '));
const texts = fc.oneof(
  questions,
  fc.string({ unit: codePoint, maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
);

const worst = [
  'founder of '.repeat(80),
  'in europe '.repeat(80),
  'between may and '.repeat(80),
  'a'.repeat(10_000),
  `${'1'.repeat(5_000)} june`,
  'last next this '.repeat(80),
  '((((('.repeat(2_000),
  "'s".repeat(5_000),
  `${'"'.repeat(9_000)}x`,
  'x-backed '.repeat(80),
  'except '.repeat(80),
];

const isDate = (text: string | null): boolean => text === null || /^\d{4}-\d\d-\d\d$/.test(text);

function bounds(question: Question, text: string) {
  const { rest, relation, like, without, places, time, parts } = question;
  const longest = Math.max(
    0,
    ...[rest, relation?.of ?? '', like ?? '', ...without].map((each) => Array.from(each).length),
  );
  return {
    noLonger: longest <= Math.max(textCharactersMax, Array.from(normalizeText(text)).length),
    few: without.length <= 4 && places.length <= 4,
    names: places.reduce((sum, { countries, cities }) => sum + countries.length + cities.length, 0) <= 300,
    dates: time === null || (isDate(time.from) && isDate(time.until)),
    inOrder: time === null || time.from === null || time.until === null || time.from < time.until,
    named: like !== '' && (relation?.of !== '' || relation.role === 'founder') && !without.includes(''),
    whole: parts.length > 0 || rest === normalizeText(text),
  };
}

test('any text can be parsed, with a result of limited size', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const found = bounds(read(text), text);
      expect(Object.entries(found).filter(([, holds]) => !holds)).toEqual([]);
    }),
    { numRuns: 3_000, examples: worst.map((text): [string] => [text]) },
  );
});

test('parsing is repeatable, and the text without its parsed parts contains no further ones', () => {
  fc.assert(
    fc.property(questions, (text) => {
      const first = read(text);
      expect(read(text)).toEqual(first);
      const taken = first.parts.flatMap((part) => part.text.split(' '));
      for (const word of taken) expect(normalizeText(text).split(' ')).toContain(word);
    }),
    { numRuns: 500 },
  );
});

test('an impossible date is ignored', () => {
  expect(read('events on 31 february 2025').time).toMatchObject({ from: '2025-02-01', until: '2025-03-01' });
  expect(read('events on 2025-02-30').time?.from ?? null).toBeNull();
});
