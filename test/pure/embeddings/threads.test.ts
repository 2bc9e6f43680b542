import type { ModelThread } from '../../../src/embeddings/local/model-thread.ts';
import { ModelThreads } from '../../../src/embeddings/local/threads.ts';
import { EmbeddingError, type EmbeddingFailure } from '../../../src/embeddings/provider.ts';

const text = { text: 'any', tokensMax: 64 };
const vector = Float32Array.of(1);
const failure = (reason: EmbeddingFailure) => new EmbeddingError(reason, reason);

/** Scripted threads, the clock that decides about pauses, and the starts and stops. */
function stage(stuckMs = 1_000) {
  const state = {
    nowMs: 0,
    started: 0,
    stopped: 0,
    /** True if it ends on request. */
    obeys: true,
    ready: async (): Promise<void> => undefined,
    embed: async (): Promise<Float32Array> => vector,
    die: (): void => undefined,
  };
  const start = (): ModelThread => {
    state.started += 1;
    const ended = Promise.withResolvers<void>();
    state.die = ended.resolve;
    return {
      ready: state.ready(),
      ended: ended.promise,
      embed: () => state.embed(),
      stop: () => {
        state.stopped += 1;
        if (state.obeys) ended.resolve();
      },
    };
  };
  const threads = new ModelThreads(start, { elapsed: () => state.nowMs, random: () => 0, stuckMs });
  return { state, threads };
}

test('one thread is started with the first text and keeps on', async () => {
  const { state, threads } = stage();
  expect(state.started).toBe(0);
  await expect(threads.embed(text)).resolves.toBe(vector);
  await expect(threads.embed(text)).resolves.toBe(vector);
  state.embed = () => Promise.reject(failure('rejected'));
  await expect(threads.embed(text)).rejects.toMatchObject({ reason: 'rejected' });
  expect([state.started, state.stopped]).toEqual([1, 0]);
  await threads.stop();
  expect(state.stopped).toBe(1);
});

test('after one that cannot start none is tried for a while, and the pause grows', async () => {
  const { state, threads } = stage();
  state.ready = () => Promise.reject(failure('misconfigured'));
  const outcomes: number[] = [];
  for (state.nowMs = 0; state.nowMs < 1_000; state.nowMs += 50) {
    await expect(threads.embed(text)).rejects.toMatchObject({ reason: 'misconfigured' });
    if (outcomes.length < state.started) outcomes.push(state.nowMs);
  }
  expect(outcomes).toEqual([0, 250, 750]);
  expect(state.stopped).toBe(3);
  state.ready = async () => undefined;
  state.nowMs = 2_000;
  await expect(threads.embed(text)).resolves.toBe(vector);
});

test('one that dies while it works is another reason for a pause, one that dies in silence is replaced', async () => {
  const { state, threads } = stage();
  await threads.embed(text);
  state.die();
  // The news comes by itself, as every event does.
  await Promise.resolve();
  await expect(threads.embed(text)).resolves.toBe(vector);
  expect(state.started).toBe(2);
  state.embed = () => Promise.reject(failure('unreachable'));
  await expect(threads.embed(text)).rejects.toMatchObject({ reason: 'unreachable' });
  state.embed = async () => vector;
  await expect(threads.embed(text)).rejects.toMatchObject({ reason: 'unreachable' });
  expect(state.started).toBe(2);
  state.nowMs = 250;
  await expect(threads.embed(text)).resolves.toBe(vector);
  expect(state.started).toBe(3);
});

test('one that never answers is asked to end, and no other is started before it has', async () => {
  const { state, threads } = stage(20);
  state.embed = () => new Promise(() => undefined);
  state.obeys = false;
  const stuck = { reason: 'unreachable', message: expect.stringContaining('stuck for 20 ms') };
  await expect(threads.embed(text)).rejects.toMatchObject(stuck);
  expect(state.stopped).toBe(1);
  state.embed = async () => vector;
  state.nowMs = 60_000;
  await expect(threads.embed(text)).rejects.toMatchObject(stuck);
  expect(state.started).toBe(1);
  state.die();
  await Promise.resolve();
  await expect(threads.embed(text)).resolves.toBe(vector);
  expect(state.started).toBe(2);
});

test('a refusal of the operating system is reported as well', async () => {
  const { state, threads } = stage();
  state.ready = () => {
    throw new Error('no more threads');
  };
  await expect(threads.embed(text)).rejects.toMatchObject({ reason: 'unreachable', cause: expect.anything() });
});
