import type { KindName } from '../../src/kinds/kind.ts';
import { createSerialQueue, type SerialQueue } from '../../src/lib/concurrency/serial-queue.ts';
import { HaltedError } from '../change-log/halts.ts';
import { type FollowedGeneration, listFollowed, recordLastError } from '../change-log/positions.ts';
import { GenerationReader } from '../change-log/reader.ts';
import { GenerationEndedError } from '../change-log/restore-detection.ts';
import { RefusedError } from '../errors.ts';
import { openLockSession, ReaderLockedError } from '../generations/locks.ts';
import { autoRepair } from './auto-repair.ts';
import type { SyncDeps } from './events.ts';

/**
 * Brings every generation up to the moment of the call, then resolves. Rejects with the first failure, and if another
 * process is the reader.
 */
export async function drainOnce(deps: SyncDeps, kinds: readonly KindName[], signal: AbortSignal): Promise<void> {
  await deps.refuseForeignOwner?.();
  await using locks = await openLockSession(deps.pool, deps.applicationName, 'the locks of the readers');
  const stop = AbortSignal.any([signal, locks.lost]);
  const followed = await listFollowed(deps.pool, kinds);
  for (const { indexName } of followed) {
    const taken = await locks.take({ space: 'reader', name: indexName });
    if (taken !== true) throw new ReaderLockedError(indexName, taken);
  }
  const repairs = createSerialQueue();
  await Promise.all(
    followed.map(async (one) => {
      try {
        await drain(deps, one, { repairs, stop });
      } catch (error) {
        // It was removed since it was listed.
        if (!(error instanceof GenerationEndedError)) throw error;
        deps.events.emit('ended', one);
      }
    }),
  );
}

/** The number of repairs that one call makes if generations are halted again meanwhile. */
const repairsAtMost = 3;

/** Runs rounds until one has applied everything. */
async function drain(
  deps: SyncDeps,
  followed: FollowedGeneration,
  { repairs: queue, stop }: { readonly repairs: SerialQueue; readonly stop: AbortSignal },
): Promise<void> {
  const reader = new GenerationReader(deps, followed.id);
  for (let repairs = 0; ; ) {
    try {
      const round = await reader.round(stop);
      deps.events.emit('round', followed, round);
      if (!round.rewound) return;
    } catch (error) {
      if (!(error instanceof HaltedError) || repairs === repairsAtMost) throw error;
      repairs += 1;
      const report = await queue(() => autoRepair(deps, followed.id, { again: false, signal: stop }));
      if (report.problem !== null) {
        await recordLastError(deps.pool, followed.id, report.problem);
        throw new RefusedError(`${error.message}\n${report.problem}`, { cause: error });
      }
      deps.events.emit('repaired', followed, report);
    }
  }
}
