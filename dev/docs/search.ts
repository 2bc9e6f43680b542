import { recordFields } from '../../src/kinds/fields.ts';
import { type KindName, kindNames } from '../../src/kinds/kind.ts';
import { kinds } from '../../src/kinds/registry.ts';
import { isList } from '../../src/lib/parameter-schemas.ts';

import { filterKinds, filterNames, filters } from '../../src/search/options/filters.ts';
import { fieldSorts, sortKinds, sortNames } from '../../src/search/options/sorts.ts';
import { code, table } from './table.ts';

const codes = (names: readonly string[]): string => names.map(code).join(', ');
const kindsText = (some: readonly KindName[]): string => (some.length === kindNames.length ? 'all' : some.join(', '));

function fieldRow(kind: KindName): readonly string[] {
  const shown: readonly string[] = kinds[kind].itemFields;
  return [code(kind), codes(shown), codes(recordFields([kind]).filter((field) => !shown.includes(field)))];
}

const filterRows = filterNames
  .filter((name) => !filters[name].excludes)
  .map((name) => {
    const { schema, text, facet } = filters[name];
    return [
      code(name),
      text,
      isList(schema) ? 'yes' : '',
      kindsText(filterKinds(name)),
      facet === undefined ? '' : 'yes',
    ];
  });

const sortRows = sortNames.map((name) => [
  code(name),
  name === 'relevance' ? 'best match first; without `query`, most prominent first' : fieldSorts[name].text,
  kindsText(sortKinds(name)),
]);

export function searchPage(): string {
  return `# Fields, filters and sorts

The fields, filters and sorts of [\`GET /api/v1/search\`](../api.md#search) by kind. [The API](../api.md#filters-sorts-and-facets)
explains how to use them.

## Fields

${table(['kind', 'default fields', 'only if named in `fields`'], kindNames.map(fieldRow))}

## Filters

Dates are \`YYYY-MM-DD\`. Bounds are inclusive.

${table(['filter', 'meaning', 'list', 'kinds', 'facet'], filterRows)}

## Sorts

${table(['sort', 'order', 'kinds'], sortRows)}
`;
}
