import type { ConsoleConfig } from '../../../config/console.ts';
import { minuteMs } from '../../../lib/durations.ts';
import { createRateLimiter } from '../../../lib/rate-limiter.ts';
import type { Deps } from '../../../ports.ts';
import type { Middleware } from '../../context.ts';
import { ForeignOrigin, TooManyRequests } from '../../errors/account-errors.ts';
import { Overloaded } from '../../errors/errors.ts';
import { clientNetwork } from '../../request/throttle-refusals.ts';
import { consoleOrigin } from '../console.ts';

// Guards of requests that anybody may send, signed in or not.

const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses changes that a page of another origin asks for, beside the cookies' SameSite. Browsers name the page's origin
 * with every such request and no page can change that; what does not name it is no browser, or one too old to trust.
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

/** Of the requests that may be in progress, changes may be a quarter, and those of one address a quarter of that. */
const part = 4;

/**
 * Bounds how many changes are in progress. A change has a body, which may take its time to arrive, and anybody may send
 * one without being known: whoever sends thousands slowly would otherwise take every place from those who have a key.
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

/** Addresses that are remembered. */
const remembered = 10_000;

/** Bounds how often one address may ask for challenges, and try what it likes as signature, passkey or invitation. */
export function limitAttempts({ clock }: Pick<Deps, 'clock'>, { attempts }: ConsoleConfig): Middleware {
  const limiter = createRateLimiter({ max: attempts.perMinute, perMs: minuteMs, keysMax: remembered }, clock.elapsed);
  return (ctx, next) => {
    const taken = limiter.take(clientNetwork(ctx.ip));
    if (!taken.ok) throw new TooManyRequests('Too many tries to sign in come from this address.', taken.waitMs);
    return next();
  };
}
