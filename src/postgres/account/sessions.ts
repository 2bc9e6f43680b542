import type { OpenSession } from '../../account/answers.ts';
import type { Session, SessionStore } from '../../account/ports.ts';
import { isoTimestamp } from '../../lib/iso-timestamp.ts';
import { addEvent } from './events.ts';
import { sessionColumns } from './session-rows.ts';
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

/** Looks sessions up in Postgres each time, so that one that is revoked ends at once. */
export function createSessionStore(
  { run, change }: AccountDatabase,
  { idleMs, seenEveryMs }: SessionSettings,
): SessionStore {
  return {
    find: (hash) =>
      run(async (database) => {
        const { rows } = await database.query<Session & { unseen: boolean }>(find, [hash, idleMs, seenEveryMs]);
        const [found] = rows;
        if (found?.unseen) await database.query(seen, [found.sessionId]);
        return found ?? null;
      }),
    list: (accountId) => run(async (database) => (await database.query<OpenSession>(list, [accountId, idleMs])).rows),
    end: (accountId, sessionId, action, actor) =>
      change(async (database) => {
        const { rows } = await database.query(revokeOne, [accountId, sessionId]);
        if (rows.length === 0) return false;
        await addEvent(database, accountId, action, actor, { session: sessionId });
        return true;
      }),
    endAll: (accountId, actor) =>
      change(async (database) => {
        const { rows } = await database.query<{ usable: boolean }>(revokeAll, [accountId, idleMs]);
        const sessions = rows.filter(({ usable }) => usable).length;
        await addEvent(database, accountId, 'signed_out_everywhere', actor, { sessions });
        return sessions;
      }),
  };
}
