import { csvLine } from '../../../src/lib/text/csv.ts';

test('values are separated by commas, and null is empty', () => {
  expect(csvLine([1, 'two', true, null, ''])).toBe('1,two,true,,\r\n');
});

test('values with special characters are quoted', () => {
  expect(csvLine(['a,b', 'say "x"', 'two\nlines', 'cr\r'])).toBe('"a,b","say ""x""","two\nlines","cr\r"\r\n');
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '=HYPERLINK("x"),y'])('%j is text, not a formula', (text) => {
  expect(csvLine([text]).replace(/^"/, '').startsWith(`'${text[0]}`)).toBe(true);
});

test('a negative number stays a number', () => {
  expect(csvLine([-1])).toBe('-1\r\n');
});
