import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import closeWithGrace from 'close-with-grace';
import { pino } from 'pino';
import { createApp } from './app.ts';
import type { Config } from './config/api.ts';
import { type Connected, connect, type PaymentModule } from './connect.ts';
import { createHttpServer } from './http/server/server.ts';
import { createLogger } from './lib/log.ts';
import { createRegistry } from './metrics/registry.ts';
import { MetricsAddressError, serveMetrics } from './metrics/server.ts';
import type { Clock } from './ports.ts';
import { type Drain, drainable } from './shutdown.ts';

/** Time in milliseconds for closing the clients after the server's own timeout. */
const closeClientsMs = 3_000;
/** End of the drain in which payments are answered with an unknown outcome, in milliseconds. */
const answerMs = 2_000;

/** Lines of requests are written together after this many bytes or milliseconds, which costs less. */
const gathered = { minLength: 8_192, periodicFlush: 50 } as const;

const clock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/** Ends the process before it serves requests, with a reason of one line for people. */
function refuseToStart(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

/** Runs the API process from start to end. */
export async function serve(config: Config, payments: PaymentModule | null): Promise<void> {
  const lines = pino.destination({ dest: 1, sync: true, ...gathered });
  process.once('exit', () => lines.flushSync());
  const log = createLogger(config.log.level, {
    write(line) {
      lines.write(line);
      // A line of a request ends like this, and no text from a caller can come last in a line.
      if (!line.endsWith('"msg":"request"}\n')) lines.flushSync();
    },
  });
  const registry = createRegistry();
  const connected = connect(config, clock, log, registry, payments);
  const server = createHttpServer(createApp(connected.deps).callback(), config.http, log);
  const drain = drainable(server);
  let metrics: Awaited<ReturnType<typeof serveMetrics>> | undefined;
  // Installed before any request or connection, so that no signal ends the process unprepared.
  const ending = endWell(config, connected, () => metrics?.close(), drain);

  const wrong = await Promise.all([
    connected.paid?.check(),
    connected.embeddings?.check(config.health.detailedTimeoutMs),
  ]);
  if (ending.aborted) return;
  for (const reason of wrong) if (reason) refuseToStart(reason);
  if (config.paid?.warning !== undefined) log.warn(config.paid.warning);
  if (!config.search.sharedCursors)
    log.info('no CURSOR_SECRET is set: cursors end with this process, and no other takes them');
  if (config.metrics !== null) {
    metrics = await serveMetrics(config.metrics, registry, (err) => log.warn({ err }, 'metrics')).catch(orRefuse);
    if (ending.aborted) return;
    log.info({ host: metrics.host, port: metrics.port }, 'offering metrics');
  }
  const { host, port } = config.listen;
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    refuseToStart(`Can't listen on ${host}:${port}: ${String(error)}. Set HOST and PORT to a free address.`);
  }
  const address = server.address() as AddressInfo;
  log.info({ host: address.address, port: address.port }, 'listening');
  connected.start();
}

function orRefuse(error: unknown): never {
  if (error instanceof MetricsAddressError) refuseToStart(error.message);
  throw error;
}

/**
 * Handles SIGTERM, SIGINT and uncaught errors: answers requests in progress, then closes everything. Returns a signal
 * that aborts when that begins.
 */
function endWell(
  config: Config,
  connected: Connected,
  closeMetrics: () => Promise<void> | undefined,
  drain: Drain,
): AbortSignal {
  const { deps, paid } = connected;
  const { log } = deps;
  const ending = new AbortController();
  closeWithGrace(
    {
      delay: config.drain.timeoutMs + closeClientsMs,
      logger: { error: (message) => log.error({ message }, 'shutdown') },
    },
    async ({ signal, err }) => {
      ending.abort();
      if (err !== undefined) log.fatal({ err }, 'uncaught error');
      log.info({ signal }, 'draining');
      // Payments in progress are answered before connections are cut.
      const lastCall = setTimeout(() => paid?.shutDown(), Math.max(0, config.drain.timeoutMs - answerMs));
      const cut = await drain(config.drain);
      clearTimeout(lastCall);
      await connected.close();
      await closeMetrics();
      log.info({ cut }, 'stopped');
    },
  );
  return ending.signal;
}
