import type { Client } from '@elastic/elasticsearch';
import type pg from 'pg';
import type { PressureLimits } from './backpressure.ts';
import { BatchBuffers } from './batch-buffers.ts';
import { PressureGate } from './pressure-gate.ts';

interface WriteLimits {
  readonly pressure: PressureLimits;
  readonly bytesInFlight: number;
  readonly batchBytes: number;
}

/**
 * What all that write documents in one process share: engines, limits, one gate and one budget of buffers, the time.
 * @param indices how many indices are going to be written to at the same time, at least
 */
export function createWriteContext<Limits extends WriteLimits>(
  pool: pg.Pool,
  client: Client,
  config: Limits,
  indices = 1,
) {
  return {
    pool,
    client,
    config,
    gate: new PressureGate(config.pressure),
    buffers: new BatchBuffers(config.bytesInFlight, config.batchBytes, indices),
    nowMs: () => performance.now(),
    // Spreads retries: nobody gains by foretelling it.
    // nosemgrep: no-predictable-chance
    random: Math.random,
  };
}
