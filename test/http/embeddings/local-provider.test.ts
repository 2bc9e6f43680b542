import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createEmbeddingProvider } from '../../../src/embeddings/create-provider.ts';
import { localEmbeddings, testWithLocalModel } from '../../support/embeddings/local-model.ts';
import { cosine } from '../../support/embeddings/word-vectors.ts';

const testWithModel = await testWithLocalModel('the local model of embeddings');
const query = { role: 'query', timeoutMs: 30_000 } as const;
const document = { role: 'document', timeoutMs: 30_000 } as const;

const provider = createEmbeddingProvider(localEmbeddings);
afterAll(() => provider.close());

/** Questions that share no word with their answers. */
const answers = [
  ['how to borrow money', 'A lending protocol where depositors receive interest'],
  ['keep my savings safe from hackers', 'Hardware wallet for private keys that is never online'],
  ['meet other programmers in Portugal', 'Annual conference for developers, Lisbon'],
  ['something fun to play', 'A video game studio'],
] as const;

testWithModel('the text closest in meaning is nearest, though it shares no word with the query', async () => {
  const documents = await provider.embed(
    answers.map(([, text]) => text),
    document,
  );
  for (const [at, [question]] of answers.entries()) {
    const [asked] = await provider.embed([question], query);
    if (asked === undefined) throw new Error('There is no vector.');
    expect(asked).toHaveLength(384);
    expect(Math.hypot(...asked)).toBeCloseTo(1, 5);
    const nearness = documents.map((vector) => cosine(asked, vector));
    expect([question, nearness.indexOf(Math.max(...nearness))]).toEqual([question, at]);
  }
});

testWithModel('a vector does not depend on the other texts in its request or on their length', async () => {
  const text = 'A lending protocol on Ethereum';
  const [alone] = await provider.embed([text], document);
  const together = await provider.embed(['x', text, 'another one, much longer than it. '.repeat(500), ''], document);
  expect(together).toHaveLength(4);
  expect(together[1]).toEqual(alone);
  const [asked] = await provider.embed([text], query);
  expect(asked).not.toEqual(alone);
});

testWithModel('queries overtake documents, and the event loop stays responsive', async () => {
  await provider.embed(['the model is loaded now'], query);
  let turns = 0;
  const turning = setInterval(() => (turns += 1), 1);
  const order: string[] = [];
  const texts = Array.from({ length: 16 }, (_, at) =>
    `Document ${at} about lending, staking and exchanges. `.repeat(10),
  );
  const documents = provider.embed(texts, document).then(() => order.push('documents'));
  const asked = provider.embed(['who lends'], query).then(() => order.push('query'));
  await Promise.all([documents, asked]);
  clearInterval(turning);
  expect(order).toEqual(['query', 'documents']);
  // Each document takes the model many milliseconds.
  expect(turns).toBeGreaterThan(texts.length);
});

/** The priorities of this process's threads: 0 is normal, higher values have less priority. */
const niceValues = (): readonly number[] =>
  readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    // The name in parentheses may hold anything; the nice value is the 17th field after it.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });

(process.platform === 'linux' ? testWithModel : test.skip)(
  'in the background, its thread alone lets others come first',
  async () => {
    const before = niceValues().filter((nice) => nice > 0).length;
    const background = createEmbeddingProvider(localEmbeddings, { isBackground: true });
    await background.embed(['a text'], document);
    expect(niceValues().filter((nice) => nice > 0)).toHaveLength(before + 1);
    await background.close();
    expect(niceValues().filter((nice) => nice > 0)).toHaveLength(before);
  },
);

testWithModel('aborted texts are not embedded, and other texts are', async () => {
  await provider.embed(['the model is loaded now'], query);
  const controller = new AbortController();
  const given = provider.embed(['given up', 'as well'], { ...query, signal: controller.signal });
  const kept = provider.embed(['kept'], query);
  controller.abort();
  await expect(given).rejects.toMatchObject({ reason: 'aborted' });
  await expect(kept).resolves.toHaveLength(1);
});

testWithModel('a request that times out before the model is loaded fails, and the next one succeeds', async () => {
  const loading = createEmbeddingProvider(localEmbeddings);
  await expect(loading.embed(['late'], { ...query, timeoutMs: 1 })).rejects.toMatchObject({ reason: 'timeout' });
  await expect(loading.embed(['again'], query)).resolves.toHaveLength(1);
  await loading.close();
});

testWithModel('a closed provider rejects all requests', async () => {
  const closed = createEmbeddingProvider(localEmbeddings);
  const waiting = closed.embed(['a', 'b', 'c'], document);
  const failed = expect(waiting).rejects.toMatchObject({ reason: 'aborted' });
  await closed.close();
  await failed;
  await expect(closed.embed(['d'], document)).rejects.toMatchObject({ reason: 'aborted' });
});

testWithModel(
  'a process that repeatedly opens, uses and closes a provider exits cleanly',
  async () => {
    const cycles = 4;
    const args = ['test/support/embeddings/closing-cycles.ts', String(cycles)];
    // A process that the model crashes is a rejection.
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { timeout: 150_000 });
    expect({ stdout, stderr }).toEqual({ stdout: `${cycles}\n`, stderr: '' });
  },
  160_000,
);

test('without its files, the provider names the command to run, immediately and only the first time', async () => {
  const modelPath = await mkdtemp(join(tmpdir(), 'no-model-'));
  const empty = createEmbeddingProvider({ ...localEmbeddings, modelPath });
  const reason = {
    reason: 'misconfigured',
    message: expect.stringMatching(/(model\.onnx|tokenizer\.json) cannot be read \(ENOENT\).*npm run embeddings:model/),
  };
  await expect(empty.embed(['a'], query)).rejects.toMatchObject(reason);
  await expect(empty.embed(['a'], query)).rejects.toMatchObject(reason);
  await empty.close();
  await writeFile(join(modelPath, 'model.onnx'), 'no network');
  await writeFile(join(modelPath, 'tokenizer.json'), '{}');
  const broken = createEmbeddingProvider({ ...localEmbeddings, modelPath });
  await expect(broken.embed(['a'], query)).rejects.toMatchObject({ reason: 'misconfigured' });
  await broken.close();
  await rm(modelPath, { recursive: true });
});
