import { sleep } from '../../src/lib/sleep.ts';
import { GenerationReader, type Round } from '../change-log/reader.ts';
import type { Generation } from '../generations/generations.ts';
import { ReaderLockedError, takeReaderLock } from '../generations/locks.ts';
import type { ReindexContext } from './load.ts';

type FollowContext = ReindexContext & { readonly applicationName: string };

/** After a shorter round, following can apply the rest. */
const quickRoundMs = 1_000;
const pauseMs = 100;

/**
 * Applies the changes since the generation's first position, until a round is quick, or takes no less time than the one
 * before it because writers never rest.
 */
export async function catchUp(
  context: FollowContext,
  generation: Generation,
  signal: AbortSignal,
  onRound: (round: Round) => void,
): Promise<void> {
  await whileReader(context, generation, signal, async (reader, stop) => {
    let beforeMs = Number.POSITIVE_INFINITY;
    for (let isCaughtUp = false; !isCaughtUp; ) {
      const startMs = context.nowMs();
      const round = await reader.round(stop);
      onRound(round);
      const tookMs = context.nowMs() - startMs;
      isCaughtUp = !round.rewound && (tookMs < quickRoundMs || tookMs >= beforeMs);
      beforeMs = round.rewound ? Number.POSITIVE_INFINITY : tookMs;
    }
  });
}

/** Follows the generation, under its reader lock, during the work. A failure to follow ends the work. */
export async function followWhile<Result>(
  context: FollowContext,
  generation: Generation,
  signal: AbortSignal,
  work: (stop: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return whileReader(context, generation, signal, async (reader, lost) => {
    const done = new AbortController();
    const failing = new AbortController();
    const stop = AbortSignal.any([lost, failing.signal]);
    const following = follow(reader, stop, done.signal).catch((error: unknown) => failing.abort(error));
    try {
      const result = await work(stop);
      stop.throwIfAborted();
      return result;
    } catch (error) {
      stop.throwIfAborted();
      throw error;
    } finally {
      done.abort();
      await following;
    }
  });
}

async function follow(reader: GenerationReader, stop: AbortSignal, done: AbortSignal): Promise<void> {
  while (!done.aborted && !stop.aborted) {
    await reader.round(stop);
    await sleep(pauseMs);
  }
}

async function whileReader<Result>(
  context: FollowContext,
  generation: Generation,
  signal: AbortSignal,
  work: (reader: GenerationReader, stop: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { indexName } = generation;
  const taken = await takeReaderLock(context.pool, indexName, context.applicationName);
  if (!('held' in taken)) throw new ReaderLockedError(indexName, taken.holder);
  await using lock = taken.held;
  return await work(new GenerationReader(context, generation.id), AbortSignal.any([signal, lock.lost]));
}
