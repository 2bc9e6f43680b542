import type { ConsoleConfig } from '../../../config/console.ts';
import { minuteMs } from '../../../lib/durations.ts';
import { createRateLimiter } from '../../../lib/rate-limiter.ts';
import type { Deps } from '../../../ports.ts';
import type { Middleware } from '../../context.ts';
import { TooManyRequests } from '../../errors/account-errors.ts';
import { clientNetwork } from '../../request/throttle-refusals.ts';

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
