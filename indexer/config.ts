import { changeLogLimits, indexerSettings, indexOptions } from '../src/config/indexer.ts';
import type { Environment } from '../src/config/settings.ts';
import { defaultLimits, type Limits } from './limits.ts';
import type { BulkLimits } from './write/bulk.ts';
import type { WriteLimits } from './write/write-context.ts';

// The configuration of reindex and sync: settings of the environment, limits, and constants.

export type SyncConfig = Readonly<ReturnType<typeof syncConfig>>;

export function syncConfig(env: Environment, limits: Limits = defaultLimits) {
  const { requests, pollMs, roundPauseMs, pruneEveryMs, repairedSharePercent } = limits.sync;
  return {
    // A round that gives up begins again, with the rows as they are then.
    ...writeLimits(limits.sync, requests, { longestPauseMs: 2_000, giveUpAfterMs: 10_000 }),
    ...followLimits(env, limits),
    pollMs,
    roundPauseMs,
    /** For failures of the whole process. */
    firstPauseMs: 200,
    longestPauseMs: 5_000,
    /** The interval at which generations are listed, and locks that others hold are tried. */
    discoverEveryMs: 500,
    log: changeLogLimits(env),
    pruneEveryMs,
    repairedSharePercent,
    /** Rounds under way may take this long after a stop. */
    drainMs: 5_000,
  };
}

export type ReindexConfig = Readonly<ReturnType<typeof reindexConfig>>;

/** Returns the definition of the index that a reindex builds, and its limits. */
export function reindexConfig(env: Environment, limits: Limits = defaultLimits) {
  const { REINDEX_REQUESTS: requests, ELASTICSEARCH_REPLICAS: replicas } = indexerSettings(env);
  const { kindsAtOnce, saveEveryMs, giveUpAfterMs } = limits.reindex;
  return {
    ...indexOptions(env),
    ...writeLimits(limits.reindex, requests, { longestPauseMs: 5_000, giveUpAfterMs }),
    ...followLimits(env, limits),
    kindsAtOnce,
    saveEveryMs,
    deadLetters: limits.deadLetters,
    replicas,
  };
}

function writeLimits(
  { batchBytes, bytesPerRequest, requestTimeoutMs }: Limits['sync' | 'reindex'],
  requests: number,
  bulk: Pick<BulkLimits, 'longestPauseMs' | 'giveUpAfterMs'>,
): WriteLimits {
  return {
    batchBytes,
    bytesInFlight: requests * bytesPerRequest,
    pressure: { maxRequests: requests, decreaseEveryMs: 1_000 },
    bulk: { requestTimeoutMs, firstPauseMs: 100, ...bulk },
    actions: { timeoutMs: requestTimeoutMs, retries: 3, pauseMs: 500 },
  };
}

/** Returns the limits of following and comparing; a reindex does both before the swap. */
function followLimits(env: Environment, limits: Limits) {
  const { chunkEntries: chunkSize, keepMs } = limits.sync;
  const { retireAfterMs: afterMs, abandonedAfterMs, deadLetters, verify } = limits;
  return {
    reader: { chunkSize, stepMs: 2_000, keepMs, identityEveryMs: 1_000, deadLetters },
    retire: { kept: indexerSettings(env).GENERATIONS_KEPT, afterMs, abandonedAfterMs },
    verify,
  };
}
