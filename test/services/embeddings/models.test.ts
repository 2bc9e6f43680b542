import { withCommandLimits } from '../../../dev/lib/limits.ts';
import { documentSql } from '../../../mappings/registry.ts';
import { embeddingModel, vectorField } from '../../../src/embeddings/model.ts';
import { jsonLines, succeed } from '../../support/commands.ts';
import { startEmbeddingServer } from '../../support/embeddings/embedding-server.ts';
import { closedAfterFile, forFile } from '../../support/for-file.ts';
import { setReindexStage } from '../../support/stages/reindex.ts';

// From one model to another as an operator does it: vectors alongside the old ones, then a new index, and back.

const companies = 50;
const [first, second] = [embeddingModel('first', 8), embeddingModel('second', 8)];

const stage = await forFile(setReindexStage(companies));
const server = await closedAfterFile(startEmbeddingServer({ dimension: 8 }), (opened) => opened.close());

interface Printed {
  readonly reason: string;
  readonly generations: readonly { readonly embeddingModel: string }[];
}

/** Runs a command with one of the models, or with none. Returns the lines that it prints. */
async function run(model: typeof first | null, ...args: readonly string[]) {
  const settings = model && { EMBEDDINGS: server.url, EMBEDDINGS_MODEL: model.name, EMBEDDINGS_DIMENSION: '8' };
  const { out } = await succeed(withCommandLimits({ ...stage.env, ...settings }, { retireAfterMs: 0 }), ...args);
  return jsonLines<Printed | readonly Printed[]>(out).flat();
}

/** Counts the documents of the live index that hold a vector of a model. */
async function held({ key }: typeof first): Promise<number> {
  const index = `${stage.indices.prefix}companies`;
  await stage.indices.client.indices.refresh({ index });
  return (await stage.indices.client.count({ index, query: { exists: { field: `search.${vectorField({ key })}` } } }))
    .count;
}

async function vectorsOf({ key }: typeof first): Promise<number> {
  const { rows } = await stage.pool.query('select from entity_vectors where model = $1', [key]);
  return rows.length;
}

test('an index switches from no model to one, to another, back and forth', async () => {
  await run(null, 'reindex', 'companies');
  expect(await run(first, 'plan', 'companies')).toEqual([
    expect.objectContaining({
      needed: true,
      vectorsMissing: companies,
      reason: expect.stringMatching(/^It holds no vectors of first\. Changed: mappings, settings, sql\.$/),
    }),
  ]);
  await run(first, 'embed');
  // Vectors came while the index that is searched holds none.
  await run(first, 'sync', '--once');
  expect(await run(null, 'verify', 'companies', '--deep')).toEqual([expect.objectContaining({ equal: true })]);
  await run(first, 'reindex', 'companies');
  expect(await held(first)).toBe(companies);
  expect(await run(first, 'plan', 'companies')).toEqual([
    expect.objectContaining({ needed: false, vectorsMissing: 0 }),
  ]);
  expect(await run(null, 'plan', 'companies')).toEqual([
    expect.objectContaining({ reason: expect.stringMatching(/^It holds vectors, and EMBEDDINGS is off\./) }),
  ]);

  await run(second, 'embed', 'companies');
  expect([await held(first), await vectorsOf(second)]).toEqual([companies, companies]);
  const [plan] = await run(second, 'plan', 'companies');
  expect(plan?.reason).toMatch(/^It holds vectors of another model than second\./);
  await run(second, 'reindex', 'companies');
  expect([await held(first), await held(second)]).toEqual([0, companies]);
  const [status] = await run(second, 'status', 'companies');
  expect(await vectorsOf(first)).toBeGreaterThanOrEqual(companies);
  expect(status?.generations.map(({ embeddingModel }) => embeddingModel)).toEqual([second.key, first.key]);
  // The kept index follows its own model.
  await stage.pool.query(
    `update entity_vectors set vector = '\\x0102030405060708' where model = $1 and kind = 'companies' and id = 3`,
    [first.key],
  );
  await run(second, 'sync', '--once');
  await run(second, 'rollback', 'companies');
  expect(await held(first)).toBe(companies);
  const shown = await stage.indices.client.get<{ search: Record<string, unknown> }>({
    index: `${stage.indices.prefix}companies`,
    id: '3',
  });
  expect(shown._source?.search[vectorField(first)]).toBe('0102030405060708');
  await run(second, 'sync', '--once');
  await run(second, 'rollback', 'companies');
  expect(await held(second)).toBe(companies);

  await run(second, 'reindex', 'companies');
  expect(await run(second, 'verify', 'companies', '--deep')).toEqual([expect.objectContaining({ equal: true })]);
  const { rows } = await stage.pool.query(
    `select 1 from (${documentSql('companies', { embeddings: second })}) as documents`,
  );
  expect(rows).toHaveLength(companies);
});
