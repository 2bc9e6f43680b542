import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, type Registry } from 'prom-client';
import type { MetricsConfig } from '../config/metrics.ts';
import { cachedSingleFlight } from '../lib/concurrency/single-flight.ts';

/** Maximum number of connections. Scrapers are few, and more are closed at once. */
const connectionsMax = 16;
const headerBytesMax = 8_192;
/** Timeout of a request, of an idle connection and of an answer that is not read. */
const requestTimeoutMs = 5_000;
const idleTimeoutMs = 120_000;
const unreadTimeoutMs = 10_000;

/** A served page of metrics. */
export interface MetricsServer {
  /** The actual address. */
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

/** An address on which metrics can't be served. */
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
 * Serves a registry and the metrics of Node at `/metrics`, on its own server with limits. Rejects with
 * `MetricsAddressError`.
 * @param onProblem called with later errors
 */
export async function serveMetrics(
  config: MetricsConfig,
  registry: Registry,
  onProblem: (error: unknown) => void,
): Promise<MetricsServer> {
  const scrape = cachedSingleFlight(() => registry.metrics(), 0, { elapsed: () => performance.now() });
  const server = createServer(
    { maxHeaderSize: headerBytesMax, requestTimeout: requestTimeoutMs },
    (request, response) =>
      answer(request, response, registry.contentType, scrape).catch((error: unknown) => {
        onProblem(error);
        if (response.headersSent) response.destroy();
        else response.writeHead(500, { 'Content-Type': 'text/plain' }).end('The metrics could not be read.\n');
      }),
  );
  server.maxConnections = connectionsMax;
  server.keepAliveTimeout = idleTimeoutMs;
  server.headersTimeout = requestTimeoutMs;
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
  return { host: address, port, close: () => close(server) };
}

async function answer(
  { method, url }: IncomingMessage,
  response: ServerResponse,
  contentType: string,
  scrape: () => Promise<string>,
): Promise<void> {
  // A client that does not read its answer must not keep it in memory.
  response.setTimeout(unreadTimeoutMs, () => response.destroy());
  if (url?.split('?')[0] !== '/metrics') {
    response.writeHead(404, { 'Content-Type': 'text/plain' }).end('There is only /metrics here.\n');
    return;
  }
  if (method !== 'GET' && method !== 'HEAD') {
    response.writeHead(405, { 'Content-Type': 'text/plain', Allow: 'GET, HEAD' }).end();
    return;
  }
  const body = await scrape();
  response.writeHead(200, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(body) });
  response.end(method === 'HEAD' ? undefined : body);
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
