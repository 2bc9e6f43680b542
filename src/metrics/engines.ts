import type { Client } from '@elastic/elasticsearch';
import type pg from 'pg';
import type { Registry } from 'prom-client';
import { operationOf } from '../elasticsearch/requests.ts';
import { addGauge, metricsIn } from './registry.ts';

/** Metrics of both engines, the same in every process. */
export interface EngineMetrics {
  /** Measures every later request of the client. */
  watchElasticsearch(client: Client): void;
  /** Measures the pool's connections, and every statement on connections that it opens later. */
  watchPool(name: string, pool: pg.Pool): void;
}

export function createEngineMetrics(registry: Registry): EngineMetrics {
  const { durations } = metricsIn(registry);
  const requests = durations(
    'elasticsearch_request_duration_seconds',
    'Duration of requests to Elasticsearch until the answer was read, by operation and outcome.',
    ['operation', 'outcome'],
  );
  const queries = durations(
    'postgres_query_duration_seconds',
    'Duration of statements until their last row, without waiting for a connection, by pool and outcome.',
    ['pool', 'outcome'],
  );
  const pools = new Map<string, pg.Pool>();
  createPoolGauges(registry, pools);
  return {
    watchElasticsearch(client) {
      client.diagnostic.on('response', (error, result) => {
        if (result === null) return;
        const { duration, request } = result.meta;
        const operation = operationOf(request.params.method, request.params.path);
        requests.observe({ operation, outcome: outcomeOf(error, result.statusCode) }, (duration ?? 0) / 1_000);
      });
    },
    watchPool(name, pool) {
      pools.set(name, pool);
      pool.on('connect', (client) =>
        timeQueries(client, (seconds, outcome) => queries.observe({ pool: name, outcome }, seconds)),
      );
    },
  };
}

function createPoolGauges(registry: Registry, pools: ReadonlyMap<string, pg.Pool>): void {
  addGauge(
    registry,
    'postgres_pool_connections',
    'Open connections of a pool, busy or idle.',
    () =>
      [...pools].flatMap(([pool, { totalCount, idleCount }]) => [
        [{ pool, state: 'idle' }, idleCount] as const,
        [{ pool, state: 'busy' }, totalCount - idleCount] as const,
      ]),
    ['pool', 'state'],
  );
  addGauge(
    registry,
    'postgres_pool_waiting',
    'Requests waiting for a connection of a pool.',
    () => [...pools].map(([pool, { waitingCount }]) => [{ pool }, waitingCount] as const),
    ['pool'],
  );
}

/** Names of the client's errors without an answer of Elasticsearch. */
const failures: Readonly<Record<string, string>> = {
  ConnectionError: 'unreachable',
  NoLivingConnectionsError: 'unreachable',
  TimeoutError: 'timeout',
  // The request timed out, or the caller left.
  RequestAbortedError: 'given_up',
};

function outcomeOf(error: Error | null, status = 0): string {
  if (error === null) return 'ok';
  if (error.name !== 'ResponseError') return failures[error.name] ?? 'invalid';
  return status >= 500 ? '5xx' : status === 429 ? '429' : '4xx';
}

type Report = (seconds: number, outcome: 'ok' | 'error') => void;

/** Wraps a client's `query`, because pg does not report the durations of statements. */
function timeQueries(client: pg.PoolClient, report: Report): void {
  const query: (...given: unknown[]) => unknown = client.query.bind(client);
  const timed = (...given: unknown[]): unknown => {
    const startMs = performance.now();
    const done = (error: unknown): void =>
      report((performance.now() - startMs) / 1_000, error === undefined || error === null ? 'ok' : 'error');
    const callback = given.at(-1);
    if (typeof callback === 'function') {
      const heard = (error: unknown, ...rest: unknown[]): unknown => {
        done(error);
        return callback(error, ...rest);
      };
      return query(...given.slice(0, -1), heard);
    }
    const answer = query(...given);
    // Cursors and copies are not promises, because the caller reads them piece by piece.
    if (answer instanceof Promise) answer.then(() => done(null), done);
    return answer;
  };
  // pg describes the function by many signatures. Arguments and results pass unchanged.
  client.query = timed as typeof client.query;
}
