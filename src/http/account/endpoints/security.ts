import { z } from 'zod';
import { events as eventPage, security as securityData } from '../../../account/answers.ts';
import { readEventCursor, writeEventCursor } from '../../../account/events.ts';
import { textUpTo, wholeNumber } from '../../../lib/parameter-schemas.ts';
import { counted } from '../../../lib/text/counted.ts';
import { NotInAccount } from '../../errors/account-errors.ts';
import { InvalidParameters } from '../../errors/errors.ts';
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

const limitMax = 100;
const limitDefault = 50;

export const events = accountEndpoint({
  method: 'get',
  path: 'events',
  gates: ['slot', 'session', 'records slot'],
  query: z.strictObject({ limit: wholeNumber(1, limitMax).optional(), before: textUpTo(64).optional() }),
  answer: eventPage,
  handler: async ({ account, ctx, query: { limit = limitDefault, before } }) => {
    const cursor = before === undefined ? undefined : readEventCursor(before);
    if (cursor === null) {
      throw new InvalidParameters([{ path: 'before', message: 'must be data.next of the page before, unchanged' }]);
    }
    const { events: found, next } = await account.events.list(sessionOf(ctx).account.id, limit, cursor);
    const data = { events: found, next: next === null ? null : writeEventCursor(next) };
    return [data, `${counted(found.length, 'event')}.`];
  },
});
