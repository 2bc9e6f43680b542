import { LRUCache } from 'lru-cache';
import type { Actor, Changing, Session } from '../../../account/ports.ts';
import { hashToken } from '../../../account/tokens.ts';
import type { ConsoleConfig } from '../../../config/console.ts';
import { limitAddresses } from '../../../lib/client-address.ts';
import { createLimiter } from '../../../lib/concurrency/limiter.ts';
import { minuteMs } from '../../../lib/durations.ts';
import type { Deps } from '../../../ports.ts';
import type { Context, Middleware } from '../../context.ts';
import { AccountSuspended, NotSignedIn, OperatorOnly, TooManyRequests } from '../../errors/account-errors.ts';
import { withSlot } from '../../middleware/load.ts';
import { readCookie } from '../cookies.ts';

/** Number of remembered sessions. */
const remembered = 10_000;
/** Tokens of unknown sessions that an address may send in a minute. Each takes a query. */
const unknownPerMinute = 120;
/** Those queries share connections with the keys and quotas of callers, so strangers from anywhere have a few at once. */
const unknownQueue = { slotsMax: 2, waitingMax: 200, waitMs: 3_000, stallMs: 3_000 } as const;

/** Puts the session of a request into the state if there is one. Limits the look-ups of unknown tokens by address. */
export function identifySession(
  { account, clock, limiters }: Pick<Deps, 'account' | 'clock' | 'limiters'>,
  config: ConsoleConfig,
): Middleware {
  const known = new LRUCache<string, true>({ max: remembered });
  const takeUnknown = limitAddresses({ max: unknownPerMinute, perMs: minuteMs }, clock.elapsed);
  const unknown = createLimiter(unknownQueue);

  async function findSession(ctx: Context): Promise<Session | null> {
    const token = readCookie(ctx, config, 'session');
    if (token === null || account === null) return null;
    const hash = hashToken(token);
    const name = hash.toString('base64url');
    const isKnown = known.has(name);
    const taken = isKnown ? null : takeUnknown(ctx.ip);
    if (taken?.ok === false)
      throw new TooManyRequests('Too many unknown sessions come from this address.', taken.waitMs);
    const slots = isKnown ? limiters.identities : unknown;
    const session = await withSlot(slots, ctx, () => account.sessions.find(hash));
    if (session === null) known.delete(name);
    else known.set(name, true);
    return session;
  }

  return async (ctx, next) => {
    const session = await findSession(ctx);
    if (session !== null) {
      ctx.state.session = session;
      ctx.state.callerClass = 'account';
    }
    await next();
  };
}

/** Refuses requests without a session, and those of suspended accounts. */
export const requireSession: Middleware = ({ state: { session } }, next) => {
  if (session === undefined) throw new NotSignedIn();
  if (!session.account.active) throw new AccountSuspended();
  return next();
};

/** Requires the session gate before it. */
export const requireOperator: Middleware = (ctx, next) => {
  if (sessionOf(ctx).account.role !== 'operator') throw new OperatorOnly();
  return next();
};

/** Returns the session of a request that passed the gate. */
export function sessionOf({ state: { session } }: Context): Session {
  if (session === undefined) throw new Error('the session is asked for before it was checked');
  return session;
}

/** Returns the author of a change for audits: the account and its session. */
export function actorOf(ctx: Context, { account, sessionId } = sessionOf(ctx)): Actor {
  return { name: `${account.name} (session ${sessionId})`, ip: ctx.ip };
}

export function changingOf(ctx: Context): Changing {
  const { account, sessionId } = sessionOf(ctx);
  return { accountId: account.id, sessionId, actor: actorOf(ctx) };
}
