import type { Pool } from 'pg';
import { z } from 'zod';
import type { Session, SessionStore } from '../../account/ports.ts';

/** All times in milliseconds. */
export interface SessionSettings {
  /** After which a session that is not used ends. */
  readonly idleMs: number;
  /** How exact the time of the last use is: one write in this time. */
  readonly seenEveryMs: number;
  /** After which a statement counts as failed. */
  readonly timeoutMs: number;
}

const sql = {
  find: {
    name: 'session',
    text: `
      select s.id, s.method, floor(extract(epoch from s.created_at) * 1000)::float8 as created_at_ms,
             floor(extract(epoch from s.expires_at) * 1000)::float8 as expires_at_ms,
             floor(extract(epoch from s.confirmed_until) * 1000)::float8 as confirmed_until_ms,
             s.last_seen_at < now() - $3 * interval '1 ms' as unseen,
             a.id as account_id, a.name as account_name, a.role, a.active, p.name as plan, p.active as plan_active,
             p.calls_per_minute, p.calls_per_month
      from account_sessions s join accounts a on a.id = s.account_id join plans p on p.name = a.plan
      where s.hash = $1 and s.revoked_at is null and s.expires_at > now()
        and s.last_seen_at > now() - $2 * interval '1 ms'`,
  },
  seen: { name: 'session seen', text: 'update account_sessions set last_seen_at = now() where id = $1' },
} as const;

const row = z.object({
  id: z.int(),
  method: z.enum(['wallet', 'passkey', 'invitation']),
  created_at_ms: z.number(),
  expires_at_ms: z.number(),
  confirmed_until_ms: z.number().nullable(),
  unseen: z.boolean(),
  account_id: z.int(),
  account_name: z.string(),
  role: z.enum(['member', 'operator']),
  active: z.boolean(),
  plan: z.string(),
  plan_active: z.boolean(),
  calls_per_minute: z.int().nullable(),
  calls_per_month: z.int().nullable(),
});

/** Looks sessions up in Postgres each time, so that one that is revoked ends at once. */
export function createSessionStore(pool: Pool, { idleMs, seenEveryMs, timeoutMs }: SessionSettings): SessionStore {
  return {
    async find(hash) {
      try {
        const values = [hash, idleMs, seenEveryMs];
        const { rows } = await pool.query<object>({ ...sql.find, values, query_timeout: timeoutMs });
        const found = row.optional().parse(rows[0]);
        if (found === undefined) return { ok: true, session: null };
        if (found.unseen) await pool.query({ ...sql.seen, values: [found.id], query_timeout: timeoutMs });
        return { ok: true, session: toSession(found) };
      } catch (cause) {
        return { ok: false, cause };
      }
    },
  };
}

function toSession(found: z.infer<typeof row>): Session {
  return {
    sessionId: found.id,
    method: found.method,
    createdAtMs: found.created_at_ms,
    expiresAtMs: found.expires_at_ms,
    confirmedUntilMs: found.confirmed_until_ms,
    account: {
      id: found.account_id,
      name: found.account_name,
      role: found.role,
      active: found.active,
      plan: {
        name: found.plan,
        active: found.plan_active,
        callsPerMinute: found.calls_per_minute,
        callsPerMonth: found.calls_per_month,
      },
    },
  };
}
