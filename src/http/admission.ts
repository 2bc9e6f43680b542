import compose from 'koa-compose';
import type { Deps } from '../ports.ts';
import { limitAttempts, sameOrigin } from './account/middleware/guards.ts';
import { identifySession, requireOperator, requireSession } from './account/middleware/session.ts';
import { createVisitorGates } from './account/middleware/visitor.ts';
import type { Middleware } from './context.ts';
import { type Gate, gates as gateOrder } from './endpoint.ts';
import { refuseForeignOrigins } from './mcp/check-origin.ts';
import { readBodies } from './middleware/bodies.ts';
import { requireKey } from './middleware/key.ts';
import { limitConcurrency, limitRequests } from './middleware/load.ts';
import { chargeOneCall } from './middleware/quota.ts';

/**
 * Builds the gates that requests pass before their handler. A route names its gates, and their order is the same for
 * all routes: headers, identity, body, slots, charge. An arriving body holds no slot: it counts in the memory budget of
 * its class, in which newer bodies cut older ones, so that slow senders do not block other callers.
 */
export function createAdmission(deps: Deps): (names: readonly Gate[]) => Middleware {
  const { console } = deps.config;
  const key = requireKey(deps);
  const visitors = console && createVisitorGates(deps, console);
  const session = console && identifySession(deps, console);
  const gates: Readonly<Partial<Record<Gate, Middleware>>> = {
    'known origin': refuseForeignOrigins(deps),
    key,
    'key if given': (ctx, next) => (ctx.get('Authorization') === '' ? next() : key(ctx, next)),
    payment: ({ state }, next) => {
      state.callerClass = 'payer';
      return next();
    },
    body: readBodies(deps),
    slot: limitRequests(deps.limiters.requests),
    'search slot': limitConcurrency(deps.limiters.searches),
    'records slot': limitConcurrency(deps.limiters.records),
    'one call': chargeOneCall(deps),
    ...(console && {
      'same origin': sameOrigin(console),
      attempt: limitAttempts(deps, console),
      operator: requireOperator,
    }),
    ...(session && { 'session if given': session, session: compose([session, requireSession]) }),
    ...(session && visitors && { visitor: compose([session, visitors.check]), ...visitors.charges }),
  };
  return (names) =>
    compose(
      gateOrder
        .filter(([name]) => names.includes(name))
        .map(([name]) => {
          const gate = gates[name];
          if (gate === undefined) throw new Error(`there is no gate ${name} where the console is off`);
          return gate;
        }),
    );
}
