import type { IndexMutant } from './index.ts';
import type { Edit } from './mutant.ts';

const rowsStopTheirKind: Edit = {
  file: 'indexer/read/row-errors.ts',
  find: "return statesOfRows.test(codeOf(error) ?? '');",
  replace: "return codeOf(error) === 'never';",
};

/** Places where the documents' SQL can raise, so that an error of one row becomes one of the whole kind. */
export const poisonMutants: readonly IndexMutant[] = [
  {
    name: 'an infinite date stops its kind',
    edits: [
      rowsStopTheirKind,
      {
        file: 'src/kinds/sql.ts',
        find: `return \`case when \${expression} between '0001-01-01' and '9999-12-31' then \${expression} end\`;`,
        replace: `return \`make_date(extract(year from \${expression})::int, 1, 1)\`;`,
      },
    ],
    scenario: 'poison',
    seed: 2,
    found: 'unequal',
  },
  {
    name: 'tags of two dimensions stop their kind',
    edits: [
      rowsStopTheirKind,
      {
        file: 'src/kinds/sql.ts',
        find: `return \`case when array_ndims(\${expression}) > 1`,
        replace: 'return `case when false',
      },
    ],
    scenario: 'poison',
    seed: 8,
    found: 'unequal',
  },
];
