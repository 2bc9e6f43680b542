import { liveGeneration } from '../../../indexer/generations/stored-generation.ts';
import { repairGeneration } from '../../../indexer/verify/repair.ts';
import { verifyGeneration } from '../../../indexer/verify/verify.ts';
import { embeddingModel, vectorField } from '../../../src/embeddings/model.ts';
import { forFile } from '../../support/for-file.ts';
import { setSyncStage } from '../../support/stages/sync.ts';

// Vectors are rows like any other: written, changed or deleted, they reach the documents of indices that were built for
// their model, and no others.

const model = embeddingModel('tests', 4);
const other = embeddingModel('tests', 8);
const never = new AbortController().signal;

const stage = await forFile(setSyncStage(40, { embeddings: model }));

/** Puts a vector in place, as the filling of them does. */
async function store(id: number, hex: string, { key } = model): Promise<void> {
  await stage.pool.query(
    `insert into entity_vectors (kind, id, model, text_hash, vector) values ('companies', $1, $2, md5($3), decode($3, 'hex'))
     on conflict (kind, model, id) do update set text_hash = excluded.text_hash, vector = excluded.vector`,
    [id, key, hex],
  );
}

async function indexed(id: number): Promise<unknown> {
  const found = await stage.indices.client.get<{ search: Record<string, unknown> }>({
    index: `${stage.indices.prefix}companies`,
    id: String(id),
  });
  return found._source?.search[vectorField(model)];
}

async function nearest(hex: string): Promise<readonly (string | undefined)[]> {
  const index = `${stage.indices.prefix}companies`;
  await stage.indices.client.indices.refresh({ index });
  const field = `search.${vectorField(model)}`;
  const found = await stage.indices.client.search({
    index,
    _source: false,
    knn: {
      field,
      query_vector: Array.from(Buffer.from(hex, 'hex'), (byte) => (byte << 24) >> 24),
      k: 2,
      num_candidates: 20,
    },
  });
  return found.hits.hits.map(({ _id }) => _id);
}

test('a document is indexed before its vector, and follows when the vector is added, changed and removed', async () => {
  expect(await indexed(7)).toBeNull();
  await store(7, '7f000000');
  await store(8, '007f0000');
  await stage.round('companies');
  expect(await indexed(7)).toBe('7f000000');
  expect(await nearest('7f010000')).toEqual(['7', '8']);
  await store(7, '8100007f');
  await stage.round('companies');
  expect(await indexed(7)).toBe('8100007f');
  expect(await nearest('81000070')).toEqual(['7', '8']);
  await stage.pool.query('delete from entity_vectors where id = 7');
  await stage.round('companies');
  expect(await indexed(7)).toBeNull();
  await stage.expectEqual();
});

test('an unchanged vector, or one of another model, rewrites no document', async () => {
  await store(9, '7f7f0000');
  await stage.round('companies');
  await stage.pool.query(`update entity_vectors set text_hash = md5('another text') where id = 9`);
  expect(await stage.round('companies')).toMatchObject({ changes: 0, documents: 0 });
  await store(9, '7f7f00007f7f0000', other);
  expect(await stage.round('companies')).toMatchObject({ changes: 1, documents: 0 });
  expect(await indexed(9)).toBe('7f7f0000');
});

test('truncating all vectors removes them from documents', async () => {
  await store(10, '7f7f7f7f');
  await stage.round('companies');
  await stage.pool.query('truncate entity_vectors');
  await stage.round('companies');
  expect(await indexed(10)).toBeNull();
  await stage.expectEqual();
});

test('verify finds a differing vector on either side, and repair fixes it', async () => {
  await store(11, '7f00007f');
  await stage.round('companies');
  const { pool, indices } = stage;
  const deps = stage.syncDeps();
  const live = await liveGeneration({ pool, cluster: deps.cluster, indexPrefix: indices.prefix }, 'companies');
  const compared = async (deep: boolean) => {
    const report = await verifyGeneration(deps, live, { deep, signal: never, unfollowed: true });
    return report.differences.map(({ key }) => key);
  };
  expect(await compared(true)).toEqual([]);
  const doc = { search: { [vectorField(model)]: '0000007f' } };
  await indices.client.update({ index: live.indexName, id: '11', doc });
  expect(await compared(true)).toEqual(['11']);
  await pool.query('alter table entity_vectors disable trigger log_update');
  await pool.query(`update entity_vectors set vector = '\\x01020304' where id = 11`);
  await pool.query('alter table entity_vectors enable always trigger log_update');
  expect(await compared(false)).toEqual(['11']);
  await repairGeneration(deps, live, { deep: false, signal: never, unfollowed: true });
  expect(await indexed(11)).toBe('01020304');
  await stage.expectEqual();
});
