import { readQuestion } from '../../../../src/search/questions/read-question.ts';
import { knowledge, now } from '../../../support/search/knowledge.ts';

function timeOf(text: string, at = now): string {
  const { time } = readQuestion(text, knowledge, at);
  return time === null ? 'none' : `${time.from ?? ''}..${time.until ?? ''}`;
}

// It is Sunday, 2026-11-22.
describe('the time of "events …"', () => {
  test.each([
    ['today', '2026-11-22..2026-11-23'],
    ['tomorrow', '2026-11-23..2026-11-24'],
    ['this week', '2026-11-16..2026-11-23'],
    ['next week', '2026-11-23..2026-11-30'],
    ['this weekend', '2026-11-21..2026-11-23'],
    ['next weekend', '2026-11-28..2026-11-30'],
    ['this month', '2026-11-01..2026-12-01'],
    ['next month', '2026-12-01..2027-01-01'],
    ['last month', '2026-10-01..2026-11-01'],
    ['next quarter', '2027-01-01..2027-04-01'],
    ['this year', '2026-01-01..2027-01-01'],
    ['next year', '2027-01-01..2028-01-01'],
    ['last year', '2025-01-01..2026-01-01'],
    ['in the next 30 days', '2026-11-22..2026-12-22'],
    ['in the next two weeks', '2026-11-22..2026-12-06'],
    ['in the last three months', '2026-08-22..2026-11-22'],
    ['of the past 2 years', '2024-11-22..2026-11-22'],
    ['in november', '2026-11-01..2026-12-01'],
    ['in december', '2026-12-01..2027-01-01'],
    ['in june', '2027-06-01..2027-07-01'],
    ['in june 2025', '2025-06-01..2025-07-01'],
    ['in june of 2025', '2025-06-01..2025-07-01'],
    ['in june next year', '2027-06-01..2027-07-01'],
    ['last june', '2026-06-01..2026-07-01'],
    ['next june', '2027-06-01..2027-07-01'],
    ['jan 2024', '2024-01-01..2024-02-01'],
    ['on 5 june 2025', '2025-06-05..2025-06-06'],
    ['on june 5th 2025', '2025-06-05..2025-06-06'],
    ['june 3 to 9 2025', '2025-06-03..2025-06-10'],
    ['on 2025-06-05', '2025-06-05..2025-06-06'],
    ['next friday', '2026-11-27..2026-11-28'],
    ['this autumn', '2026-09-01..2026-12-01'],
    ['this summer', '2027-06-01..2027-09-01'],
    ['next summer', '2027-06-01..2027-09-01'],
    ['last summer', '2026-06-01..2026-09-01'],
    ['next autumn', '2027-09-01..2027-12-01'],
    ['in spring 2024', '2024-03-01..2024-06-01'],
    ['in the winter of 2023', '2023-12-01..2024-03-01'],
    ['q3 2024', '2024-07-01..2024-10-01'],
    ['of the first quarter of 2024', '2024-01-01..2024-04-01'],
    ['in the last quarter of 2024', '2024-10-01..2025-01-01'],
    ['second half of 2025', '2025-07-01..2026-01-01'],
    ['h1 2025', '2025-01-01..2025-07-01'],
    ['early 2024', '2024-01-01..2024-05-01'],
    ['mid-2024', '2024-05-01..2024-09-01'],
    ['at the end of the year', '2026-09-01..2027-01-01'],
    ['early june 2025', '2025-06-01..2025-06-11'],
    ['in mid-june 2025', '2025-06-11..2025-06-21'],
    ['in late may', '2027-05-21..2027-06-01'],
    ['in the first week of june 2025', '2025-06-01..2025-06-08'],
    ['in the last week of june 2025', '2025-06-24..2025-07-01'],
    ['in the last two weeks of june 2025', '2025-06-17..2025-07-01'],
    ['in the first three months of 2025', '2025-01-01..2025-04-01'],
    ['on the weekend of 14-15 june 2025', '2025-06-14..2025-06-16'],
    ['second half of june 2025', '2025-06-16..2025-07-01'],
    ['in the early 2000s', '2000-01-01..2003-05-01'],
    ['in the nineties', '1990-01-01..2000-01-01'],
    ['2024', '2024-01-01..2025-01-01'],
    ['2022, 2023 or 2024', '2022-01-01..2025-01-01'],
    ['the year 1900', '1900-01-01..1901-01-01'],
    ['in 2024', '2024-01-01..2025-01-01'],
    ['2021 to 2023', '2021-01-01..2024-01-01'],
    ['2021-2023', '2021-01-01..2024-01-01'],
    ['from 2021 until 2023', '2021-01-01..2024-01-01'],
    ['between march and may 2024', '2024-03-01..2024-06-01'],
    ['march to may 2024', '2024-03-01..2024-06-01'],
    ['after june 2025', '2025-07-01..'],
    ['since june 2025', '2025-06-01..'],
    ['since june', '2026-06-01..'],
    ['since december', '2025-12-01..'],
    ['since friday', '2026-11-20..'],
    ['from 2025', '2025-01-01..2026-01-01'],
    ['from june 2025 on', '2025-06-01..'],
    ['in 2022 or 2023', '2022-01-01..2024-01-01'],
    ['over the summer of 2021', '2021-06-01..2021-09-01'],
    ['before 2020', '..2020-01-01'],
    ['until 2020', '..2021-01-01'],
    ['by june 2025', '..2025-07-01'],
  ])('%s', (words, expected) => expect(timeOf(`events ${words}`)).toBe(expected));
});

test.each(['constructor', '__proto__'])('the object property %s is not read as a time', (word) => {
  const texts = ['events in', 'events next', 'events of the next two', 'companies founded before', 'events early'];
  for (const text of texts) expect(readQuestion(`${text} ${word}`, knowledge, now).time).toBeNull();
  for (const text of ['2024', 'in june', 'quarter of 2024'])
    expect(() => timeOf(`events ${word} ${text}`)).not.toThrow();
});

test('years have four digits', () => {
  expect(timeOf('events december 30 to 31 9999')).toBe('9999-12-30..9999-12-31');
  expect(timeOf('events in the 1st century')).toBe('0001-01-01..0100-01-01');
  expect(timeOf('events in the 0th century')).toBe('none');
});

test('winter spans the new year', () => {
  expect(timeOf('events this winter', new Date('2027-01-15T00:00:00Z'))).toBe('2026-12-01..2027-03-01');
  expect(timeOf('events next winter', new Date('2027-01-15T00:00:00Z'))).toBe('2027-12-01..2028-03-01');
});

test('for companies the time is when they were founded, unless the text is about money', () => {
  expect(readQuestion('startups from 2021', knowledge, now).time).toMatchObject({ about: 'founded' });
  expect(readQuestion('startups that raised in 2021', knowledge, now).time).toBeNull();
  expect(readQuestion('events in 2021', knowledge, now).time).toMatchObject({ about: 'starts' });
});
