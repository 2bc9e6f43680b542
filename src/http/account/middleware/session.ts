import type { Actor, Changing, Session } from '../../../account/ports.ts';
import { hashToken } from '../../../account/tokens.ts';
import type { ConsoleConfig } from '../../../config/console.ts';
import type { Deps } from '../../../ports.ts';
import type { Context, Middleware } from '../../context.ts';
import { AccountSuspended, NotSignedIn, OperatorOnly } from '../../errors/account-errors.ts';
import { clientAddress, readCookie } from '../cookies.ts';

type SessionDeps = Pick<Deps, 'account'>;

/** Refuses requests without a session, and puts the session into the state. */
export function requireSession(deps: SessionDeps, config: ConsoleConfig): Middleware {
  return async (ctx, next) => {
    const session = await findSession(deps, config, ctx);
    if (session === null) throw new NotSignedIn();
    if (!session.account.active) throw new AccountSuspended();
    ctx.state.session = session;
    await next();
  };
}

/** Requires the session gate before it. */
export const requireOperator: Middleware = (ctx, next) => {
  if (sessionOf(ctx).account.role !== 'operator') throw new OperatorOnly();
  return next();
};

/** Returns the request's session; null for a visitor. Throws `Unavailable` if Postgres did not answer. */
export async function findSession(
  { account }: SessionDeps,
  config: ConsoleConfig,
  ctx: Context,
): Promise<Session | null> {
  const token = readCookie(ctx, config, 'session');
  if (token === null || account === null) return null;
  return account.sessions.find(hashToken(token));
}

/** Returns the session of a request that passed the gate. */
export function sessionOf({ state: { session } }: Context): Session {
  if (session === undefined) throw new Error('the session is asked for before it was checked');
  return session;
}

/** Returns the author of a change for audits: the account and its session. */
export function actorOf(ctx: Context, { account, sessionId } = sessionOf(ctx)): Actor {
  return { name: `${account.name} (session ${sessionId})`, ip: clientAddress(ctx) };
}

export function changingOf(ctx: Context): Changing {
  const { account, sessionId } = sessionOf(ctx);
  return { accountId: account.id, sessionId, actor: actorOf(ctx) };
}
