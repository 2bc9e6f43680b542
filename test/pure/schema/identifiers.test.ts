import { parseColumns, parseTable, quoteTable } from '../../../src/schema/sources/identifiers.ts';

test.each([
  ['org', 'public', 'org', null],
  ['CRM.Org', 'crm', 'org', null],
  ['crm.org(id)', 'crm', 'org', ['id']],
  ['crm.org ( Tenant , "No 1" )', 'crm', 'org', ['tenant', 'No 1']],
  ['"Sales ""Dept""". "a.b(c)"("x,y")', 'Sales "Dept"', 'a.b(c)', ['x,y']],
  ['"-- ; drop"', 'public', '-- ; drop', null],
  ['größe.änderung', 'größe', 'änderung', null],
])('%s is a table', (text, schema, table, columns) => {
  expect(parseTable(text)).toEqual({ schema, table, columns });
});

test.each([
  ...['', 'a.b.c', 'a b', 'a;', 'a--', '"a', '""', 'a()', 'a(b', 'a(b)c', 'a(b,)', "a'", '1a', `"${'x'.repeat(64)}"`],
])('%j is none', (text) => {
  expect(parseTable(text)).toBeUndefined();
});

test('columns are names with commas between them', () => {
  expect(parseColumns('a, "B c"')).toEqual(['a', 'B c']);
  expect(parseColumns('a b')).toBeUndefined();
});

test('a table stays within its quotes', () => {
  expect(quoteTable({ schema: 'A', table: 'b"c' })).toBe('"A"."b""c"');
});
