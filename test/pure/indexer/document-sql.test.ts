import { documentSql, generationHash, indexDefinition } from '../../../mappings/registry.ts';
import { indexOptions } from '../../../src/config/indexer.ts';
import { type EmbeddingModel, embeddingModel } from '../../../src/embeddings/model.ts';
import { kindNames } from '../../../src/kinds/kind.ts';

test.each(kindNames)('%s: a model adds only its vectors', (kind) => {
  const [model, other] = [embeddingModel('tests', 4), embeddingModel('tests', 8)];
  const without = indexOptions({});
  const withModel = (embeddings: EmbeddingModel) => ({ ...without, embeddings });
  const added = [
    `, encode(embedded.vector, 'hex') as vector_${model.key}`,
    /embedded\.vector, |, embedded\.vector/g,
    /\n {2}left join lateral \([^)]* from entity_vectors [^)]*\) as embedded on true/,
  ];
  const left = added.reduce<string>((sql, part) => sql.replace(part, ''), documentSql(kind, withModel(model)));
  expect(left).toBe(documentSql(kind, without));
  expect(documentSql(kind, without)).not.toContain('entity_vectors');
  expect(JSON.stringify(indexDefinition(kind, without))).not.toContain('vector');
  expect(new Set([without, withModel(model), withModel(other)].map((one) => generationHash(kind, one))).size).toBe(3);
});

test('another number of shards needs another generation', () => {
  const [one, two] = [indexOptions({}), indexOptions({ ELASTICSEARCH_SHARDS: '2' })];
  const differing = kindNames.filter((kind) => generationHash(kind, one) !== generationHash(kind, two));
  expect(differing).toEqual(kindNames);
  expect(indexDefinition('people', two).settings.number_of_shards).toBe(2);
});
