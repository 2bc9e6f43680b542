import { z } from 'zod';
import { startEmbeddingServer } from '../../support/embeddings/embedding-server.ts';
import { cosine, wordVector } from '../../support/embeddings/word-vectors.ts';

const answer = z.object({
  data: z.array(z.object({ index: z.number(), embedding: z.array(z.number()) })),
});

test('the vectors of texts that share words are near to one another, and the server answers them', async () => {
  const near = cosine(wordVector('a lending market', 384), wordVector('the lending market', 384));
  const far = cosine(wordVector('a lending market', 384), wordVector('hardware wallets', 384));
  expect(near).toBeGreaterThan(0.5);
  expect(Math.abs(far)).toBeLessThan(0.2);

  await using server = await startEmbeddingServer({ dimension: 8 });
  const response = await fetch(`${server.url}/v1/embeddings`, {
    method: 'POST',
    body: JSON.stringify({ model: 'any', input: ['a lending market', 'hardware wallets'], encoding_format: 'float' }),
  });
  const { data } = answer.parse(await response.json());
  const second = data.find(({ index }) => index === 1);
  expect(Float32Array.from(second?.embedding ?? [])).toEqual(wordVector('hardware wallets', 8));
  expect(server.requests).toEqual([
    { model: 'any', input: ['a lending market', 'hardware wallets'], encoding_format: 'float' },
  ]);
});
