import { merged } from '../../../dev/lib/limits.ts';
import { defaultLimits } from '../../../indexer/limits.ts';
import { forFile } from '../../support/for-file.ts';
import { setReindexStage } from '../../support/stages/reindex.ts';

// Obstacles between a built index and the swap that need not stop it.

const stage = await forFile(setReindexStage());

test('a row that changes constantly and is an allowed dead letter does not delay the swap forever', async () => {
  await stage.pool.query(`update companies set name = repeat('x', 40000) where id = 499`);
  let stopped = false;
  let writing = Promise.resolve();
  const write = async (): Promise<void> => {
    for (let n = 0; !stopped; n += 1) {
      await stage.pool.query(`update companies set overview = $1 where id = 499`, [String(n)]);
    }
  };
  const [report] = await stage.run({
    allowedDeadLetters: 1,
    limits: merged(defaultLimits, { retireAfterMs: 0, verify: { roundsAtMost: 3 } }),
    config: { deadLetters: { total: 1_000, inARow: 100_000 } },
    observer: {
      onState: (_kind, state) => {
        if (state === 'verifying') writing = write();
      },
    },
  });
  stopped = true;
  await writing;
  expect(report?.reindex).toMatchObject({ state: 'live', error: undefined, counts: { deadLetters: 1 } });
  await stage.pool.query(`update companies set name = 'Short' where id = 499`);
});

test('impossible copies are reported without waiting for the full time', async () => {
  const [report] = await stage.run({ env: { ELASTICSEARCH_REPLICAS: '3' } });
  expect(report?.reindex.state).toBe('live');
  expect(stage.notes).toContainEqual(
    expect.stringMatching(/is live without all its replicas: \d data node\(s\) can't hold 3/),
  );
});

test('settings of an index with vectors are not attributed to an index template', async () => {
  const env = { EMBEDDINGS: 'http://127.0.0.1:1', EMBEDDINGS_MODEL: 'words', EMBEDDINGS_DIMENSION: '8' };
  const [report] = await stage.run({ env });
  expect(report?.reindex.state).toBe('live');
  expect(stage.notes.filter((note) => note.includes('index template'))).toEqual([]);
});

test('settings from an index template are removed if they change documents, and always reported', async () => {
  const { client, prefix } = stage.indices;
  const name = `${prefix}template`;
  await client.indices.putIndexTemplate({
    name,
    index_patterns: [`${prefix}*`],
    priority: 1_000,
    template: { settings: { 'index.final_pipeline': `${prefix}spoil`, 'index.max_result_window': 20_000 } },
  });
  try {
    const [report] = await stage.run();
    expect(report?.reindex.state).toBe('live');
    expect(stage.notes).toEqual([expect.stringMatching(/set index\.final_pipeline=\S+ on \S+\. This was removed/)]);
  } finally {
    await client.indices.deleteIndexTemplate({ name });
  }
});
