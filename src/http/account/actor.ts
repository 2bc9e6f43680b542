import type { Actor, Changing, Session } from '../../account/ports.ts';
import type { Context } from '../context.ts';
import { sessionOf } from './middleware/session.ts';
import { clientAddress } from './session/browser.ts';

/** Who does something in a session, for audits: the account and its session. */
export function actorIn(ctx: Context, { account, sessionId }: Session): Actor {
  return { name: `${account.name} (session ${sessionId})`, ip: clientAddress(ctx) };
}

/** The same of a request behind the gate. */
export function actorOf(ctx: Context): Actor {
  return actorIn(ctx, sessionOf(ctx));
}

/** Who changes something of an account, of a request behind the gate. */
export function changingOf(ctx: Context): Changing {
  const { account, sessionId } = sessionOf(ctx);
  return { accountId: account.id, sessionId, actor: actorOf(ctx) };
}
