import { refuseUnfitColumns } from '../../../src/schema/sources/unfit-columns.ts';

const refused = (ours: string, theirs: string): string | null => {
  try {
    refuseUnfitColumns('search_source.events', [{ name: 'one', type: ours }], [{ name: 'one', type: theirs }]);
    return null;
  } catch (error) {
    return String(error);
  }
};

test.each([
  ['text', 'character varying'],
  ['text', 'uuid'],
  ['bigint', 'integer'],
  ['numeric(20,2)', 'bigint'],
  ['timestamp with time zone', 'date'],
  ['jsonb', 'json'],
  ['text[]', 'character varying[]'],
  ['boolean', 'boolean'],
])('a column that must be %s may be %s', (ours, theirs) => {
  expect(refused(ours, theirs)).toBeNull();
});

test.each([
  ['date', 'text'],
  ['integer', 'character varying'],
  ['jsonb', 'text'],
  ['boolean', 'text'],
  ['boolean', 'integer'],
  ['date', 'integer'],
  ['text[]', 'text'],
  ['text[]', 'jsonb'],
  ['integer[]', 'text[]'],
])('a column that must be %s may not be %s', (ours, theirs) => {
  expect(refused(ours, theirs)).toContain(`Column search_source.events.one is ${theirs}, but must be ${ours}.`);
});

test('a column that the view lacks is no problem', () => {
  expect(() => refuseUnfitColumns('search_source.events', [{ name: 'one', type: 'date' }], [])).not.toThrow();
});
