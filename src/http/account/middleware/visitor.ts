import { LRUCache } from 'lru-cache';
import type { ConsoleConfig } from '../../../config/console.ts';
import { clientNetwork, limitAddresses } from '../../../lib/client-address.ts';
import { minuteMs } from '../../../lib/durations.ts';
import { counted } from '../../../lib/text/counted.ts';
import type { Deps } from '../../../ports.ts';
import type { Middleware } from '../../context.ts';
import { AccountPlanInactive, AccountSuspended, NotSignedIn, TooManyRequests } from '../../errors/account-errors.ts';
import { chargeCalls } from '../../middleware/quota.ts';

/** Number of remembered addresses and accounts with prepaid suggestions. */
const remembered = 10_000;
/** Each letter requests suggestions, so this number of them costs one search. */
const suggestionsACall = 10;

/** All visitors together may search this many times as often as one address. */
const togetherFactor = 50;

/**
 * Returns the gates of the pages' searches without a key. A session pays with the calls of its account's plan. A
 * visitor has a few free searches per address, which each process counts separately.
 */
export function createVisitorGates(deps: Pick<Deps, 'quotas' | 'clock'>, config: ConsoleConfig) {
  const perMinute = config.visitorSearchesPerMinute;
  const max = Math.max(1, perMinute);
  const limits = { max, perMs: minuteMs, togetherMax: togetherFactor * max };
  const takeSearch = limitAddresses(limits, deps.clock.elapsed);
  /** The prepaid suggestions that remain, by payer. */
  const prepaid = new LRUCache<string, number>({ max: remembered });

  const check: Middleware = ({ state }, next) => {
    if (state.session === undefined) {
      if (perMinute === 0) throw new NotSignedIn();
      return next();
    }
    const { account } = state.session;
    if (!account.active) throw new AccountSuspended();
    if (!account.plan.active) throw new AccountPlanInactive();
    state.caller = { accountId: account.id, plan: account.plan };
    return next();
  };

  const chargeSearch: Middleware = (ctx, next) => {
    if (ctx.state.caller !== undefined) return chargeCalls(deps, ctx, 1, next);
    const taken = takeSearch(ctx.ip);
    if (!taken.ok)
      throw new TooManyRequests(
        `Without signing in, ${counted(perMinute, 'search a minute is', 'searches a minute are')} free.`,
        taken.waitMs,
      );
    return next();
  };

  const chargeSuggestion: Middleware = async (ctx, next) => {
    const { caller } = ctx.state;
    const payer = caller === undefined ? clientNetwork(ctx.ip) : `account ${caller.accountId}`;
    const left = prepaid.get(payer) ?? 0;
    if (left > 0) {
      prepaid.set(payer, left - 1);
      ctx.state.cost = 0;
      if (caller !== undefined) ctx.set('X-Request-Cost', '0');
      await next();
    } else {
      await chargeSearch(ctx, next);
      prepaid.set(payer, suggestionsACall - 1);
    }
  };

  return { check, charges: { 'one search': chargeSearch, 'one suggestion': chargeSuggestion } };
}
