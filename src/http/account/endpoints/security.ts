import { z } from 'zod';
import { security as securityData } from '../../../account/answers.ts';
import { counted } from '../../../lib/text/counted.ts';
import { NotInAccount } from '../../errors/account-errors.ts';
import { answerOf } from '../../openapi/components.ts';
import { accountEndpoint } from '../account-endpoint.ts';
import { actorOf, sessionOf } from '../middleware/session.ts';

export const security = accountEndpoint({
  method: 'get',
  path: 'security',
  gates: ['slot', 'session', 'records slot'],
  answer: answerOf('SecurityAnswer', securityData),
  operationId: 'security',
  tag: 'Security',
  summary: 'Wallets, passkeys and sessions of the account',
  handler: async ({ account: { credentials, sessionList }, ctx }) => {
    const { account, sessionId } = sessionOf(ctx);
    const [{ wallets, passkeys }, sessions] = await Promise.all([
      credentials.list(account.id),
      sessionList.list(account.id),
    ]);
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
  answer: answerOf('SessionRevokedAnswer', z.strictObject({ id: z.int().positive() })),
  operationId: 'revokeSession',
  tag: 'Security',
  summary: 'End one session of the account',
  errors: ['not_found'],
  handler: async ({ account, ctx, id }) => {
    const revoked = await account.sessionList.revoke(sessionOf(ctx).account.id, id, actorOf(ctx));
    if (!revoked) throw new NotInAccount('session');
    return [{ id }, 'The session has ended.'];
  },
});
