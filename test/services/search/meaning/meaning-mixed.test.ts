import { angleEnv, angleVectors, createAngleEmbedder } from '../../../support/embeddings/query-vectors.ts';
import { forFile } from '../../../support/for-file.ts';
import { keyOf, setFeaturesStage } from '../../../support/stages/features.ts';

// An API that makes vectors of queries, on indices that were made before there were any, and while they get them kind by
// kind.

const embedder = createAngleEmbedder();
const vague = encodeURIComponent('grandmother guarantee punishment');
const like = encodeURIComponent('companies like quartzine');

const stage = await forFile(
  setFeaturesStage(
    {
      sql: `
      insert into companies (id, name, slug, tags) values
        (1, 'Quartzine', 'quartzine', '{lending}'), (2, 'Tidalwave', 'tidalwave', '{lending}'),
        (3, 'Gneissbank', 'gneissbank', '{custody}');
      insert into investors (id, name, slug) values (1, 'Fund A', 'fund-a'), (2, 'Fund B', 'fund-b');
      ${angleVectors('companies', 10, 'id > 1')}
      ${angleVectors('investors', 10, 'true')}`,
    },
    { embeddings: embedder },
  ),
);

test('Indices without vectors give the tolerant answer, and find similar entities by terms', async () => {
  for (const type of ['companies', 'investors', 'all']) {
    const found = await stage.find(`type=${type}&query=${vague}`);
    expect([type, found.totalResults]).toEqual([type, 0]);
  }
  expect((await stage.find(`type=companies&query=${like}`)).results).toMatchObject([{ id: 2 }]);
});

test('Kinds with and without vectors are searched together, and can be paged completely', async () => {
  await stage.reindexWith(angleEnv, 'investors');
  const found = await stage.find(`type=all&query=${vague}`);
  expect(found).toMatchObject({ matchedBy: 'semantic', totalResults: 2 });
  expect(found.results.map(keyOf)).toEqual(['investors/1', 'investors/2']);
  const walked: string[] = [];
  for await (const { results } of stage.paginate(`type=all&query=${vague}&limit=1`)) walked.push(...results.map(keyOf));
  expect(walked).toEqual(['investors/1', 'investors/2']);
  expect((await stage.find(`type=companies&query=${like}`)).results).toMatchObject([{ id: 2 }]);
  expect(await stage.find(`type=companies&query=${vague}`)).toMatchObject({ totalResults: 0 });
});

test('A kind with new vectors is searched by them, and its entities without a vector by terms', async () => {
  await stage.reindexWith(angleEnv, 'companies');
  const found = await stage.find(`type=all&query=${vague}`);
  expect(found.results.map(keyOf).toSorted()).toEqual(['companies/2', 'companies/3', 'investors/1', 'investors/2']);
  expect((await stage.find(`type=companies&query=${like}`)).results).toMatchObject([{ id: 2 }]);
  const near = await stage.find(`type=companies&query=${encodeURIComponent('alternatives to tidalwave')}`);
  expect(near.results.map(({ id }) => id).toSorted()).toEqual([1, 3]);
});
