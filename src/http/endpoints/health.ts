import { z } from 'zod';
import { kindNames, mapKinds } from '../../kinds/kind.ts';
import { cachedSingleFlight } from '../../lib/concurrency/single-flight.ts';
import { causeText } from '../../lib/log.ts';
import { trueOrFalse } from '../../lib/parameter-schemas.ts';
import { withTimeout } from '../../lib/sleep.ts';
import { instant } from '../../lib/wire-schema.ts';
import type { Deps } from '../../ports.ts';
import type { SearchQuery } from '../../search/query.ts';
import type { Middleware } from '../context.ts';
import type { Endpoint } from '../endpoint.ts';
import { components, milliseconds } from '../openapi/components.ts';
import { headerRefs } from '../openapi/headers.ts';
import { jsonContent } from '../openapi/responses.ts';
import { queryParameters } from '../openapi/to-schema.ts';
import { parseParameters } from '../request/parameters.ts';
import { answerJson } from '../response/json.ts';
import { searchPage } from '../search/search-page.ts';

const healthParameters = z.strictObject({ detailed: trueOrFalse().default('false') });

const status = z.enum(['operational', 'error']);

const endpointCheck = z
  .strictObject({ name: z.string(), status, responseTime: milliseconds })
  .register(components, { id: 'EndpointCheck' });

const healthReport = z
  .strictObject({
    status,
    operational: z.boolean().optional().describe('With detailed=true'),
    timestamp: instant,
    responseTime: milliseconds,
    services: z.strictObject({ database: status, api: status }),
    diagnostics: z
      .strictObject({
        apiRoutes: z.strictObject({ status, operational: z.boolean() }),
        embeddings: z
          .strictObject({
            state: z.enum(['off', 'ready', 'unavailable']),
            model: z.string().optional().describe('The one that makes them; not with off'),
          })
          .describe('Availability of vectors for queries. Without them, searches use words only'),
        indexLag: z
          .strictObject(mapKinds(() => z.number().nonnegative().optional()))
          .describe("Seconds by which a kind's index is behind the tables; kinds with an unknown lag are absent")
          .optional(),
      })
      .optional()
      .describe('With detailed=true'),
    endpoints: z.array(endpointCheck).optional().describe('With detailed=true'),
  })
  .register(components, { id: 'HealthReport' });
export const health: Endpoint = {
  method: 'get',
  path: '/api/health',
  // Health checks must be answered under any load.
  gates: [],
  errors: ['invalid_parameter'],
  operation: () => ({
    operationId: 'health',
    tag: 'Health',
    summary: 'Get health',
    description: 'The status code follows the API process and Postgres alone. Poll it every 30 to 60 seconds.',
    parameters: queryParameters(healthParameters, {
      detailed: { text: 'Also tries the routes with real searches. Takes up to 10 s; poll it every 5 to 10 minutes.' },
    }),
    answered: 'The core service is ready. The results of the tried routes do not matter.',
    content: jsonContent(healthReport),
    responses: {
      503: {
        description: 'The core service is not ready.',
        headers: headerRefs(['X-Request-Id']),
        content: jsonContent(healthReport),
      },
    },
  }),
  handler: healthHandler,
};

type Report = z.infer<typeof healthReport>;
type Diagnostics = NonNullable<Report['diagnostics']>;
type Status = z.infer<typeof status>;

/** Searches of the detailed check. They use the same code as callers' searches. */
const smokeQueries: Readonly<Record<string, SearchQuery>> = {
  companies: { type: 'companies', text: '', page: 1, limit: 1 },
  people: { type: 'people', text: '', page: 1, limit: 1 },
  investors: { type: 'investors', text: '', page: 1, limit: 1 },
  search: { type: 'all', text: 'a', page: 1, limit: 1 },
};

/**
 * GET /api/health. The status code depends only on this process and Postgres. Concurrent checks share a run, and its
 * report is kept for a while, so that polling causes no load.
 */
function healthHandler(deps: Deps): Middleware {
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
    // This process answers, so only the database decides.
    status: database,
    timestamp: new Date(deps.clock.now()).toISOString(),
    responseTime: Math.round(deps.clock.elapsed() - startedMs),
    services: { database, api: 'operational' },
  };
}

async function detailedReport(deps: Deps): Promise<Report> {
  const startedMs = deps.clock.elapsed();
  const queries = Object.entries(smokeQueries);
  const [core, embeddings, ...endpoints] = await Promise.all([
    quickReport(deps),
    embeddingReport(deps),
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
      embeddings,
      ...lagReport(deps),
    },
    endpoints,
  };
}

async function embeddingReport({ embeddings }: Deps): Promise<Diagnostics['embeddings']> {
  if (embeddings === null) return { state: 'off' };
  return { state: await embeddings.check(), model: embeddings.model.name };
}

function lagReport({ lag }: Deps): Pick<Diagnostics, 'indexLag'> {
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

async function tryRoute(
  deps: Deps,
  name: string,
  query: SearchQuery,
): Promise<NonNullable<Report['endpoints']>[number]> {
  const startedMs = deps.clock.elapsed();
  const status = await withTimeout<Status>(deps.config.health.detailedTimeoutMs, 'error', async (signal) => {
    try {
      const outcome = await searchPage(deps, query, signal);
      if (outcome.ok) return 'operational';
      deps.log.warn({ reason: outcome.reason, cause: causeText(outcome.cause), endpoint: name }, 'smoke check failed');
    } catch (error) {
      deps.log.error({ err: error, endpoint: name }, 'internal error');
    }
    return 'error';
  });
  deps.meter.healthChecked(name, status === 'operational');
  return { name, status, responseTime: Math.round(deps.clock.elapsed() - startedMs) };
}
