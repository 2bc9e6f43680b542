import { localEmbeddings, testWithLocalModel } from '../support/embeddings/local-model.ts';
import { setEmbeddingStage } from '../support/stages/embeddings.ts';

const testWithModel = await testWithLocalModel('searching by meaning with the local model of embeddings');

/** A query in everyday words, and an overview that answers it: they share no significant word. */
const needs = [
  ['where can i borrow money', 'A lending protocol where depositors receive interest'],
  ['keep savings safe from hackers', 'Hardware wallet for private keys'],
  ['meet other programmers', 'Annual conference for developers'],
  ['something fun to play', 'Video game studio'],
] as const;

testWithModel('needs in everyday words find who meets them, names go on finding names', async () => {
  const settings = { EMBEDDINGS: 'local', EMBEDDINGS_MODEL_PATH: localEmbeddings.modelPath };
  const overviews = needs.map(([, overview]) => overview);
  await using on = await setEmbeddingStage(overviews, settings);
  for (const [at, [need]] of needs.entries()) {
    let answer = await on.ask(need);
    // On a busy machine a vector comes too late for the first who asks, and is there for the next one.
    for (let tries = 0; tries < 20 && answer.matchedBy !== 'semantic'; tries += 1) answer = await on.ask(need);
    const { status, matchedBy, names } = answer;
    expect([need, status, matchedBy, names[0]]).toEqual([need, 200, 'semantic', `Company ${at + 1}`]);
  }
  expect(await on.ask('company 3')).toMatchObject({ status: 200, matchedBy: 'strict', names: ['Company 3'] });
});
