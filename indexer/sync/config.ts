import { z } from 'zod';
import { byteSize, durationMs, type Environment, parseSettings, wholeNumber } from '../../src/config/settings.ts';
import type { ClusterLimits } from '../../src/elasticsearch/admin.ts';
import type { BackoffLimits } from '../../src/lib/backoff.ts';
import { type ChangeLogLimits, changeLogLimits } from '../change-log/config.ts';
import type { ReaderLimits } from '../change-log/reader.ts';
import { type RetireConfig, retireConfig } from '../generations/retirement-config.ts';
import { type VerifyConfig, verifyConfig } from '../verify/config.ts';
import type { PressureLimits } from '../write/backpressure.ts';
import type { BulkLimits } from '../write/bulk.ts';
import type { AutoRepairLimits } from './auto-repair.ts';

const mebibyte = 1_048_576;
const minuteMs = 60_000;

const variables = z.object({
  SYNC_BATCH_BYTES: byteSize({ min: 1_024, max: 64 * mebibyte, default: mebibyte }),
  SYNC_BYTES_IN_FLIGHT: byteSize({ min: 1_024, max: 1_024 * mebibyte, default: 16 * mebibyte }),
  SYNC_REQUESTS: wholeNumber({ min: 1, max: 64, default: 4 }),
  SYNC_REQUEST_TIMEOUT: durationMs({ min: 100, max: 10 * minuteMs, default: 30_000 }),
  SYNC_CHUNK_ENTRIES: wholeNumber({ min: 1, max: 100_000, default: 5_000 }),
  SYNC_POLL: durationMs({ min: 10, max: minuteMs, default: 100 }),
  SYNC_ROUND_PAUSE: durationMs({ min: 0, max: 10_000, default: 100 }),
  SYNC_KEEP: durationMs({ min: 100, max: 30 * minuteMs, default: 15 * minuteMs }),
  SYNC_PRUNE_EVERY: durationMs({ min: 100, max: 60 * minuteMs, default: minuteMs }),
  SYNC_DEAD_LETTERS_AT_MOST: wholeNumber({ min: 0, max: 1_000_000, default: 1_000 }),
  SYNC_DEAD_LETTERS_IN_A_ROW: wholeNumber({ min: 1, max: 1_000_000, default: 50 }),
  SYNC_DEAD_LETTERS_SHARE: wholeNumber({ min: 0, max: 100, default: 50 }),
  SYNC_REPAIR_SHARE: wholeNumber({ min: 0, max: 100, default: 10 }),
  SYNC_REPAIR_RATE: wholeNumber({ min: 1, max: 1_000_000, default: 1_000 }),
});

/** The limits of following the change log. */
export interface SyncConfig extends BackoffLimits {
  readonly reader: ReaderLimits;
  readonly pressure: PressureLimits;
  readonly bulk: BulkLimits;
  readonly batchBytes: number;
  readonly bytesInFlight: number;
  /** After a look that found nothing a reader looks again so long after that began. */
  readonly pollMs: number;
  /** After one that found something at least so much lies between their beginnings, so that changes gather. */
  readonly roundPauseMs: number;
  /** How often generations are looked for, and locks that others hold are tried. */
  readonly discoverEveryMs: number;
  readonly pruneEveryMs: number;
  /** Generations that are not kept are removed as often as the log is pruned. */
  readonly retire: RetireConfig;
  /** Beyond these, what is not followed loses its place in the log. */
  readonly log: ChangeLogLimits;
  readonly actions: ClusterLimits;
  /** What is compared and repaired after a promotion or a restore, without anybody being asked. */
  readonly mend: AutoRepairLimits;
  readonly verify: VerifyConfig;
  /** After a stop was asked for, rounds under way may end within this. */
  readonly drainMs: number;
}

export function syncConfig(env: Environment): SyncConfig {
  const settings = parseSettings(variables, env);
  return {
    reader: {
      chunkSize: settings.SYNC_CHUNK_ENTRIES,
      stepMs: 2_000,
      keepMs: settings.SYNC_KEEP,
      identityEveryMs: 1_000,
      requestTimeoutMs: settings.SYNC_REQUEST_TIMEOUT,
      deadLetters: {
        total: settings.SYNC_DEAD_LETTERS_AT_MOST,
        inARow: settings.SYNC_DEAD_LETTERS_IN_A_ROW,
        sharePercent: settings.SYNC_DEAD_LETTERS_SHARE,
        settings: ['SYNC_DEAD_LETTERS_AT_MOST', 'SYNC_DEAD_LETTERS_IN_A_ROW', 'SYNC_DEAD_LETTERS_SHARE'],
      },
    },
    pressure: { maxRequests: settings.SYNC_REQUESTS, slowFactor: 5, slowFloorMs: 2_000, decreaseEveryMs: 1_000 },
    bulk: {
      requestTimeoutMs: settings.SYNC_REQUEST_TIMEOUT,
      firstPauseMs: 100,
      longestPauseMs: 2_000,
      // A round that gives up is begun again, with the rows as they are then.
      giveUpAfterMs: 10_000,
    },
    batchBytes: settings.SYNC_BATCH_BYTES,
    bytesInFlight: settings.SYNC_BYTES_IN_FLIGHT,
    pollMs: settings.SYNC_POLL,
    roundPauseMs: settings.SYNC_ROUND_PAUSE,
    firstPauseMs: 200,
    longestPauseMs: 5_000,
    discoverEveryMs: 500,
    pruneEveryMs: settings.SYNC_PRUNE_EVERY,
    retire: retireConfig(env),
    log: changeLogLimits(env),
    actions: { timeoutMs: settings.SYNC_REQUEST_TIMEOUT, retries: 3, pauseMs: 500 },
    mend: { sharePercent: settings.SYNC_REPAIR_SHARE, documentsPerSecond: settings.SYNC_REPAIR_RATE },
    verify: verifyConfig(env),
    drainMs: 5_000,
  };
}
