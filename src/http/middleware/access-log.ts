import { withoutKeys } from '../../lib/log.ts';
import type { Deps } from '../../ports.ts';
import type { Context, Middleware, State } from '../context.ts';
import { onFinished } from '../server/on-finished.ts';

const loggedPathMax = 200;

/** The route of requests with an unknown path or method. */
const unmatched = 'unmatched';

/**
 * Logs and measures each request when its answer is sent or its caller has left. Search texts are logged only with
 * LOG_QUERIES.
 */
export function accessLog({ log, clock, config, meter }: Pick<Deps, 'log' | 'clock' | 'config' | 'meter'>): Middleware {
  // These lines have no secret names, and redaction takes half as long as writing a line.
  const lines = log.child({}, { redact: [] });
  return (ctx, next) => {
    const startedMs = clock.elapsed();
    // Read early, because a closed socket has no address.
    const { ip, method } = ctx;
    meter.began();
    onFinished(ctx, () => {
      const { state } = ctx;
      const ms = clock.elapsed() - startedMs;
      const line = {
        requestId: state.requestId,
        method,
        path: withoutKeys(ctx.path).slice(0, loggedPathMax),
        // Without sent headers, the status is only Koa's default of 404.
        ...(ctx.headerSent ? { status: ctx.status } : {}),
        ms: Math.round(ms),
        ip,
        ...(state.caller === undefined ? {} : { account: state.caller.accountId }),
        ...(state.tool === undefined ? {} : toolOf(state.tool)),
        ...(ctx.res.writableFinished ? {} : { aborted: true }),
        ...(config.log.queries && state.queryText !== undefined ? { query: withoutKeys(state.queryText) } : {}),
      };
      lines.info(line, 'request');
      const status = ctx.res.writableFinished ? String(ctx.status) : 'aborted';
      meter.answered({ method, route: routeOf(ctx), status, seconds: ms / 1_000 });
    });
    return next();
  };
}

function toolOf({ name, outcome }: NonNullable<State['tool']>) {
  return { tool: name, ...(outcome === undefined ? {} : { outcome }) };
}

function routeOf(ctx: Context): string {
  // The router sets it, but the types of a context outside of a route do not have it.
  const route: unknown = '_matchedRoute' in ctx ? ctx._matchedRoute : undefined;
  return typeof route === 'string' ? route : unmatched;
}
