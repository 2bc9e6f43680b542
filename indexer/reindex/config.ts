import type { IndexOptions } from '../../mappings/registry.ts';
import { indexerSettings, indexOptions } from '../../src/config/indexer.ts';
import type { Environment } from '../../src/config/settings.ts';
import type { ReaderLimits } from '../change-log/reader.ts';
import type { DeadLetterLimits } from '../dead-letters/monitor.ts';
import type { RetireConfig } from '../generations/retirement.ts';
import { defaultLimits, type Limits, type VerifyLimits } from '../limits.ts';
import { syncConfig } from '../sync/config.ts';
import type { WriteLimits } from '../write/write-context.ts';

/** The definition of the index that a reindex builds, and its limits. */
export interface ReindexConfig extends WriteLimits, IndexOptions {
  readonly kindsAtOnce: number;
  /** The interval at which a load saves its progress. */
  readonly saveEveryMs: number;
  /** A load with more of them stops: the documents are not at fault. */
  readonly deadLetters: DeadLetterLimits;
  readonly replicas: number;
  readonly retire: RetireConfig;
  /** For catching up and comparing before the swap. */
  readonly reader: ReaderLimits;
  readonly verify: VerifyLimits;
}

export function reindexConfig(env: Environment, limits: Limits = defaultLimits): ReindexConfig {
  const settings = indexerSettings(env);
  const { kindsAtOnce, batchBytes, bytesPerRequest, requestTimeoutMs, giveUpAfterMs, saveEveryMs } = limits.reindex;
  const { reader, retire } = syncConfig(env, limits);
  return {
    ...indexOptions(env),
    kindsAtOnce,
    saveEveryMs,
    batchBytes,
    bytesInFlight: settings.REINDEX_REQUESTS * bytesPerRequest,
    pressure: { maxRequests: settings.REINDEX_REQUESTS, slowFactor: 5, slowFloorMs: 2_000, decreaseEveryMs: 1_000 },
    bulk: { requestTimeoutMs, firstPauseMs: 100, longestPauseMs: 5_000, giveUpAfterMs },
    actions: { timeoutMs: requestTimeoutMs, retries: 3, pauseMs: 500 },
    deadLetters: limits.deadLetters,
    replicas: settings.ELASTICSEARCH_REPLICAS,
    retire,
    reader,
    verify: limits.verify,
  };
}
