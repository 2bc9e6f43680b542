import { embeddingModel, vectorField } from '../../../src/embeddings/model.ts';
import { EmbeddingError, type EmbeddingProvider, type EmbedRequest } from '../../../src/embeddings/provider.ts';
import { createQueryEmbedder, type EmbeddingOutcome } from '../../../src/embeddings/query-embedder.ts';
import { vectorBytes } from '../../../src/lib/vector-bytes.ts';
import { wordVector } from '../../support/embeddings/word-vectors.ts';
import { until } from '../../support/until.ts';

const dimension = 8;
/** Bytes of a vector, two for each number. */
const digits = 16;

type Answer = (text: string, request: EmbedRequest) => Promise<Float32Array>;

const right: Answer = async (text) => wordVector(text, dimension);
const failing =
  (reason: EmbeddingError['reason']): Answer =>
  () =>
    Promise.reject(new EmbeddingError(reason, reason));

/** An embedder with a scripted provider, its requests and the observations. */
function stage() {
  const asked: string[] = [];
  const outcomes: EmbeddingOutcome[] = [];
  const news: string[] = [];
  const clock = { nowMs: 0, elapsed: () => clock.nowMs };
  const behaviour = { answer: right };
  const provider: EmbeddingProvider = {
    model: embeddingModel('some-model', dimension),
    batchSize: 1,
    async embed([text = ''], request) {
      asked.push(text);
      return [await behaviour.answer(text, request)];
    },
    close: async () => undefined,
  };
  const embedder = createQueryEmbedder(provider, clock, {
    embedded: (outcome) => void outcomes.push(outcome),
    wentAway: ({ reason }) => void news.push(`away: ${reason}`),
    cameBack: () => void news.push('back'),
    broke: (error) => void news.push(String(error)),
  });
  const embed = (text: string, signal = new AbortController().signal) => embedder.embed(text, signal);
  return { asked, outcomes, news, clock, behaviour, embedder, embed };
}

test('a text is embedded once, regardless of its spacing', async () => {
  const { asked, outcomes, embedder, embed } = stage();
  const first = await embed('lend tokens');
  const later = await embed(' lend \t tokens ');
  expect(asked).toEqual(['lend tokens']);
  expect(later).toBe(first);
  expect(later).toBe(Buffer.from(vectorBytes(wordVector('lend tokens', dimension))).toString('hex'));
  expect(embedder.field).toBe(vectorField(embedder.model));
  expect(outcomes).toEqual(['ok', 'cached']);
});

test('an aborted caller ends the request, and the next caller sends a new one', async () => {
  const { asked, outcomes, behaviour, embed } = stage();
  const signals: (AbortSignal | undefined)[] = [];
  behaviour.answer = (_, { signal }) => {
    signals.push(signal);
    return new Promise((_, reject) =>
      signal?.addEventListener('abort', () => reject(new EmbeddingError('aborted', 'aborted'))),
    );
  };
  const caller = new AbortController();
  const waiting = embed('a', caller.signal);
  await until(() => signals.length > 0, 'the request');
  caller.abort();
  await expect(waiting).resolves.toBeNull();
  expect(signals[0]?.aborted).toBe(true);
  behaviour.answer = right;
  await expect(embed('a')).resolves.toHaveLength(digits);
  await expect(embed('b', AbortSignal.abort())).resolves.toBeNull();
  expect(asked).toEqual(['a', 'a']);
  expect(outcomes).toEqual(['aborted', 'ok']);
});

test.each(['unreachable', 'timeout', 'refused', 'misconfigured', 'invalid'] as const)(
  'after three failures in a row (%s), the provider is not called for five seconds',
  async (reason) => {
    const { asked, outcomes, news, clock, behaviour, embedder, embed } = stage();
    behaviour.answer = failing(reason);
    for (const text of ['a', 'b', 'c', 'd']) await expect(embed(text)).resolves.toBeNull();
    expect(asked).toEqual(['a', 'b', 'c']);
    expect(outcomes).toEqual([reason, reason, reason, 'skipped']);
    expect(embedder.state()).toBe('unavailable');
    clock.nowMs = 5_000;
    await embed('e');
    await embed('f');
    expect(asked).toEqual(['a', 'b', 'c', 'e']);
    behaviour.answer = right;
    clock.nowMs = 10_000;
    await expect(embed('g')).resolves.toHaveLength(digits);
    expect(embedder.state()).toBe('ready');
    expect(news).toEqual([`away: ${reason}`, 'back']);
  },
);

test('cached vectors are available while the provider is down', async () => {
  const { behaviour, outcomes, embed } = stage();
  await embed('known');
  behaviour.answer = failing('unreachable');
  for (const text of ['a', 'b', 'c']) await embed(text);
  await expect(embed('known')).resolves.toHaveLength(digits);
  expect(outcomes.at(-1)).toBe('cached');
});

test.each(['rejected', 'busy', 'aborted'] as const)(
  'the outcome %s does not count as a failure of the provider',
  async (reason) => {
    const { asked, behaviour, embedder, embed } = stage();
    behaviour.answer = failing(reason);
    for (const text of ['a', 'b', 'c', 'd']) await expect(embed(text)).resolves.toBeNull();
    expect(asked).toHaveLength(4);
    expect(embedder.state()).toBe('ready');
  },
);

test('a bug of a provider is reported, and the search continues without a vector', async () => {
  const { news, behaviour, embed } = stage();
  behaviour.answer = () => Promise.reject(new TypeError('no function'));
  await expect(embed('a')).resolves.toBeNull();
  expect(news).toEqual(['TypeError: no function']);
});

test('eight requests run at the same time, some more wait, and the others get no vector', async () => {
  const { asked, outcomes, behaviour, embed } = stage();
  const gate = Promise.withResolvers<void>();
  behaviour.answer = async (text) => {
    await gate.promise;
    return wordVector(text, dimension);
  };
  const texts = Array.from({ length: 80 }, (_, at) => `text ${at}`);
  const all = texts.map((text) => embed(text));
  // Those that may not even wait.
  for (const refused of all.slice(72)) await expect(refused).resolves.toBeNull();
  expect(asked).toHaveLength(8);
  gate.resolve();
  const vectors = await Promise.all(all);
  expect(vectors.filter((vector) => vector !== null)).toHaveLength(72);
  expect(outcomes.filter((outcome) => outcome === 'busy')).toHaveLength(8);
});

test('the provider gets the time that is left', async () => {
  const { behaviour, clock, embed } = stage();
  const timeouts: number[] = [];
  behaviour.answer = async (text, { timeoutMs, role }) => {
    timeouts.push(timeoutMs);
    expect(role).toBe('query');
    return wordVector(text, dimension);
  };
  await embed('a');
  const waiting = embed('b');
  // Real clocks have fractions.
  clock.nowMs += 100.25;
  await waiting;
  expect(timeouts).toEqual([500, 399]);
});

test('a check calls the provider, regardless of the cache', async () => {
  const { asked, behaviour, embedder } = stage();
  await expect(embedder.check()).resolves.toBe('ready');
  behaviour.answer = failing('unreachable');
  await expect(embedder.check()).resolves.toBe('unavailable');
  await expect(embedder.probe(5_000)).resolves.toMatchObject({ reason: 'unreachable' });
  expect(asked).toHaveLength(3);
});
