import type { Changing } from '../../account/ports.ts';
import type { Context } from '../context.ts';
import { clientAddress } from './browser.ts';
import { sessionOf } from './middleware/session.ts';

/** Who changes something, of a request behind the gate. */
export function changingOf(ctx: Context): Changing {
  const { account, sessionId } = sessionOf(ctx);
  return {
    accountId: account.id,
    sessionId,
    actor: { name: `session ${sessionId}`, ip: clientAddress(ctx) },
  };
}
