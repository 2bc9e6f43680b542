import { parseDocumentSql } from '../../../indexer/read/document-sql.ts';
import { documentSql, generationHash, indexDefinition } from '../../../mappings/registry.ts';
import { indexOptions } from '../../../src/config/indexer.ts';
import { type EmbeddingModel, embeddingModel } from '../../../src/embeddings/model.ts';
import { kindNames } from '../../../src/kinds/kind.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import { selectBodies } from '../../../src/kinds/sql.ts';

test.each(kindNames)('%s: its SQL is taken apart into the expression of each key', (kind) => {
  const { sql, record, document } = kinds[kind];
  const parts = parseDocumentSql(selectBodies(sql, 'document', ''));
  expect(parts?.id).toBe(sql.id);
  expect(parts?.from.trim()).toBe(sql.from);
  const keys = [...(parts?.fields.keys() ?? [])];
  const shown = Object.keys(record.shape);
  expect(keys.filter((key) => !key.startsWith('search.') && !key.startsWith('location_json'))).toEqual(
    shown.filter((key) => key !== 'location_json'),
  );
  const search = document.shape.search;
  if (!('shape' in search)) throw new Error('the search part is no object');
  expect(keys.flatMap((key) => (key.startsWith('search.') ? [key.slice('search.'.length)] : []))).toEqual(
    Object.keys(search.shape as object),
  );
  expect(parts?.fields.get('name')).toBe(`${sql.id.replace('.id', '.name')}`);
});

test.each(kindNames)('%s: with a model, its vectors and nothing else come on top', (kind) => {
  const [model, other] = [embeddingModel('tests', 4), embeddingModel('tests', 8)];
  const without = indexOptions({});
  const withModel = (embeddings: EmbeddingModel) => ({ ...without, embeddings });
  const plain = parseDocumentSql(documentSql(kind, without))?.fields;
  const fields = new Map(parseDocumentSql(documentSql(kind, withModel(model)))?.fields);
  const vector = `search.vector_${model.key}`;
  expect(fields.get(vector)).toBe("encode(embedded.vector, 'hex')");
  fields.delete(vector);
  expect(fields).toEqual(plain);
  expect(documentSql(kind, without)).not.toContain('entity_vectors');
  expect(JSON.stringify(indexDefinition(kind, without))).not.toContain('vector');
  expect(new Set([without, withModel(model), withModel(other)].map((one) => generationHash(kind, one))).size).toBe(3);
});

test('another number of shards makes another generation', () => {
  const [one, two] = [indexOptions({}), indexOptions({ ELASTICSEARCH_SHARDS: '2' })];
  const differing = kindNames.filter((kind) => generationHash(kind, one) !== generationHash(kind, two));
  expect(differing).toEqual(kindNames);
  expect(indexDefinition('people', two).settings.number_of_shards).toBe(2);
});

test('brackets and commas in quotes part nothing, and an object at the beginning of more is not one', () => {
  const sql = `select c.id as id,
    (select row_to_json(o) from (select replace(c.a, '),''(', ',') as a,
      (select row_to_json(o) from (select c.c as c, f(c.d, 1) as d) as o) as b,
      (select row_to_json(o) from (select 1 as x) as o) || c.e as e) as o)::text as body
    from companies c cross join lateral (select 1 as body) as other`;
  expect(parseDocumentSql(sql)).toEqual({
    id: 'c.id',
    from: 'companies c cross join lateral (select 1 as body) as other',
    fields: new Map([
      ['a', `replace(c.a, '),''(', ',')`],
      ['b.c', 'c.c'],
      ['b.d', 'f(c.d, 1)'],
      ['e', '(select row_to_json(o) from (select 1 as x) as o) || c.e'],
    ]),
  });
});

test.each([
  'select 1',
  `select c.id as id, c.body as body from c`,
  'select c.id as id, (select row_to_json(o) from (select (1 as a',
])('what is of another form is not taken apart: %s', (sql) => {
  expect(parseDocumentSql(sql)).toBeUndefined();
});
