import { csvLine } from '../../../src/lib/text/csv.ts';

test('values stand between commas, and nothing for null', () => {
  expect(csvLine([1, 'two', true, null, ''])).toBe('1,two,true,,\r\n');
});

test('characters that would end a value are quoted', () => {
  expect(csvLine(['a,b', 'say "x"', 'two\nlines', 'cr\r'])).toBe('"a,b","say ""x""","two\nlines","cr\r"\r\n');
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '=HYPERLINK("x"),y'])('%j is shown and not calculated', (text) => {
  expect(csvLine([text]).replace(/^"/, '').startsWith(`'${text[0]}`)).toBe(true);
});

test('a number that is negative is a number', () => {
  expect(csvLine([-1])).toBe('-1\r\n');
});
