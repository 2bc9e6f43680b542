import { changedPaths } from '../../../indexer/generations/plan.ts';

const before = {
  settings: { number_of_shards: 1, analysis: { filter: { concepts: { synonyms: ['a => b', 'c => d'] } } } },
  mappings: { dynamic: 'strict', properties: { name: { type: 'text' }, old: { type: 'keyword' } } },
};

test('equal definitions differ in nothing, whatever the order of their keys', () => {
  const { settings, mappings } = before;
  expect(changedPaths(before, { mappings, settings })).toEqual([]);
});

test('changes are named by field and by group of settings', () => {
  const after = {
    settings: { number_of_shards: 2, analysis: { filter: { concepts: { synonyms: ['c => d', 'a => b'] } } } },
    mappings: { dynamic: 'strict', properties: { name: { type: 'text', index: false }, hash: { type: 'keyword' } } },
  };
  expect(changedPaths(before, after)).toEqual([
    'mappings.properties.hash',
    'mappings.properties.name',
    'mappings.properties.old',
    'settings.analysis.filter',
    'settings.number_of_shards',
  ]);
});
