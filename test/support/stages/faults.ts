import { type Changes, merged, withApiLimits } from '../../../dev/lib/limits.ts';
import { type Fault, type FaultProxy, startFaultProxy } from '../../../dev/torture/fault-proxy.ts';
import type { Config } from '../../../src/config/api.ts';
import { type ErrorBody, realClock } from '../api/in-process.ts';
import { type ApiProcess, startApiProcess } from '../api/process.ts';
import { openOwnWorld } from '../engines/worlds.ts';
import { until } from '../until.ts';
import { oneCompany, type Stage, setStage } from './api.ts';

/** The parts of an answer that faults affect. Times in milliseconds. */
export interface Answered {
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfter: string | null;
  readonly cost: string | null;
  readonly ms: number;
}

export const paths = {
  search: '/api/v1/search?type=companies&query=quartz',
  suggest: '/api/v1/suggest?q=qua',
  record: '/api/v1/companies/1',
  bulk: '/api/v1/bulk',
  usage: '/api/v1/usage',
  health: '/api/health',
} as const;
export type Route = keyof typeof paths;

/**
 * The API as a process on real engines, each behind a failing proxy, and an account whose calls are counted exactly.
 */
export interface FaultsStage extends AsyncDisposable {
  readonly stage: Stage;
  readonly postgres: FaultProxy;
  readonly elasticsearch: FaultProxy;
  readonly api: ApiProcess;
  readonly key: string;
  readonly url: string;
  ask(route: Route, key?: string): Promise<Answered>;
  /** Returns the month's calls in Postgres. */
  used(): Promise<number>;
  /** Sends requests until the route answers 200 again. */
  recovered(route: Route): Promise<void>;
}

/** Short, so that tests of hanging engines don't take long, but long enough for healthy engines on a busy machine. */
const quickLimits: Changes<Config> = {
  health: { holdMs: 0, quickTimeoutMs: 2_000 },
  postgres: { connectTimeoutMs: 1_500, statementTimeoutMs: 1_500 },
  keys: { lookupTimeoutMs: 1_500 },
  limits: { timeoutMs: 5_000 },
  search: { timeoutMs: 3_000 },
  // The product's values: callers are refused soon after slots stop being released.
  load: { waitMs: 2_000, stallMs: 250 },
};

const bulkBody = JSON.stringify({ operation: 'exists', entity_type: 'companies', identifiers: [1] });

/** @param databaseUrl an address for the API in place of the stage's own */
export async function setFaultsStage(
  env: Readonly<Record<string, string>>,
  limits: Changes<Config> = {},
  databaseUrl: (stage: Stage) => Promise<string> = async (stage) => stage.databaseUrl,
): Promise<FaultsStage> {
  await using resources = new AsyncDisposableStack();
  const stage = resources.use(await setStage(oneCompany, openOwnWorld));
  await stage.pool.query(
    `insert into plans (name, calls_per_minute, calls_per_month) values ('exact', 100000, 1000000)`,
  );
  const { rows } = await stage.pool.query(`update accounts set plan = 'exact' where name = 'Tests' returning id::int`);
  const accountId: unknown = rows[0]?.id;
  const postgres = resources.use(await startFaultProxy(await databaseUrl(stage)));
  const elasticsearch = resources.use(await startFaultProxy(stage.elasticsearchUrl));
  const key = await stage.createKey();
  const api = resources.use(
    startApiProcess(
      withApiLimits(
        { DATABASE_URL: postgres.url, ELASTICSEARCH_URL: elasticsearch.url, INDEX_PREFIX: stage.indexPrefix, ...env },
        merged(quickLimits, limits),
      ),
    ),
  );
  const url = await api.url;

  async function ask(route: Route, withKey = key): Promise<Answered> {
    const startedMs = realClock.elapsed();
    const headers = { authorization: `Bearer ${withKey}`, 'content-type': 'application/json' };
    const init = route === 'bulk' ? { method: 'POST', body: bulkBody, headers } : { headers };
    const response = await fetch(`${url}${paths[route]}`, init);
    // Only an error's body has a code.
    const body = (await response.json()) as Partial<ErrorBody>;
    return {
      status: response.status,
      code: body.code,
      retryAfter: response.headers.get('retry-after'),
      cost: response.headers.get('x-request-cost'),
      ms: realClock.elapsed() - startedMs,
    };
  }

  const owned = resources.move();
  return {
    stage,
    postgres,
    elasticsearch,
    api,
    key,
    url,
    ask,
    async used() {
      const found = await stage.pool.query('select month_used::int as used from used_calls($1)', [accountId]);
      return Number(found.rows[0]?.used);
    },
    recovered: (route) => until(async () => (await ask(route)).status === 200, `the recovery of ${route}`),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A way to fail, and the way back. */
export interface Failure {
  begin(stage: FaultsStage): Promise<unknown>;
  end(stage: FaultsStage): Promise<unknown>;
}

export function byProxy(engine: 'postgres' | 'elasticsearch', fault: Fault): Failure {
  return { begin: (stage) => stage[engine].set(fault), end: (stage) => stage[engine].set('pass') };
}
