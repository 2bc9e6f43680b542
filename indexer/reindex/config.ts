import { z } from 'zod';
import { byteSize, durationMs, type Environment, parseSettings, wholeNumber } from '../../src/config/settings.ts';
import type { ClusterLimits } from '../../src/elasticsearch/admin.ts';
import type { ReaderLimits } from '../change-log/reader.ts';
import type { DeadLetterLimits } from '../dead-letters/limits.ts';
import { type RetireConfig, retireConfig } from '../generations/retirement-config.ts';
import { syncConfig } from '../sync/config.ts';
import { type VerifyConfig, verifyConfig } from '../verify/config.ts';
import type { PressureLimits } from '../write/backpressure.ts';
import type { BulkLimits } from '../write/bulk.ts';

const mebibyte = 1_048_576;
const minuteMs = 60_000;

const variables = z.object({
  REINDEX_KINDS_AT_ONCE: wholeNumber({ min: 1, max: 4, default: 2 }),
  REINDEX_BATCH_BYTES: byteSize({ min: 1_024, max: 64 * mebibyte, default: mebibyte }),
  REINDEX_BYTES_IN_FLIGHT: byteSize({ min: 1_024, max: 1_024 * mebibyte, default: 6 * mebibyte }),
  REINDEX_REQUESTS: wholeNumber({ min: 1, max: 64, default: 4 }),
  REINDEX_REQUEST_TIMEOUT: durationMs({ min: 100, max: 10 * minuteMs, default: minuteMs }),
  REINDEX_GIVE_UP_AFTER: durationMs({ min: 100, max: 24 * 60 * minuteMs, default: 2 * minuteMs }),
  REINDEX_DEAD_LETTERS_AT_MOST: wholeNumber({ min: 0, max: 1_000_000, default: 1_000 }),
  REINDEX_DEAD_LETTERS_IN_A_ROW: wholeNumber({ min: 1, max: 1_000_000, default: 50 }),
  REINDEX_DEAD_LETTERS_SHARE: wholeNumber({ min: 0, max: 100, default: 50 }),
  ELASTICSEARCH_REPLICAS: wholeNumber({ min: 0, max: 10, default: 0 }),
});

/** A reindex's limits. */
export interface ReindexConfig {
  readonly kindsAtOnce: number;
  readonly batchBytes: number;
  /** Of all kinds together: batches being filled, waiting and under way. */
  readonly bytesInFlight: number;
  readonly pressure: PressureLimits;
  readonly bulk: BulkLimits;
  readonly actions: ClusterLimits;
  /** A load with more of them stops: then it is not the documents that are at fault. */
  readonly deadLetters: DeadLetterLimits;
  /** After a stop was asked for, requests under way may end within this. */
  readonly drainMs: number;
  readonly replicas: number;
  readonly retire: RetireConfig;
  /** Catching up and comparing before the swap. */
  readonly reader: ReaderLimits;
  readonly verify: VerifyConfig;
}

export function reindexConfig(env: Environment): ReindexConfig {
  const settings = parseSettings(variables, env);
  const deadLetters: DeadLetterLimits = {
    total: settings.REINDEX_DEAD_LETTERS_AT_MOST,
    inARow: settings.REINDEX_DEAD_LETTERS_IN_A_ROW,
    sharePercent: settings.REINDEX_DEAD_LETTERS_SHARE,
    settings: ['REINDEX_DEAD_LETTERS_AT_MOST', 'REINDEX_DEAD_LETTERS_IN_A_ROW', 'REINDEX_DEAD_LETTERS_SHARE'],
  };
  return {
    kindsAtOnce: settings.REINDEX_KINDS_AT_ONCE,
    batchBytes: settings.REINDEX_BATCH_BYTES,
    bytesInFlight: settings.REINDEX_BYTES_IN_FLIGHT,
    pressure: { maxRequests: settings.REINDEX_REQUESTS, slowFactor: 5, slowFloorMs: 2_000, decreaseEveryMs: 1_000 },
    bulk: {
      requestTimeoutMs: settings.REINDEX_REQUEST_TIMEOUT,
      firstPauseMs: 100,
      longestPauseMs: 5_000,
      giveUpAfterMs: settings.REINDEX_GIVE_UP_AFTER,
    },
    actions: { timeoutMs: settings.REINDEX_REQUEST_TIMEOUT, retries: 3, pauseMs: 500 },
    deadLetters,
    drainMs: 5_000,
    replicas: settings.ELASTICSEARCH_REPLICAS,
    retire: retireConfig(env),
    reader: { ...syncConfig(env).reader, deadLetters },
    verify: verifyConfig(env),
  };
}
