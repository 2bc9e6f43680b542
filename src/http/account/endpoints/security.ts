import { z } from 'zod';
import { security as securityData } from '../../../account/answers.ts';
import { counted } from '../../../lib/text/counted.ts';
import { NotInAccount } from '../../errors/account-errors.ts';
import { answerOf } from '../../openapi/account-operation.ts';
import { accountEndpoint, type Reply } from '../account-endpoint.ts';
import { accountPorts, fromStore } from '../console.ts';
import { actorOf, sessionOf } from '../middleware/session.ts';

const example: Reply = [
  {
    wallets: [
      {
        id: 1,
        address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        created_at: '2026-01-31T12:00:00.000Z',
        last_used_at: null,
      },
    ],
    passkeys: [],
    sessions: [
      {
        id: 12,
        current: true,
        method: 'wallet',
        ip: '192.0.2.7',
        user_agent: 'Mozilla/5.0',
        created_at: '2026-01-31T12:00:00.000Z',
        last_seen_at: '2026-01-31T12:00:00.000Z',
        expires_at: '2026-02-14T12:00:00.000Z',
      },
    ],
  },
  '1 wallet, 0 passkeys, 1 session.',
];

export const security = accountEndpoint({
  method: 'get',
  path: 'security',
  gates: ['slot', 'session', 'records slot'],
  query: z.strictObject({}),
  answer: answerOf('SecurityAnswer', securityData),
  operation: () => ({
    operationId: 'security',
    tag: 'Security',
    summary: 'Wallets, passkeys and sessions of the account',
    examples: { security: example },
  }),
  handler:
    (deps) =>
    async ({ ctx }) => {
      const { account, sessionId } = sessionOf(ctx);
      const { credentials, sessionList } = accountPorts(deps);
      const [found, open] = await Promise.all([credentials.list(account.id), sessionList.list(account.id)]);
      const { wallets, passkeys } = fromStore(found);
      const sessions = fromStore(open);
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
  operation: () => ({
    operationId: 'revokeSession',
    tag: 'Security',
    summary: 'End one session of the account',
    examples: { revoked: [{ id: 12 }, 'The session has ended.'] },
    errors: [new NotInAccount('session')],
  }),
  handler:
    (deps) =>
    async ({ ctx, id }) => {
      const { account } = sessionOf(ctx);
      const revoked = fromStore(await accountPorts(deps).sessionList.revoke(account.id, id, actorOf(ctx)));
      if (!revoked) throw new NotInAccount('session');
      return [{ id }, 'The session has ended.'];
    },
});
