import { z } from 'zod';
import { type KindName, kindNames } from '../../kinds/kind.ts';
import { causeText } from '../../lib/log.ts';
import { trueOrFalse } from '../../lib/parameter-schemas.ts';
import { cachedSingleFlight } from '../../lib/single-flight.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import type { Deps } from '../../ports.ts';
import type { SearchQuery } from '../../search/query.ts';
import type { Middleware } from '../context.ts';
import { SearchFailed } from '../errors/errors.ts';
import { parseParameters } from '../request/parameters.ts';
import { answerJson } from '../response/json.ts';
import { searchPage } from '../search/execute-search.ts';

type Status = 'operational' | 'error';

/** An interface that was tried. `responseTime` in milliseconds. */
interface EndpointCheck {
  readonly name: string;
  readonly status: Status;
  readonly responseTime: number;
}

/** How far each kind's index is behind the tables, in seconds; without those of which it is not known. */
type LagReport = Readonly<Partial<Record<KindName, number>>>;

interface Report {
  readonly status: Status;
  readonly operational?: boolean;
  readonly timestamp: string;
  readonly responseTime: number;
  readonly services: { readonly database: Status; readonly api: Status };
  readonly diagnostics?: {
    readonly apiRoutes: { readonly status: Status; readonly operational: boolean };
    readonly indexLag?: LagReport;
  };
  readonly endpoints?: readonly EndpointCheck[];
}

export const healthParameters = z.strictObject({ detailed: trueOrFalse().default('false') });

/** What the detailed check asks, through the same code as callers' searches. */
const smokeQueries: Readonly<Record<string, SearchQuery>> = {
  companies: { type: 'companies', text: '', page: 1, limit: 1 },
  people: { type: 'people', text: '', page: 1, limit: 1 },
  investors: { type: 'investors', text: '', page: 1, limit: 1 },
  search: { type: 'all', text: 'a', page: 1, limit: 1 },
};

/**
 * GET /api/health, quick or detailed. The status code follows the core alone: this process and Postgres. A check takes
 * no longer than its budget, concurrent ones share a run, and its report is held, so polling loads nothing.
 */
export function healthEndpoint(deps: Deps): Middleware {
  const { holdMs } = deps.config.health;
  const quick = cachedSingleFlight(() => quickReport(deps), holdMs, deps.clock);
  const detailed = cachedSingleFlight(() => detailedReport(deps), holdMs, deps.clock);
  return async (ctx) => {
    const wanted = parseParameters(healthParameters, ctx.querystring);
    const report = await (wanted.detailed === 'true' ? detailed() : quick());
    ctx.status = report.status === 'operational' ? 200 : 503;
    answerJson(ctx, report);
  };
}

async function quickReport(deps: Deps): Promise<Report> {
  const startedMs = deps.clock.elapsed();
  const database = await databaseStatus(deps);
  return {
    // This process is answering, so it is the database that decides.
    status: database,
    timestamp: new Date(deps.clock.now()).toISOString(),
    responseTime: Math.round(deps.clock.elapsed() - startedMs),
    services: { database, api: 'operational' },
  };
}

async function detailedReport(deps: Deps): Promise<Report> {
  const startedMs = deps.clock.elapsed();
  const queries = Object.entries(smokeQueries);
  const [core, ...endpoints] = await Promise.all([
    quickReport(deps),
    ...queries.map(([name, query]) => tryRoute(deps, name, query)),
  ]);
  const working = endpoints.every(({ status }) => status === 'operational');
  return {
    status: core.status,
    operational: core.status === 'operational',
    timestamp: core.timestamp,
    responseTime: Math.round(deps.clock.elapsed() - startedMs),
    services: core.services,
    diagnostics: {
      apiRoutes: { status: working ? 'operational' : 'error', operational: working },
      ...lagReport(deps),
    },
    endpoints,
  };
}

function lagReport({ lag }: Deps): { readonly indexLag?: LagReport } {
  const known = kindNames.flatMap((kind) => {
    const seconds = lag.seconds([kind]);
    return seconds === null ? [] : [[kind, seconds] as const];
  });
  return known.length === 0 ? {} : { indexLag: Object.fromEntries(known) };
}

async function databaseStatus({ database, config, meter }: Deps): Promise<Status> {
  const status = await withTimeout<Status>(config.health.quickTimeoutMs, 'error', async () =>
    (await database.answers()) ? 'operational' : 'error',
  );
  meter.healthChecked('database', status === 'operational');
  return status;
}

async function tryRoute(deps: Deps, name: string, query: SearchQuery): Promise<EndpointCheck> {
  const startedMs = deps.clock.elapsed();
  const status = await withTimeout<Status>(deps.config.health.detailedTimeoutMs, 'error', async (signal) => {
    try {
      await searchPage(deps, query, signal);
      return 'operational';
    } catch (error) {
      if (!(error instanceof SearchFailed)) deps.log.error({ err: error, endpoint: name }, 'internal error');
      else deps.log.warn({ reason: error.reason, cause: causeText(error.cause), endpoint: name }, 'smoke check failed');
      return 'error';
    }
  });
  deps.meter.healthChecked(name, status === 'operational');
  return { name, status, responseTime: Math.round(deps.clock.elapsed() - startedMs) };
}
