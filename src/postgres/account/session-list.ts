import type { Pool } from 'pg';
import { z } from 'zod';
import type { Actor, SessionEntry, SessionList } from '../../account/ports.ts';
import { addEvent, type EventAction } from './events.ts';
import { inOneChange, queryOf, stored } from './transaction.ts';

const list = `
  select id, method, ip, user_agent, created_at, last_seen_at, expires_at from account_sessions
  where account_id = $1 and revoked_at is null and expires_at > now() and last_seen_at > now() - $2 * interval '1 ms'
  order by last_seen_at desc, id desc`;

const revokeOne = `
  update account_sessions set revoked_at = now()
  where account_id = $1 and id = $2 and revoked_at is null and expires_at > now() returning id`;

const revokeAll = `
  update account_sessions set revoked_at = now()
  where account_id = $1 and revoked_at is null and expires_at > now()
  returning last_seen_at > now() - $2 * interval '1 ms' as usable`;

const listed = z.object({
  id: z.int(),
  method: z.enum(['wallet', 'passkey', 'invitation']),
  ip: z.string(),
  user_agent: z.string(),
  created_at: z.date(),
  last_seen_at: z.date(),
  expires_at: z.date(),
});
const revoked = z.object({ usable: z.boolean() });

/** @param idleMs after which a session that is not used has ended */
export function createSessionList(pool: Pool, idleMs: number, timeoutMs: number): SessionList {
  const endOne = (accountId: number, sessionId: number, action: EventAction, actor: Actor) =>
    inOneChange(pool, timeoutMs, async (query) => {
      const ended = await query(revokeOne, [accountId, sessionId]);
      if (ended.length === 0) return false;
      await addEvent(query, accountId, action, actor, { session: sessionId });
      return true;
    });
  return {
    list: (accountId) => stored(async () => (await queryOf(pool, timeoutMs)(list, [accountId, idleMs])).map(toEntry)),
    revoke: (accountId, sessionId, actor) => endOne(accountId, sessionId, 'session_revoked', actor),
    signOut: (accountId, sessionId, actor) => endOne(accountId, sessionId, 'signed_out', actor),
    signOutEverywhere: (accountId, actor) =>
      inOneChange(pool, timeoutMs, async (query) => {
        const ended = await query(revokeAll, [accountId, idleMs]);
        const sessions = ended.filter((row) => revoked.parse(row).usable).length;
        await addEvent(query, accountId, 'signed_out_everywhere', actor, { sessions });
        return sessions;
      }),
  };
}

function toEntry(found: object): SessionEntry {
  const row = listed.parse(found);
  return {
    id: row.id,
    method: row.method,
    ip: row.ip,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    expiresAt: row.expires_at,
  };
}
