import type { OpenSession } from '../../account/answers.ts';
import type { Actor, SessionList, SessionStore } from '../../account/ports.ts';
import { isoTimestamp } from '../../lib/iso-timestamp.ts';
import { addEvent, type EventAction } from './events.ts';
import { type SessionRow, sessionColumns, toSession } from './session-rows.ts';
import type { AccountDatabase } from './transaction.ts';

const find = `
  select ${sessionColumns}, s.last_seen_at < now() - $3 * interval '1 ms' as unseen
  from account_sessions s join accounts a on a.id = s.account_id join plans p on p.name = a.plan
  where s.hash = $1 and s.revoked_at is null and s.expires_at > now() and s.last_seen_at > now() - $2 * interval '1 ms'`;

const seen = 'update account_sessions set last_seen_at = now() where id = $1';

/** All times in milliseconds. */
interface SessionSettings {
  /** After which a session that is not used ends. */
  readonly idleMs: number;
  /** Precision of the time of the last use: one write in this time. */
  readonly seenEveryMs: number;
}

/** Looks sessions up in Postgres each time, so that one that is revoked ends at once. */
export function createSessionStore({ run }: AccountDatabase, { idleMs, seenEveryMs }: SessionSettings): SessionStore {
  return {
    find: (hash) =>
      run(async (database) => {
        const { rows } = await database.query<SessionRow & { unseen: boolean }>(find, [hash, idleMs, seenEveryMs]);
        const [found] = rows;
        if (found?.unseen) await database.query(seen, [found.id]);
        return found === undefined ? null : toSession(found);
      }),
  };
}

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
export function createSessionList({ run, change }: AccountDatabase, idleMs: number): SessionList {
  const endOne = (accountId: number, sessionId: number, action: EventAction, actor: Actor) =>
    change(async (database) => {
      const { rows } = await database.query(revokeOne, [accountId, sessionId]);
      if (rows.length === 0) return false;
      await addEvent(database, accountId, action, actor, { session: sessionId });
      return true;
    });
  return {
    list: (accountId) =>
      run(async (database) => {
        const { rows } = await database.query<OpenSession>(list, [accountId, idleMs]);
        return rows;
      }),
    revoke: (accountId, sessionId, actor) => endOne(accountId, sessionId, 'session_revoked', actor),
    signOut: (accountId, sessionId, actor) => endOne(accountId, sessionId, 'signed_out', actor),
    signOutEverywhere: (accountId, actor) =>
      change(async (database) => {
        const { rows } = await database.query<{ usable: boolean }>(revokeAll, [accountId, idleMs]);
        const sessions = rows.filter(({ usable }) => usable).length;
        await addEvent(database, accountId, 'signed_out_everywhere', actor, { sessions });
        return sessions;
      }),
  };
}
