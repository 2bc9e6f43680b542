import { Router } from '@koa/router';
import Koa from 'koa';
import compose from 'koa-compose';
import { accountEndpoints } from './http/account/account-endpoints.ts';
import { createAdmission } from './http/admission.ts';
import type { Context, State } from './http/context.ts';
import type { Endpoint, Route } from './http/endpoint.ts';
import { bulk } from './http/endpoints/bulk.ts';
import { docs, llms, openApi, wellKnownX402 } from './http/endpoints/documentation.ts';
import { health } from './http/endpoints/health.ts';
import { mcp } from './http/endpoints/mcp.ts';
import { paidSearch } from './http/endpoints/paid-search.ts';
import { record } from './http/endpoints/records.ts';
import { removals } from './http/endpoints/removals.ts';
import { search } from './http/endpoints/search.ts';
import { similar } from './http/endpoints/similar.ts';
import { suggestions } from './http/endpoints/suggest.ts';
import { usage } from './http/endpoints/usage.ts';
import { accessLog } from './http/middleware/access-log.ts';
import { compressBody } from './http/middleware/compress-body.ts';
import { countCalls } from './http/middleware/count-calls.ts';
import { handleErrors } from './http/middleware/handle-errors.ts';
import { commonHeaders } from './http/middleware/headers.ts';
import { requestId } from './http/middleware/request-id.ts';
import { sendWithinBudget } from './http/middleware/send-within-budget.ts';
import { answerUnmatched } from './http/middleware/unmatched.ts';
import { errorPages } from './http/pages/error-pages.ts';
import { pageAssets, pageRoutes } from './http/pages/page-routes.ts';
import { createMemoryBudget } from './http/server/memory-budget.ts';
import { isClientDisconnect } from './http/server/on-finished.ts';
import { kindNames } from './kinds/kind.ts';
import type { Deps } from './ports.ts';

/** All endpoints of the API. Each file has the route, the schema, the documentation and the handler. */
export const endpoints: readonly Endpoint[] = [
  search,
  suggestions,
  ...kindNames.map(record),
  ...kindNames.map(similar),
  removals,
  bulk,
  usage,
  mcp,
  health,
  paidSearch,
  openApi,
  docs,
  llms,
  wellKnownX402,
];

/** The whole API: every route, and what each request passes through on its way. */
export function createApp(deps: Deps): Koa<State, object> {
  const { proxyHops, corsOrigins, unreadMaxBytes } = deps.config.http;
  const app = new Koa<State, object>({ proxy: proxyHops > 0, maxIpsCount: proxyHops });
  const router = createRouter(deps);

  app.use(requestId(deps.log));
  app.use(accessLog(deps));
  const unread = 'connections cut: too many bytes of answers were not read';
  app.use(sendWithinBudget(createMemoryBudget(unreadMaxBytes, unread, deps.log)));
  app.use(compressBody);
  app.use(handleErrors);
  app.use(commonHeaders(corsOrigins));
  if (deps.config.console !== null) app.use(errorPages(deps));
  app.use(router.routes());
  app.use(answerUnmatched(router));

  app.on('error', (error: unknown, ctx: Context) => {
    // The log line of the request already records that it was aborted.
    if (isClientDisconnect(error, ctx)) deps.log.debug({ err: error }, 'the caller has left');
    else deps.log.error({ err: error }, 'answer could not be sent');
  });
  return app;
}

function createRouter(deps: Deps): Router<State, object> {
  const { console } = deps.config;
  const admission = createAdmission(deps);
  // An address has one spelling, the published one.
  const router = new Router<State, object>({ sensitive: true, strict: true });
  const routes: readonly Route[] = [
    ...endpoints.map((each) => ({ ...each, handler: () => each.handler(deps, endpoints) })),
    ...(console === null ? [pageAssets] : [...accountEndpoints, ...pageRoutes]),
  ];
  const literalPaths = new Set(routes.map(({ path }) => path));
  for (const { method, path, gates: names, countedAs, handler } of routes) {
    const counted = countedAs === undefined ? [] : [countCalls(deps, countedAs)];
    const route = compose([...counted, admission(names), handler(deps)]);
    router[method](path.replace(/\{(\w+)\}/g, ':$1'), (ctx, next) =>
      // A path with a parameter does not match the literal path of another route.
      ctx.path !== path && literalPaths.has(ctx.path) ? next() : route(ctx, next),
    );
  }
  return router;
}
