import { type ChangeLogLimits, changeLogLimits, indexerSettings } from '../../src/config/indexer.ts';
import type { Environment } from '../../src/config/settings.ts';
import type { BackoffLimits } from '../../src/lib/backoff.ts';
import type { ReaderLimits } from '../change-log/reader.ts';
import type { RetireConfig } from '../generations/retirement.ts';
import { defaultLimits, type Limits, type VerifyLimits } from '../limits.ts';
import type { WriteLimits } from '../write/write-context.ts';

export interface SyncConfig extends BackoffLimits, WriteLimits {
  readonly reader: ReaderLimits;
  /** An idle reader checks again this long after the start of a check that found no changes. */
  readonly pollMs: number;
  /** The least time between the starts of two rounds if the first found changes, so that changes gather. */
  readonly roundPauseMs: number;
  /** The interval at which generations are listed, and locks that others hold are tried. */
  readonly discoverEveryMs: number;
  readonly pruneEveryMs: number;
  /** Surplus generations are removed when the log is pruned. */
  readonly retire: RetireConfig;
  /** Beyond these limits, an index that is not followed loses its position in the log. */
  readonly log: ChangeLogLimits;
  /** The percentage of documents that may be repaired automatically after a promotion or a restore. */
  readonly repairedSharePercent: number;
  readonly verify: VerifyLimits;
  /** Rounds under way may take this long after a stop. */
  readonly drainMs: number;
}

export function syncConfig(env: Environment, limits: Limits = defaultLimits): SyncConfig {
  const settings = indexerSettings(env);
  const { requestTimeoutMs } = limits.sync;
  return {
    reader: {
      chunkSize: limits.sync.chunkEntries,
      stepMs: 2_000,
      keepMs: limits.sync.keepMs,
      identityEveryMs: 1_000,
      deadLetters: limits.deadLetters,
    },
    pressure: { maxRequests: limits.sync.requests, slowFactor: 5, slowFloorMs: 2_000, decreaseEveryMs: 1_000 },
    bulk: {
      requestTimeoutMs,
      firstPauseMs: 100,
      longestPauseMs: 2_000,
      // A round that gives up begins again, with the rows as they are then.
      giveUpAfterMs: 10_000,
    },
    batchBytes: limits.sync.batchBytes,
    bytesInFlight: limits.sync.requests * limits.sync.bytesPerRequest,
    pollMs: limits.sync.pollMs,
    roundPauseMs: limits.sync.roundPauseMs,
    firstPauseMs: 200,
    longestPauseMs: 5_000,
    discoverEveryMs: 500,
    log: changeLogLimits(env),
    pruneEveryMs: limits.sync.pruneEveryMs,
    retire: {
      kept: settings.GENERATIONS_KEPT,
      afterMs: limits.retireAfterMs,
      abandonedAfterMs: limits.abandonedAfterMs,
    },
    actions: { timeoutMs: requestTimeoutMs, retries: 3, pauseMs: 500 },
    repairedSharePercent: limits.sync.repairedSharePercent,
    verify: limits.verify,
    drainMs: 5_000,
  };
}
