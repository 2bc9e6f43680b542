import { Counter, type Registry } from 'prom-client';
import { addGauge } from '../../src/metrics/registry.ts';
import type { RequestLimiter } from './backpressure.ts';
import type { BatchBuffers } from './batch-buffers.ts';

/** Shows the bulk requests of the process under backpressure. Called once for a registry. */
export function watchPressure(registry: Registry, limiter: RequestLimiter, buffers: BatchBuffers): void {
  addGauge(registry, 'bulk_requests_in_flight', 'Bulk requests in progress.', () => limiter.inFlight);
  const allowed = 'Bulk requests allowed at the same time; fewer while Elasticsearch pushes back.';
  addGauge(registry, 'bulk_requests_allowed', allowed, () => limiter.window);
  const held = 'Bytes of batches being filled, waiting or being sent.';
  addGauge(registry, 'bulk_bytes_held', held, () => buffers.heldBytes);
  new Counter({
    name: 'entity_search_bulk_retries_total',
    help: 'Bulk requests that were sent again, in whole or in part.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(limiter.pushedBack);
    },
  });
}
