import { z } from 'zod';
import { indexDefinition } from '../../../../mappings/registry.ts';
import { indexOptions } from '../../../../src/config/indexer.ts';
import { kindNames } from '../../../../src/kinds/kind.ts';
import { findSimilar } from '../../../../src/search/find-similar.ts';
import { facetNames, facets, filterKinds, filterNames, filters } from '../../../../src/search/options/filters.ts';
import { fieldSorts, sortKinds, sortNames } from '../../../../src/search/options/sorts.ts';
import type { SearchTools } from '../../../../src/search/ports.ts';
import { prepareQuery, type SearchQuery, searchBody } from '../../../../src/search/query.ts';
import { traits } from '../../../../src/search/shared-traits.ts';
import { suggest } from '../../../../src/search/suggest.ts';
import { emptyVocabulary } from '../../../../src/search/vocabulary/vocabulary.ts';
import { knowledge, now } from '../../../support/search/knowledge.ts';

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

function mapped(kind: string, path: string): z.infer<typeof mapping> {
  let at: unknown = definitions[kind];
  for (const name of path.split('.')) {
    const { properties, fields } = inside.partial().parse(at);
    at = properties?.[name] ?? fields?.[name];
  }
  return mapping.parse(at);
}

test('fields of filters are searchable', () => {
  for (const name of filterNames)
    for (const kind of filterKinds(name)) expect([name, mapped(kind, filters[name].field).index]).toEqual([name, true]);
});

test('fields of facets can be counted, and words also in their original spelling', () => {
  // A kind is an index, not a field.
  for (const name of facetNames.filter((each) => facets[each].type !== 'kind')) {
    const { field, type, kinds } = facets[name];
    for (const kind of kinds) {
      expect([name, mapped(kind, field).doc_values]).toEqual([name, true]);
      if (type === 'word') expect([name, mapped(kind, `${field}.shown`).doc_values]).toEqual([name, true]);
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

test('identifiers and traits of an entity are searchable', () => {
  for (const kind of kindNames)
    for (const field of ['id', 'slug', ...traits[kind].map(({ field }) => field)])
      expect([field, mapped(kind, field).index]).toEqual([field, true]);
});

test('fields that are only shown take no space in the index', () => {
  for (const field of ['logo', 'tickers', 'website']) {
    expect(mapped('companies', field)).toMatchObject({ index: false, doc_values: false });
  }
});

interface Node {
  readonly type?: string;
  readonly index?: boolean;
  readonly doc_values?: boolean;
  readonly enabled?: boolean;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly fields?: Readonly<Record<string, Node>>;
}

/** Returns the paths of all fields, with those within others, that take space in the index. */
function pathsIn(fields: Readonly<Record<string, Node>>, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, node]) => {
    const path = `${prefix}${name}`;
    const stored = node.type !== undefined && node.type !== 'object' && (node.index ?? true);
    const counted =
      node.type !== 'text' && node.type !== undefined && node.type !== 'object' && (node.doc_values ?? true);
    const inner = { ...node.properties, ...node.fields };
    return [...(stored || counted ? [path] : []), ...pathsIn(inner, `${path}.`)];
  });
}

/** Returns the bodies of searches that together use every clause. */
async function bodies(): Promise<string> {
  const sent: unknown[] = [];
  const texts = [
    'uniswap protocol 2024',
    'EIP-1559',
    'founders of uniswap in berlin',
    'companies founded in 2020',
    'companies with ten or more investors',
    'who has more than three EIPs',
    'devcon speakers in 2023',
    '',
  ];
  const query: SearchQuery = { type: 'all', text: '', page: 1, limit: 5, highlight: true, facets: facetNames };
  const sorts = sortNames.map((by) => ({ by, reversed: false }));
  const set = Object.fromEntries(filterNames.map((name) => [name, 1]));
  const context = { indexPrefix: '', vocabulary: emptyVocabulary, knowledge, now };
  for (const text of texts)
    for (const sort of sorts)
      for (const pass of ['strict', 'tolerant'] as const) {
        const prepared = prepareQuery({ ...query, text, sort, filters: set }, context);
        sent.push(searchBody(prepared, pass, { from: 0, size: 5 }));
      }
  const document = {
    ...{ id: 1, name: 'Alpha', overview: 'A bridge', tags: ['a'], ecosystems: ['b'], companies: ['c'], events: ['d'] },
    ...{ investment_focus: ['e'], investment_stages: ['f'], investor_type: 'g', event_types: ['h'] },
    ...{ location_json: { country: 'i' }, search: { company_ids: [1], investor_ids: [1] } },
  };
  const send: SearchTools['send'] = async ({ body }) => {
    sent.push(body);
    return {
      ok: true,
      body: { timed_out: false, hits: { hits: [{ _index: 'companies-0a1b2c3d-1', _source: document }] } },
    };
  };
  for (const kind of kindNames) {
    const of = { kind, id: 1, slug: 'alpha', limit: 5, indexPrefix: '', vocabulary: emptyVocabulary };
    await findSimilar(of, { send, vectors: null });
  }
  await suggest({ text: 'uniswap', limit: 5, indices: [] }, send);
  // Shown fields are not searched.
  return JSON.stringify(sent, (key, value) => (key === '_source' ? undefined : value));
}

test('every field that takes space in the index is used by a search or a comparison with the tables', async () => {
  const text = await bodies();
  const used = new Set([...text.matchAll(/"([\w.]+)(?:\^[\d.]+)?"/g)].map(([, path = '']) => path));
  // Read by `verify`.
  used.add('hash');
  for (const kind of kindNames) {
    const { properties = {} } = definitions[kind] ?? {};
    expect([kind, pathsIn(properties as Record<string, Node>).filter((path) => !used.has(path))]).toEqual([kind, []]);
  }
});
