import { Router } from '@koa/router';
import Koa from 'koa';
import compose from 'koa-compose';
import type { Context, State } from './http/context.ts';
import { bulkEndpoint } from './http/endpoints/bulk.ts';
import { docsEndpoint, docsFileEndpoint, llmsEndpoint, openApiEndpoint } from './http/endpoints/documentation.ts';
import { healthEndpoint } from './http/endpoints/health.ts';
import { paidSearchEndpoint } from './http/endpoints/paid-search.ts';
import { recordEndpoint } from './http/endpoints/records.ts';
import { searchEndpoint } from './http/endpoints/search.ts';
import { suggestEndpoint } from './http/endpoints/suggest.ts';
import { usageEndpoint } from './http/endpoints/usage.ts';
import { wellKnownX402Endpoint } from './http/endpoints/well-known-x402.ts';
import { accessLog } from './http/middleware/access-log.ts';
import { compressBody } from './http/middleware/compress-body.ts';
import { handleErrors } from './http/middleware/handle-errors.ts';
import { commonHeaders } from './http/middleware/headers.ts';
import { requireKey } from './http/middleware/key.ts';
import { limitConcurrency, limitRequests } from './http/middleware/load.ts';
import { chargeOneCall } from './http/middleware/quota.ts';
import { requestId } from './http/middleware/request-id.ts';
import { sendWithinBudget } from './http/middleware/send-within-budget.ts';
import { answerUnmatched } from './http/middleware/unmatched.ts';
import { isClientDisconnect } from './http/server/on-finished.ts';
import { createResponseBudget } from './http/server/response-budget.ts';
import { kindNames } from './kinds/kind.ts';
import { paidSearchPath } from './payments/protocol/required.ts';
import type { Deps } from './ports.ts';

/** The whole API: every route, and what each request passes through on its way. */
export function createApp(deps: Deps): Koa<State, object> {
  const { proxyHops, corsOrigins, unreadMaxBytes } = deps.config.http;
  const app = new Koa<State, object>({ proxy: proxyHops > 0, maxIpsCount: proxyHops });

  const keyed = requireKey(deps);
  const charged = chargeOneCall(deps);
  const searching = limitConcurrency(deps.limiters.searches);
  const reading = limitConcurrency(deps.limiters.records);
  // Composed, so that a route is one layer of the router and one span of a trace.
  // An address has one spelling, the published one.
  const router = new Router<State, object>({ sensitive: true, strict: true });
  router.get('/api/health', healthEndpoint(deps));
  // Whether the process lives must be told under any load; all else begins with a slot.
  const slot = limitRequests(deps.limiters.requests);
  router.get('/api/v1/search', compose([slot, keyed, searching, charged, searchEndpoint(deps)]));
  router.get('/api/v1/suggest', compose([slot, keyed, searching, charged, suggestEndpoint(deps)]));
  for (const kind of kindNames) {
    router.get(`/api/v1/${kind}/:identifier`, compose([slot, keyed, reading, charged, recordEndpoint(deps, kind)]));
  }
  router.post('/api/v1/bulk', compose([slot, keyed, bulkEndpoint(deps)]));
  router.get('/api/v1/usage', compose([slot, keyed, reading, usageEndpoint(deps)]));
  router.all(paidSearchPath, compose([slot, paidSearchEndpoint(deps)]));

  router.get('/openapi.json', compose([slot, openApiEndpoint(deps)]));
  router.get('/docs', compose([slot, docsEndpoint()]));
  router.get('/docs/:file', compose([slot, docsFileEndpoint()]));
  router.get('/llms.txt', compose([slot, llmsEndpoint(deps)]));
  router.get('/.well-known/x402', compose([slot, wellKnownX402Endpoint(deps)]));

  app.use(requestId(deps.log));
  app.use(accessLog(deps));
  app.use(sendWithinBudget(createResponseBudget(unreadMaxBytes, deps.log)));
  app.use(compressBody());
  app.use(handleErrors);
  app.use(commonHeaders(corsOrigins));
  app.use(router.routes());
  app.use(answerUnmatched(router));

  app.on('error', (error: unknown, ctx: Context) => {
    // The request's own line in the log says that it was aborted.
    if (isClientDisconnect(error, ctx)) deps.log.debug({ err: error }, 'the caller has left');
    else deps.log.error({ err: error }, 'answer could not be sent');
  });
  return app;
}
