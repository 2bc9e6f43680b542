import { Counter, Gauge, type Registry } from 'prom-client';
import type { RequestLimiter } from './backpressure.ts';
import type { BatchBuffers } from './batch-buffers.ts';

/** Shows the bulk requests of the process under backpressure. Called once for a registry. */
export function watchPressure(registry: Registry, limiter: RequestLimiter, buffers: BatchBuffers): void {
  const registers = [registry];
  new Gauge({
    name: 'entity_search_bulk_requests_in_flight',
    help: 'Bulk requests in progress.',
    registers,
    collect() {
      this.set(limiter.inFlight);
    },
  });
  new Gauge({
    name: 'entity_search_bulk_requests_allowed',
    help: 'Bulk requests allowed at the same time; fewer while Elasticsearch pushes back.',
    registers,
    collect() {
      this.set(limiter.window);
    },
  });
  new Gauge({
    name: 'entity_search_bulk_bytes_held',
    help: 'Bytes of batches being filled, waiting or being sent.',
    registers,
    collect() {
      this.set(buffers.heldBytes);
    },
  });
  new Counter({
    name: 'entity_search_bulk_retries_total',
    help: 'Bulk requests that were sent again, in whole or in part.',
    registers,
    collect() {
      this.reset();
      this.inc(limiter.pushedBack);
    },
  });
}
