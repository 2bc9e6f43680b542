import type { ConsoleConfig } from '../../../config/console.ts';
import { minuteMs } from '../../../lib/durations.ts';
import { createRateLimiter } from '../../../lib/rate-limiter.ts';
import type { Deps } from '../../../ports.ts';
import type { Middleware } from '../../context.ts';
import { ForeignOrigin, TooManyRequests } from '../../errors/account-errors.ts';
import { Overloaded } from '../../errors/errors.ts';
import { clientNetwork } from '../../request/throttle-refusals.ts';
import { consoleOrigin } from '../console.ts';

// Guards of requests that work without a session.

const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses changes from pages of another origin, in addition to the cookies' SameSite. Browsers send the page's origin
 * with every such request, and a page cannot change it. A request without it is not from a current browser.
 */
export function sameOrigin(config: ConsoleConfig): Middleware {
  return (ctx, next) => {
    const origin = consoleOrigin(ctx, config);
    const site = ctx.get('Sec-Fetch-Site');
    const own = origin !== null && ctx.get('Origin') === origin && (site === '' || site === 'same-origin');
    if (!safeMethods.includes(ctx.method) && !own) throw new ForeignOrigin(origin);
    return next();
  };
}

/** Changes get a quarter of the requests in progress, and one address gets a quarter of that. */
const part = 4;

/**
 * Limits the changes in progress. A change has a body, which may arrive slowly, and needs no credentials. Without the
 * limit, a client with thousands of slow changes would block all callers with keys.
 */
export function limitChanges(requestsMax: number): Middleware {
  const changesMax = Math.ceil(requestsMax / part);
  const ofOneMax = Math.ceil(changesMax / part);
  const active = new Map<string, number>();
  let total = 0;
  return async (ctx, next) => {
    const address = clientNetwork(ctx.ip);
    const before = active.get(address) ?? 0;
    if (total >= changesMax || before >= ofOneMax) throw new Overloaded();
    total += 1;
    active.set(address, before + 1);
    try {
      await next();
    } finally {
      total -= 1;
      const left = (active.get(address) ?? 0) - 1;
      if (left > 0) active.set(address, left);
      else active.delete(address);
    }
  };
}

const remembered = 10_000;

/** Limits an address's requests for challenges, and its attempts at signatures, passkeys and invitations. */
export function limitAttempts({ clock }: Pick<Deps, 'clock'>, { attempts }: ConsoleConfig): Middleware {
  const limiter = createRateLimiter({ max: attempts.perMinute, perMs: minuteMs, keysMax: remembered }, clock.elapsed);
  return (ctx, next) => {
    const taken = limiter.take(clientNetwork(ctx.ip));
    if (!taken.ok) throw new TooManyRequests('Too many tries to sign in come from this address.', taken.waitMs);
    return next();
  };
}
