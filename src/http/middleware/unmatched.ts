import type { Router } from '@koa/router';
import type { Middleware, State } from '../context.ts';
import { MethodNotAllowed, RouteNotFound } from '../errors/errors.ts';

/** What no route took: OPTIONS tells what the address offers, another method is 405, another address 404. */
export function answerUnmatched(router: Router<State, object>): Middleware {
  return (ctx) => {
    const offered = router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods);
    if (offered.length === 0) throw new RouteNotFound();
    const allowed = [...new Set([...offered, 'OPTIONS'])].sort();
    if (ctx.method !== 'OPTIONS') throw new MethodNotAllowed(allowed);
    ctx.set('Allow', allowed.join(', '));
    ctx.status = 204;
  };
}
