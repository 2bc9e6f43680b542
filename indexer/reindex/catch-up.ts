import { sleep } from '../../src/lib/sleep.ts';
import { GenerationReader, type Round } from '../change-log/reader.ts';
import type { Generation } from '../generations/generations.ts';
import { ReaderLockedError, takeReaderLock } from '../generations/locks.ts';
import type { ReindexContext } from './load.ts';

type FollowContext = ReindexContext & { readonly applicationName: string };

/** A shorter round leaves so little behind that following can apply the rest. */
const quickRoundMs = 1_000;
const pauseMs = 100;

/** If writers never rest, rounds stop getting shorter; beyond this they are too long. */
const steadyRoundMs = 30_000;

/**
 * Returns true if the remaining changes can be left to following; pure. `beforeMs`: duration of the previous round, if
 * there was one.
 */
export function isCaughtUp(roundMs: number, beforeMs: number | undefined): boolean {
  if (roundMs < quickRoundMs) return true;
  return beforeMs !== undefined && roundMs >= beforeMs && roundMs < steadyRoundMs;
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
    const rounds: CatchUpRound[] = [];
    for (let beforeMs: number | undefined; ; ) {
      const startMs = context.nowMs();
      const round = await reader.round(stop);
      onRound(round);
      const roundMs = context.nowMs() - startMs;
      if (!round.rewound && isCaughtUp(roundMs, beforeMs)) return;
      if (round.rewound) rounds.length = 0;
      else rounds.push({ ms: roundMs, changes: round.changes });
      const verdict = detectOverload(rounds, steadyRoundMs);
      if (verdict !== undefined) throw verdict;
      beforeMs = round.rewound ? undefined : roundMs;
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

/** The duration and the counts of one catch-up round. */
interface CatchUpRound {
  readonly ms: number;
  readonly changes: number;
}

/** This many rounds, each longer than the one before it and than `steadyMs`, are no accident. */
const roundsAtMost = 4;

/**
 * Returns why catching up will not end; undefined while it may. A round applies the changes that came during the round
 * before it, so growing rounds mean that changes arrive faster than they are applied. Pure.
 */
export function detectOverload(rounds: readonly CatchUpRound[], steadyMs: number): Error | undefined {
  const last = rounds.slice(-roundsAtMost);
  const grows = last.every((round, at) => round.ms >= steadyMs && round.ms >= (last[at - 1]?.ms ?? 0));
  if (last.length < roundsAtMost || !grows) return undefined;
  const changes = last.slice(1).reduce((sum, round) => sum + round.changes, 0);
  const perSecond = (some: readonly CatchUpRound[]): number =>
    Math.round((changes * 1_000) / some.reduce((sum, { ms }) => sum + ms, 0));
  return new Error(
    `Writers outrun it: ${perSecond(last.slice(0, -1))} changes arrive in a second and ${perSecond(last.slice(1))} are applied. Wait until they write less, or raise REINDEX_REQUESTS.`,
  );
}
