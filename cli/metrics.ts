import type { Client } from '@elastic/elasticsearch';
import type pg from 'pg';
import type { Registry } from 'prom-client';
import { explainError } from '../indexer/errors.ts';
import { watchGenerations } from '../indexer/generations/metrics.ts';
import { lagLimits, metricsConfig } from '../src/config/metrics.ts';
import { createEngineMetrics } from '../src/metrics/engines.ts';
import { createRegistry } from '../src/metrics/registry.ts';
import { MetricsAddressError, serveMetrics } from '../src/metrics/server.ts';
import { pollLag } from '../src/postgres/index-lag.ts';
import type { CommandContext } from './context.ts';
import { CommandError } from './errors.ts';
import { exitCodes } from './exit-codes.ts';

export interface CommandMetrics extends AsyncDisposable {
  readonly registry: Registry;
}

/** Serves the metrics of sync and its engines at METRICS_PORT. Throws `CommandError` if that address is taken. */
export async function offerMetrics(
  { env, log }: Pick<CommandContext, 'env' | 'log'>,
  engines: { readonly pool: pg.Pool; readonly client: Client },
): Promise<CommandMetrics> {
  const registry = createRegistry();
  const config = metricsConfig(env);
  if (config === null) return { registry, [Symbol.asyncDispose]: async () => undefined };
  const watched = createEngineMetrics(registry);
  watched.watchPool('sync', engines.pool);
  watched.watchElasticsearch(engines.client);
  const clock = { now: () => Date.now(), elapsed: () => performance.now() };
  const poll = pollLag(engines.pool, lagLimits, clock, (error) =>
    log.warn({ problem: explainError(error) }, 'the lag of the indices could not be read'),
  );
  watchGenerations(registry, poll.latest);
  const server = await serveMetrics(config, registry, (err) => log.warn({ err }, 'metrics')).catch((error: unknown) => {
    if (error instanceof MetricsAddressError) throw new CommandError(error.message, exitCodes.usage);
    throw error;
  });
  log.info({ host: server.host, port: server.port }, 'offering metrics');
  poll.start();
  return {
    registry,
    async [Symbol.asyncDispose]() {
      await poll.close();
      await server.close();
    },
  };
}
