import type { Actor } from '../../account/ports.ts';
import { plainText } from '../../lib/parameter-schemas.ts';
import type { Context } from '../context.ts';
import { sessionOf } from './middleware/session.ts';

const ipMax = 64;

/** Who does something in a session, for audits: the account and its session. */
export function actorOf(ctx: Context): Actor {
  const { account, sessionId } = sessionOf(ctx);
  return { name: `${account.name} (session ${sessionId})`, ip: plainText(ctx.ip.slice(0, ipMax)) };
}
