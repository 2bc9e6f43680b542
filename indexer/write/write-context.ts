import type { Client } from '@elastic/elasticsearch';
import type pg from 'pg';
import type { Cluster, ClusterLimits } from '../../src/elasticsearch/admin.ts';
import { type BackpressureLimits, RequestLimiter } from './backpressure.ts';
import { BatchBuffers } from './batch-buffers.ts';
import type { BulkLimits } from './bulk.ts';

export interface WriteLimits {
  /** A batch is closed before it exceeds this. */
  readonly batchBytes: number;
  /** The limit of all indices together: batches being filled, waiting and under way. */
  readonly bytesInFlight: number;
  readonly pressure: BackpressureLimits;
  readonly bulk: BulkLimits;
  /** The timeout of requests that send no documents. */
  readonly actions: ClusterLimits;
}

/** Resources shared by all writers of one process. */
export interface WriteContext<Limits extends WriteLimits = WriteLimits> {
  readonly pool: pg.Pool;
  readonly cluster: Cluster;
  readonly config: Limits;
  readonly limiter: RequestLimiter;
  readonly buffers: BatchBuffers;
  readonly nowMs: () => number;
  readonly random: () => number;
}

/** @param indices the least number of indices written at the same time */
export function createWriteContext<Limits extends WriteLimits>(
  pool: pg.Pool,
  client: Client,
  config: Limits,
  indices = 1,
): WriteContext<Limits> {
  return {
    pool,
    cluster: { client, limits: config.actions },
    config,
    limiter: new RequestLimiter(config.pressure),
    buffers: new BatchBuffers(config.bytesInFlight, config.batchBytes, indices),
    nowMs: () => performance.now(),
    // Spreads retries; no security depends on it.
    // nosemgrep: no-predictable-chance
    random: Math.random,
  };
}
