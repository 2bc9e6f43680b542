import { z } from 'zod';
import { indexDefinition } from '../../../../mappings/registry.ts';
import { indexOptions } from '../../../../src/config/indexer.ts';
import { kindNames } from '../../../../src/kinds/kind.ts';
import { facetNames, filterKinds, filterNames, filters } from '../../../../src/search/options/filters.ts';
import { fieldSorts, sortKinds, sortNames } from '../../../../src/search/options/sorts.ts';
import { traits } from '../../../../src/search/shared-traits.ts';

// Fields that are only shown are not in the index; Elasticsearch refuses a search for them.

const definitions = Object.fromEntries(
  kindNames.map((kind) => [kind, indexDefinition(kind, indexOptions({})).mappings]),
);

const mapping = z.looseObject({
  type: z.string(),
  index: z.boolean().default(true),
  doc_values: z.boolean().default(true),
});
const inside = z.looseObject({
  properties: z.record(z.string(), z.unknown()),
  fields: z.record(z.string(), z.unknown()),
});

/** A field's mapping, by its path. */
function mapped(kind: string, path: string): z.infer<typeof mapping> {
  let at: unknown = definitions[kind];
  for (const name of path.split('.')) {
    const { properties, fields } = inside.partial().parse(at);
    at = properties?.[name] ?? fields?.[name];
  }
  return mapping.parse(at);
}

test('fields of filters can be searched for', () => {
  for (const name of filterNames)
    for (const kind of filterKinds(name)) expect([name, mapped(kind, filters[name].field).index]).toEqual([name, true]);
});

test('fields of facets can be counted, and words also as they are spelt', () => {
  for (const name of facetNames) {
    const { field, facet } = filters[name];
    for (const kind of filterKinds(name)) {
      expect([name, mapped(kind, field).doc_values]).toEqual([name, true]);
      if (facet === 'word') expect([name, mapped(kind, `${field}.shown`).doc_values]).toEqual([name, true]);
    }
  }
});

test('fields of sorts can be sorted by', () => {
  const names = sortNames.filter((name) => name !== 'relevance');
  expect(names.length).toBeGreaterThan(3);
  for (const name of names)
    for (const kind of sortKinds(name))
      expect([name, mapped(kind, fieldSorts[name].field).doc_values]).toEqual([name, true]);
  for (const kind of kindNames) expect(mapped(kind, 'search.popularity').doc_values).toBe(true);
});

test('fields by which an entity and similar ones are found can be searched for', () => {
  for (const kind of kindNames)
    for (const field of ['id', 'slug', ...traits[kind].map(({ field }) => field)])
      expect([field, mapped(kind, field).index]).toEqual([field, true]);
});

test('fields that are only shown take no space in the index', () => {
  for (const field of ['logo', 'tickers', 'website']) {
    expect(mapped('companies', field)).toMatchObject({ index: false, doc_values: false });
  }
});
