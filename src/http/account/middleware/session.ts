import type { Actor, Changing, Session } from '../../../account/ports.ts';
import { hashToken } from '../../../account/tokens.ts';
import type { ConsoleConfig } from '../../../config/console.ts';
import type { Deps } from '../../../ports.ts';
import type { Context, Middleware } from '../../context.ts';
import { AccountSuspended, NotSignedIn, OperatorOnly } from '../../errors/account-errors.ts';
import { readCookie } from '../cookies.ts';

/** Puts the session of a request into the state if there is one. */
export function identifySession({ account }: Pick<Deps, 'account'>, config: ConsoleConfig): Middleware {
  return async (ctx, next) => {
    const token = readCookie(ctx, config, 'session');
    const session = token === null || account === null ? null : await account.sessions.find(hashToken(token));
    if (session !== null) {
      ctx.state.session = session;
      ctx.state.callerClass = 'account';
    }
    await next();
  };
}

/** Returns the account of a request's session. Throws if there is no session, or the account is suspended. */
export function signedInAccount({ state: { session } }: Context): Session['account'] {
  if (session === undefined) throw new NotSignedIn();
  if (!session.account.active) throw new AccountSuspended();
  return session.account;
}

/** Refuses requests without a session, and those of suspended accounts. */
export const requireSession: Middleware = (ctx, next) => {
  signedInAccount(ctx);
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
