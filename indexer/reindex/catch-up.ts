import { sleep } from '../../src/lib/sleep.ts';
import { GenerationReader, type ReaderDeps, type Round } from '../change-log/reader.ts';
import { CommandError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Generation } from '../generations/generations.ts';
import { takeReaderLock } from '../generations/locks.ts';
import { followedBy } from '../sync/sync.ts';
import type { LoadDeps } from './load.ts';
import { type CatchUpRound, detectOverload } from './overload.ts';

// A generation that is not live yet is followed by the reindex itself, under its reader lock.

export interface FollowDeps extends LoadDeps {
  readonly applicationName: string;
}

/** A round that is shorter leaves so little behind that the rest is a matter of following. */
const quickRoundMs = 1_000;
const pauseMs = 100;

/** Rounds that don't get shorter are as short as they get, where writers never rest; beyond this they are too long. */
const steadyRoundMs = 30_000;

/** Whether what is left is a matter of following; pure. `beforeMs`: what the round before took, if there was one. */
export function isCaughtUp(roundMs: number, beforeMs: number | undefined): boolean {
  if (roundMs < quickRoundMs) return true;
  return beforeMs !== undefined && roundMs >= beforeMs && roundMs < steadyRoundMs;
}

/**
 * Applies what has changed since the generation's first position, until rounds are quick or get no quicker. Throws
 * `OverloadError` where they only get longer.
 */
export async function catchUp(
  deps: FollowDeps,
  generation: Generation,
  signal: AbortSignal,
  onRound: (round: Round) => void,
): Promise<void> {
  await whileReader(deps, generation, signal, async (reader, stop) => {
    const rounds: CatchUpRound[] = [];
    for (let beforeMs: number | undefined; ; ) {
      const startMs = deps.nowMs();
      const round = await reader.round(stop);
      onRound(round);
      const roundMs = deps.nowMs() - startMs;
      if (!round.rewound && isCaughtUp(roundMs, beforeMs)) return;
      if (round.rewound) rounds.length = 0;
      else rounds.push({ ms: roundMs, changes: round.changes });
      const verdict = detectOverload(rounds, steadyRoundMs);
      if (verdict !== undefined) throw verdict;
      beforeMs = round.rewound ? undefined : roundMs;
    }
  });
}

/** Keeps following while the work goes on. A failure to follow ends the work. */
export async function followWhile<Result>(
  deps: FollowDeps,
  generation: Generation,
  signal: AbortSignal,
  work: (stop: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return whileReader(deps, generation, signal, async (reader, lost) => {
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
  deps: FollowDeps,
  generation: Generation,
  signal: AbortSignal,
  work: (reader: GenerationReader, stop: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const taken = await takeReaderLock(deps.pool, generation.indexName, deps.applicationName);
  if (!('held' in taken)) throw new CommandError(followedBy(generation.indexName, taken.holder), exitCodes.refused);
  await using lock = taken.held;
  const { config } = deps;
  using buffers = deps.buffers.share();
  const readerDeps: ReaderDeps = {
    ...deps,
    buffers,
    batchBytes: config.batchBytes,
    bulk: config.bulk,
    limits: config.reader,
  };
  return await work(new GenerationReader(readerDeps, generation.id), AbortSignal.any([signal, lock.lost]));
}
