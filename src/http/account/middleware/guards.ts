import type { ConsoleConfig } from '../../../config/console.ts';
import { limitAddresses } from '../../../lib/client-address.ts';
import { minuteMs } from '../../../lib/durations.ts';
import type { Deps } from '../../../ports.ts';
import type { Middleware } from '../../context.ts';
import { ForeignOrigin, TooManyRequests } from '../../errors/account-errors.ts';
import { consoleOrigin } from '../console.ts';

// Guards of requests that work without a session.

/**
 * Refuses changes from pages of another origin, in addition to the cookies' SameSite. Browsers send the page's origin
 * with every such request, and a page cannot change it. A request without it is not from a current browser.
 */
export function sameOrigin(config: ConsoleConfig): Middleware {
  return (ctx, next) => {
    const origin = consoleOrigin(ctx, config);
    const site = ctx.get('Sec-Fetch-Site');
    const own = origin !== null && ctx.get('Origin') === origin && (site === '' || site === 'same-origin');
    if (!own) throw new ForeignOrigin(origin);
    ctx.state.callerClass = 'account';
    return next();
  };
}

/** Limits an address's requests for challenges, and its attempts at signatures, passkeys and invitations. */
export function limitAttempts({ clock }: Pick<Deps, 'clock'>, { attempts }: ConsoleConfig): Middleware {
  const take = limitAddresses({ max: attempts.perMinute, perMs: minuteMs }, clock.elapsed);
  return (ctx, next) => {
    const taken = take(ctx.ip);
    if (!taken.ok) throw new TooManyRequests('Too many tries to sign in come from this address.', taken.waitMs);
    return next();
  };
}
