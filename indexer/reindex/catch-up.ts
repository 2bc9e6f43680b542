import { sleep } from '../../src/lib/sleep.ts';
import { GenerationReader, type Round } from '../change-log/reader.ts';
import type { Generation } from '../generations/generations.ts';
import { ReaderLockedError, takeReaderLock } from '../generations/locks.ts';
import type { ReindexContext } from './load.ts';

type FollowContext = ReindexContext & { readonly applicationName: string };

/** A shorter round leaves so little behind that following can apply the rest. */
const quickRoundMs = 1_000;
const pauseMs = 100;

const outrun =
  'Changes arrive faster than they are applied. Wait until there are fewer writes, or raise REINDEX_REQUESTS.';

/** If writers never rest, rounds stop getting shorter; beyond this they are too long. */
const steadyRoundMs = 30_000;

/** This many rounds, each too long and longer than the one before it, are no accident. */
const longRoundsAtMost = 4;

/**
 * Judges the durations of the rounds so far; pure. `caught-up`: the remaining changes can be left to following.
 * `outrun`: a round applies the changes that came during the round before it, and these only get more.
 */
export function judgeRounds(roundsMs: readonly number[]): 'caught-up' | 'behind' | 'outrun' {
  const [lastMs = 0, beforeMs] = roundsMs.toReversed();
  if (lastMs < quickRoundMs) return 'caught-up';
  if (beforeMs !== undefined && lastMs >= beforeMs && lastMs < steadyRoundMs) return 'caught-up';
  const latest = roundsMs.slice(-longRoundsAtMost);
  const grow = latest.every((ms, at) => ms >= steadyRoundMs && ms >= (latest[at - 1] ?? 0));
  return grow && latest.length === longRoundsAtMost ? 'outrun' : 'behind';
}

/**
 * Applies the changes since the generation's first position, until rounds are quick or get no quicker. Fails if
 * they only get longer.
 */
export async function catchUp(
  context: FollowContext,
  generation: Generation,
  signal: AbortSignal,
  onRound: (round: Round) => void,
): Promise<void> {
  await whileReader(context, generation, signal, async (reader, stop) => {
    let roundsMs: readonly number[] = [];
    for (;;) {
      const startMs = context.nowMs();
      const round = await reader.round(stop);
      onRound(round);
      roundsMs = round.rewound ? [] : [...roundsMs.slice(-longRoundsAtMost), context.nowMs() - startMs];
      if (round.rewound) continue;
      const verdict = judgeRounds(roundsMs);
      if (verdict === 'caught-up') return;
      if (verdict === 'outrun') throw new Error(outrun);
    }
  });
}

/** Follows the generation, under its reader lock, while the work goes on. A failure to follow ends the work. */
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
