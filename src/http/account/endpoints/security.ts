import { z } from 'zod';
import { security as securityData } from '../../../account/answers.ts';
import { counted } from '../../../lib/text/counted.ts';
import { NotInAccount } from '../../errors/account-errors.ts';
import { accountEndpoint } from '../account-endpoint.ts';
import { actorOf, sessionOf } from '../middleware/session.ts';

export const security = accountEndpoint({
  method: 'get',
  path: 'security',
  gates: ['slot', 'session', 'records slot'],
  answer: securityData,
  summary: 'Wallets, passkeys and sessions of the account',
  handler: async ({ account: { credentials, sessions: store }, ctx }) => {
    const { account, sessionId } = sessionOf(ctx);
    const [{ wallets, passkeys }, sessions] = await Promise.all([credentials.list(account.id), store.list(account.id)]);
    const data = {
      wallets,
      passkeys,
      sessions: sessions.map((session) => ({ ...session, current: session.id === sessionId })),
    };
    const counts = [
      counted(wallets.length, 'wallet'),
      counted(passkeys.length, 'passkey'),
      counted(sessions.length, 'session'),
    ];
    return [data, `${counts.join(', ')}.`];
  },
});

export const revokedSession = accountEndpoint({
  method: 'delete',
  path: 'sessions/{id}',
  gates: ['slot', 'same origin', 'session', 'records slot'],
  id: { of: 'session', text: "The session's id" },
  answer: z.strictObject({ id: z.int().positive() }),
  summary: 'End one session of the account',
  handler: async ({ account, ctx, id }) => {
    const revoked = await account.sessions.end(sessionOf(ctx).account.id, id, 'session_revoked', actorOf(ctx));
    if (!revoked) throw new NotInAccount('session');
    return [{ id }, 'The session has ended.'];
  },
});
