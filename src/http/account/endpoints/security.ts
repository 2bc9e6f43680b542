import { z } from 'zod';
import { events as eventPage, security as securityData } from '../../../account/answers.ts';
import { wholeNumber } from '../../../lib/parameter-schemas.ts';
import { counted } from '../../../lib/text/counted.ts';
import { NotInAccount } from '../../errors/account-errors.ts';
import { accountEndpoint } from '../account-endpoint.ts';
import { actorOf, sessionOf } from '../middleware/session.ts';

export const security = accountEndpoint({
  method: 'get',
  path: 'security',
  gates: ['slot', 'session', 'records slot'],
  answer: securityData,
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
  id: 'session',
  answer: z.strictObject({ id: z.int().positive() }),
  handler: async ({ account, ctx, id }) => {
    const revoked = await account.sessions.end(sessionOf(ctx).account.id, id, 'session_revoked', actorOf(ctx));
    if (!revoked) throw new NotInAccount('session');
    return [{ id }, 'The session has ended.'];
  },
});

export const events = accountEndpoint({
  method: 'get',
  path: 'events',
  gates: ['slot', 'session', 'records slot'],
  query: z.strictObject({
    limit: wholeNumber(1, 100).default(50),
    before: z
      .string()
      .regex(/^(?:account|key)-\d{1,15}$/, { error: 'must be data.next of the page before, unchanged' })
      .optional(),
  }),
  answer: eventPage,
  handler: async ({ account, ctx, query: { limit, before = null } }) => {
    const found = await account.events.list(sessionOf(ctx).account.id, limit + 1, before);
    const page = found.slice(0, limit);
    const next = found.length > limit ? (page.at(-1)?.id ?? null) : null;
    return [{ events: page, next }, `${counted(page.length, 'event')}.`];
  },
});
