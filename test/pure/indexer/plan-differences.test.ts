import { diffRecipes, type Recipe } from '../../../indexer/generations/plan-differences.ts';

// The differences that `entity-search plan` reports between two definitions of an index.

const before: Recipe = {
  definition: {
    settings: {
      number_of_shards: 1,
      analysis: { filter: { concepts: { type: 'synonym', synonyms: ['a => b', 'c => d'] } } },
    },
    mappings: { dynamic: 'strict', properties: { name: { type: 'text' }, old: { type: 'keyword' } } },
  },
  documentSql: `select c.id as id,\n json_build_object('id', c.id, 'name', c.name) as body\n from companies c`,
};

test('the same recipe differs in nothing, whatever the order of its keys', () => {
  const { settings, mappings } = before.definition as Record<string, object>;
  expect(diffRecipes(before, { ...before, definition: { mappings, settings } })).toEqual([]);
});

test('fields and settings are reported one by one, as added, removed or changed', () => {
  const after = {
    ...before,
    definition: {
      settings: {
        number_of_shards: 2,
        analysis: { filter: { concepts: { type: 'synonym', synonyms: ['a => b', 'c => d'] } } },
      },
      mappings: { dynamic: 'strict', properties: { name: { type: 'text', index: false }, hash: { type: 'keyword' } } },
    },
  };
  expect(diffRecipes(before, after)).toEqual([
    { part: 'mapping', path: 'mappings.properties.hash.type', change: 'added', before: null, after: 'keyword' },
    { part: 'mapping', path: 'mappings.properties.name.index', change: 'added', before: null, after: false },
    { part: 'mapping', path: 'mappings.properties.old.type', change: 'removed', before: 'keyword', after: null },
    { part: 'settings', path: 'settings.number_of_shards', change: 'changed', before: 1, after: 2 },
  ]);
});

test('only added and removed rules of a vocabulary are reported', () => {
  const concepts = { type: 'synonym', synonyms: ['c => d', 'e => f'] };
  const definition = { ...before.definition, settings: { number_of_shards: 1, analysis: { filter: { concepts } } } };
  expect(diffRecipes(before, { ...before, definition })).toEqual([
    {
      part: 'vocabulary',
      path: 'settings.analysis.filter.concepts.synonyms',
      change: 'changed',
      before: ['a => b'],
      after: ['e => f'],
    },
  ]);
});

test('only added and removed pieces of the SQL are reported', () => {
  const documentSql = before.documentSql.replace(`'name', c.name`, `'name', lower(c.name)`);
  expect(
    diffRecipes(before, { ...before, documentSql }).map(({ change, before: one, after }) => [change, one ?? after]),
  ).toEqual([
    ['removed', `'name', c.name) as body`],
    ['added', `'name', lower(c.name)) as body`],
  ]);
});
