import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, type Registry } from 'prom-client';
import type { MetricsConfig } from '../config/metrics.ts';

/** Maximum number of connections. Scrapers are few, and more are closed at once. */
const connectionsMax = 16;
/** Limits of headers in bytes, of a request and of an idle connection in milliseconds. */
const limits = {
  maxHeaderSize: 8_192,
  requestTimeout: 5_000,
  headersTimeout: 5_000,
  keepAliveTimeout: 120_000,
} as const;
/** Timeout of an answer that is not read. */
const unreadTimeoutMs = 10_000;

export class MetricsAddressError extends Error {
  constructor({ host, port }: MetricsConfig, cause: unknown) {
    super(
      `Can't serve metrics on ${host}:${port}: ${String(cause)}. Set METRICS_HOST and METRICS_PORT to a free address, or METRICS_PORT=off.`,
      { cause },
    );
    this.name = 'MetricsAddressError';
  }
}

/**
 * Serves a registry and the metrics of Node at `/metrics`, on its own server with limits. Resolves with the actual
 * address. Rejects with `MetricsAddressError`.
 * @param onProblem called with later errors
 */
export async function serveMetrics(config: MetricsConfig, registry: Registry, onProblem: (error: unknown) => void) {
  const server = createServer(limits, ({ method, url }, response) => {
    // A client that does not read its answer must not keep it in memory.
    response.setTimeout(unreadTimeoutMs, () => response.destroy());
    if (url?.split('?')[0] !== '/metrics') response.writeHead(404).end('There is only /metrics here.\n');
    else if (method !== 'GET' && method !== 'HEAD') response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    else {
      registry.metrics().then(
        (body) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(body),
        (error: unknown) => {
          onProblem(error);
          response.writeHead(500).end('The metrics could not be read.\n');
        },
      );
    }
  });
  server.maxConnections = connectionsMax;
  try {
    server.listen(config.port, config.host);
    await once(server, 'listening');
  } catch (error) {
    throw new MetricsAddressError(config, error);
  }
  server.on('error', onProblem);
  // Started here, because watching the event loop and the garbage collector is not free.
  collectDefaultMetrics({ register: registry });
  // The metrics must not keep the process alive.
  server.unref();
  const { address, port } = server.address() as AddressInfo;
  return {
    host: address,
    port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
