import { localEmbeddings, testWithLocalModel } from '../support/embeddings/local-model.ts';
import { setEmbeddingStage } from '../support/stages/embeddings.ts';
import { until } from '../support/until.ts';

const testWithModel = await testWithLocalModel('searching by meaning with the local model of embeddings');

/** A query in everyday words, and an overview that answers it: they share no significant word. */
const needs = [
  ['where can i borrow money', 'A lending protocol where depositors receive interest'],
  ['keep savings safe from hackers', 'Hardware wallet for private keys'],
  ['meet other programmers', 'Annual conference for developers'],
  ['something fun to play', 'Video game studio'],
] as const;

testWithModel('a need in everyday words finds who meets it, and names are still found', async () => {
  const settings = { EMBEDDINGS: 'local', EMBEDDINGS_MODEL_PATH: localEmbeddings.modelPath };
  const overviews = needs.map(([, overview]) => overview);
  await using on = await setEmbeddingStage(overviews, settings);
  for (const [at, [need]] of needs.entries()) {
    // The vocabulary gets its vectors after the start. On a busy machine, a query's own vector may come too late, too.
    await until(async () => (await on.ask(need)).matchedBy === 'semantic', `"${need}" is answered by meaning`);
    const { status, names } = await on.ask(need);
    expect([need, status, names[0]]).toEqual([need, 200, `Company ${at + 1}`]);
  }
  expect(await on.ask('company 3')).toMatchObject({ status: 200, matchedBy: 'strict', names: ['Company 3'] });
});
