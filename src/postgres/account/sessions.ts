import type { Pool } from 'pg';
import type { SessionStore } from '../../account/ports.ts';
import { type SessionRow, sessionColumns, toSession } from './session-rows.ts';
import { stored } from './transaction.ts';

/** All times in milliseconds. */
export interface SessionSettings {
  /** After which a session that is not used ends. */
  readonly idleMs: number;
  /** Precision of the time of the last use: one write in this time. */
  readonly seenEveryMs: number;
  /** After which a statement counts as failed. */
  readonly timeoutMs: number;
}

const sql = {
  find: {
    name: 'session',
    text: `
      select ${sessionColumns}, s.last_seen_at < now() - $3 * interval '1 ms' as unseen
      from account_sessions s join accounts a on a.id = s.account_id join plans p on p.name = a.plan
      where s.hash = $1 and s.revoked_at is null and s.expires_at > now()
        and s.last_seen_at > now() - $2 * interval '1 ms'`,
  },
  seen: { name: 'session seen', text: 'update account_sessions set last_seen_at = now() where id = $1' },
} as const;

/** Looks sessions up in Postgres each time, so that one that is revoked ends at once. */
export function createSessionStore(pool: Pool, { idleMs, seenEveryMs, timeoutMs }: SessionSettings): SessionStore {
  return {
    find: (hash) =>
      stored(async () => {
        const values = [hash, idleMs, seenEveryMs];
        const { rows } = await pool.query<SessionRow & { unseen: boolean }>({
          ...sql.find,
          values,
          query_timeout: timeoutMs,
        });
        const [found] = rows;
        if (found?.unseen) await pool.query({ ...sql.seen, values: [found.id], query_timeout: timeoutMs });
        return found === undefined ? null : toSession(found);
      }),
  };
}
