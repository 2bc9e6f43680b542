import type { Pool } from 'pg';
import type { OpenSession } from '../../account/answers.ts';
import type { Actor, SessionList } from '../../account/ports.ts';
import { isoTimestamp } from '../../lib/iso-timestamp.ts';
import { withStatementTimeout } from '../statements.ts';
import { addEvent, type EventAction } from './events.ts';
import { inOneChange, stored } from './transaction.ts';

const list = `
  select id, method, ip, user_agent, ${isoTimestamp('created_at')} as created_at,
    ${isoTimestamp('last_seen_at')} as last_seen_at, ${isoTimestamp('expires_at')} as expires_at
  from account_sessions
  where account_id = $1 and revoked_at is null and expires_at > now() and last_seen_at > now() - $2 * interval '1 ms'
  order by account_sessions.last_seen_at desc, id desc`;

const revokeOne = `
  update account_sessions set revoked_at = now()
  where account_id = $1 and id = $2 and revoked_at is null and expires_at > now() returning id`;

const revokeAll = `
  update account_sessions set revoked_at = now()
  where account_id = $1 and revoked_at is null and expires_at > now()
  returning last_seen_at > now() - $2 * interval '1 ms' as usable`;

/** @param idleMs after which a session that is not used has ended */
export function createSessionList(pool: Pool, idleMs: number, timeoutMs: number): SessionList {
  const endOne = (accountId: number, sessionId: number, action: EventAction, actor: Actor) =>
    inOneChange(pool, timeoutMs, async (database) => {
      const { rows } = await database.query(revokeOne, [accountId, sessionId]);
      if (rows.length === 0) return false;
      await addEvent(database, accountId, action, actor, { session: sessionId });
      return true;
    });
  return {
    list: (accountId) =>
      stored(async () => {
        const { rows } = await withStatementTimeout(pool, timeoutMs).query<OpenSession>(list, [accountId, idleMs]);
        return rows;
      }),
    revoke: (accountId, sessionId, actor) => endOne(accountId, sessionId, 'session_revoked', actor),
    signOut: (accountId, sessionId, actor) => endOne(accountId, sessionId, 'signed_out', actor),
    signOutEverywhere: (accountId, actor) =>
      inOneChange(pool, timeoutMs, async (database) => {
        const { rows } = await database.query<{ usable: boolean }>(revokeAll, [accountId, idleMs]);
        const sessions = rows.filter(({ usable }) => usable).length;
        await addEvent(database, accountId, 'signed_out_everywhere', actor, { sessions });
        return sessions;
      }),
  };
}
