import { LRUCache } from 'lru-cache';
import type { ConsoleConfig } from '../../../config/console.ts';
import { minuteMs } from '../../../lib/durations.ts';
import { createRateLimiter } from '../../../lib/rate-limiter.ts';
import { counted } from '../../../lib/text/counted.ts';
import type { Deps } from '../../../ports.ts';
import type { Context, Middleware } from '../../context.ts';
import { AccountPlanInactive, AccountSuspended, NotSignedIn, TooManyRequests } from '../../errors/account-errors.ts';
import { chargeCalls } from '../../middleware/quota.ts';
import { clientNetwork } from '../../request/throttle-refusals.ts';
import { findSession } from './session.ts';

type VisitorDeps = Pick<Deps, 'account' | 'quotas' | 'clock'>;

/** The number of addresses, and of accounts with prepaid suggestions, to remember. */
const remembered = 10_000;
/** Each letter requests suggestions, so this number of them costs one search. */
const suggestionsACall = 10;

/**
 * Returns the gates of the pages' searches without a key. A session pays with the calls of its account's plan. A
 * visitor has a few free searches per address, which each process counts separately.
 */
export function createVisitorGates(
  deps: VisitorDeps,
  config: ConsoleConfig,
): { readonly search: Middleware; readonly suggestion: Middleware } {
  const { elapsed } = deps.clock;
  const perMinute = config.visitorSearchesPerMinute;
  const searches = createRateLimiter({ max: Math.max(1, perMinute), perMs: minuteMs, keysMax: remembered }, elapsed);
  /** The prepaid suggestions that remain, by payer. */
  const prepaid = new LRUCache<string, number>({ max: remembered });

  async function identify(ctx: Context): Promise<void> {
    const session = await findSession(deps, config, ctx);
    if (session === null) {
      if (perMinute === 0) throw new NotSignedIn();
      return;
    }
    const { account } = session;
    if (!account.active) throw new AccountSuspended();
    if (!account.plan.active) throw new AccountPlanInactive();
    ctx.state.session = session;
    ctx.state.caller = { accountId: account.id, plan: account.plan };
  }

  async function charge(ctx: Context, work: () => Promise<void>): Promise<void> {
    if (ctx.state.caller !== undefined) return chargeCalls(deps, ctx, 1, work);
    const taken = searches.take(clientNetwork(ctx.ip));
    if (!taken.ok)
      throw new TooManyRequests(
        `Without signing in, ${counted(perMinute, 'search a minute is', 'searches a minute are')} free.`,
        taken.waitMs,
      );
    return work();
  }

  return {
    async search(ctx, next) {
      await identify(ctx);
      await charge(ctx, next);
    },
    async suggestion(ctx, next) {
      await identify(ctx);
      const { caller } = ctx.state;
      const payer = caller === undefined ? clientNetwork(ctx.ip) : `account ${caller.accountId}`;
      const left = prepaid.get(payer) ?? 0;
      if (left > 0) {
        prepaid.set(payer, left - 1);
        ctx.state.cost = 0;
        if (caller !== undefined) ctx.set('X-Request-Cost', '0');
        await next();
      } else {
        await charge(ctx, next);
        prepaid.set(payer, suggestionsACall - 1);
      }
    },
  };
}
