import { withoutKeys } from '../../lib/log.ts';
import type { Deps } from '../../ports.ts';
import type { Context, Middleware, State } from '../context.ts';
import { onFinished } from '../server/on-finished.ts';

const loggedPathMax = 200;

/** The route of what is answered without one: addresses that do not exist, methods they do not offer. */
const unmatched = 'unmatched';

/**
 * One line for each request, when its answer is sent or its caller is gone, and one word to the meter. What was asked is
 * told only on request.
 */
export function accessLog({ log, clock, config, meter }: Pick<Deps, 'log' | 'clock' | 'config' | 'meter'>): Middleware {
  // Nothing in these lines has a name that is looked for, and looking costs half of what writing a line does.
  const lines = log.child({}, { redact: [] });
  return (ctx, next) => {
    const startedMs = clock.elapsed();
    // Read now: a socket that is gone has no address.
    const { ip, method } = ctx;
    meter.began();
    onFinished(ctx, () => {
      const { state } = ctx;
      const ms = clock.elapsed() - startedMs;
      const line = {
        ...state.names,
        method,
        path: withoutKeys(ctx.path).slice(0, loggedPathMax),
        // Koa's own 404 is no answer.
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
  // Left by the router on its way, and not in the types of a context outside of a route.
  const route: unknown = '_matchedRoute' in ctx ? ctx._matchedRoute : undefined;
  return typeof route === 'string' ? route : unmatched;
}
