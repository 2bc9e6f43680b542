import { Counter, Gauge, type Registry } from 'prom-client';
import type { RequestLimiter } from './backpressure.ts';
import type { BatchBuffers } from './batch-buffers.ts';

/** Shows the bulk requests of the process under backpressure. Called once for a registry. */
export function watchPressure(registry: Registry, limiter: RequestLimiter, buffers: BatchBuffers): void {
  const registers = [registry];
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name: `entity_search_bulk_${name}`,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  gauge('requests_in_flight', 'Bulk requests in progress.', () => limiter.inFlight);
  gauge(
    'requests_allowed',
    'Bulk requests allowed at the same time; fewer while Elasticsearch pushes back.',
    () => limiter.window,
  );
  gauge('bytes_held', 'Bytes of batches being filled, waiting or being sent.', () => buffers.heldBytes);
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
