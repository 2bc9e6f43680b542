import type { Router } from '@koa/router';
import type { Middleware, State } from '../context.ts';
import { MethodNotAllowed, RouteNotFound } from '../errors/errors.ts';

/**
 * Answers requests without a route: OPTIONS with the allowed methods, other methods with 405, unknown paths with 404.
 */
export function answerUnmatched(router: Router<State, object>): Middleware {
  return (ctx) => {
    const layers = router.match(ctx.path, ctx.method).path;
    // A path with a parameter also matches the literal path of another route.
    const literal = layers.filter(({ path }) => path === ctx.path);
    const offered = (literal.length === 0 ? layers : literal).flatMap(({ methods }) => methods);
    if (offered.length === 0) throw new RouteNotFound();
    const allowed = [...new Set([...offered, 'OPTIONS'])].sort();
    if (ctx.method !== 'OPTIONS') throw new MethodNotAllowed(allowed);
    ctx.set('Allow', allowed.join(', '));
    ctx.status = 204;
  };
}
