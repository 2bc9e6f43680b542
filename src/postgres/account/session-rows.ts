import { z } from 'zod';
import type { SignInMethod } from '../../account/answers.ts';
import type { Changing, NewSession, Session } from '../../account/ports.ts';
import { addEvent } from './events.ts';
import type { Query } from './transaction.ts';

/** Lifetimes of sessions, in milliseconds, and their maximal number per account. */
export interface SessionLimits {
  /** After which a session that is not used ends. */
  readonly idleMs: number;
  /** After which it ends however much it is used. */
  readonly absoluteMs: number;
  /** Beyond, the one that was used least recently ends. */
  readonly perAccountMax: number;
}

export const sessionColumns = `
  s.id, s.method, floor(extract(epoch from s.created_at) * 1000)::float8 as created_at_ms,
  floor(extract(epoch from s.expires_at) * 1000)::float8 as expires_at_ms,
  floor(extract(epoch from s.confirmed_until) * 1000)::float8 as confirmed_until_ms,
  a.id as account_id, a.name as account_name, a.role, a.active, p.name as plan, p.active as plan_active,
  p.calls_per_minute, p.calls_per_month`;

export const sessionRow = z.object({
  id: z.int(),
  method: z.enum(['wallet', 'passkey', 'invitation']),
  created_at_ms: z.number(),
  expires_at_ms: z.number(),
  confirmed_until_ms: z.number().nullable(),
  account_id: z.int(),
  account_name: z.string(),
  role: z.enum(['member', 'operator']),
  active: z.boolean(),
  plan: z.string(),
  plan_active: z.boolean(),
  calls_per_minute: z.int().nullable(),
  calls_per_month: z.int().nullable(),
});

/** Returns a session from its row and those of its account and plan. */
export function toSession(found: z.infer<typeof sessionRow>): Session {
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

const lock = 'select active from accounts where id = $1 for no key update';
const accountRow = z.object({ active: z.boolean() });

const prune = `
  delete from account_sessions where id in (
    select id from account_sessions where expires_at <= now() order by expires_at limit 100 for update skip locked)`;

const replace = `
  update account_sessions set revoked_at = now() where hash = $1 and revoked_at is null and expires_at > now()
  returning id, account_id`;
const endedRow = z.object({ id: z.int(), account_id: z.int() });

const makeRoom = `
  update account_sessions set revoked_at = now() where id in (
    select id from account_sessions where account_id = $1 and revoked_at is null and expires_at > now()
      and last_seen_at > now() - $2 * interval '1 ms'
    order by last_seen_at desc, id desc offset $3)
  returning id, account_id`;

const insert = `
  insert into account_sessions (account_id, hash, method, ip, user_agent, expires_at, wallet_id, passkey_id)
  values ($1, $2, $3, $4, $5, now() + $6 * interval '1 ms', $7, $8) returning id`;

const find = `
  select ${sessionColumns}
  from account_sessions s join accounts a on a.id = s.account_id join plans p on p.name = a.plan where s.id = $1`;

const idRow = z.object({ id: z.int() });

/**
 * Lets changes of one account's wallets, passkeys and sessions come one after the other: the first statement that locks
 * anything of it. Answers whether the account is active.
 */
export async function lockAccount(query: Query, accountId: number): Promise<boolean> {
  const [account] = await query(lock, [accountId]);
  return accountRow.parse(account).active;
}

/** A wallet or passkey of an account, by its row. */
export interface Credential {
  readonly kind: 'wallet' | 'passkey';
  readonly id: number;
}

interface SignedInBy {
  readonly accountId: number;
  readonly method: SignInMethod;
  /** The credential of the sign-in. */
  readonly credential: Credential;
  /** Label of the credential, such as `wallet 0x12…ef`. */
  readonly actorName: string;
}

/**
 * Begins a session, as part of a change that has locked the account: what this browser had before ends, and so does
 * what is more than an account may have.
 */
export async function beginSession(
  query: Query,
  limits: SessionLimits,
  { accountId, method, credential, actorName }: SignedInBy,
  { hash, replaces, ip, userAgent }: NewSession,
): Promise<Session> {
  const actor = { name: actorName, ip };
  await query(prune, []);
  const noteEnds = async (rows: readonly object[], reason: string): Promise<void> => {
    for (const row of rows) {
      const { id, account_id } = endedRow.parse(row);
      await addEvent(query, account_id, 'session_revoked', actor, { session: id, reason });
    }
  };
  if (replaces !== null) await noteEnds(await query(replace, [replaces]), 'the browser signed in again');
  const excess = await query(makeRoom, [accountId, limits.idleMs, limits.perAccountMax - 1]);
  await noteEnds(excess, `more than ${limits.perAccountMax} sessions`);
  const [made] = await query(insert, [
    accountId,
    hash,
    method,
    ip,
    userAgent,
    limits.absoluteMs,
    credential.kind === 'wallet' ? credential.id : null,
    credential.kind === 'passkey' ? credential.id : null,
  ]);
  const { id } = idRow.parse(made);
  await addEvent(query, accountId, 'signed_in', actor, { session: id, method });
  const [session] = await query(find, [id]);
  return toSession(sessionRow.parse(session));
}

const endOfCredential = {
  wallet: `update account_sessions set revoked_at = now()
    where account_id = $1 and wallet_id = $2 and id <> $3 and revoked_at is null and expires_at > now() returning id`,
  passkey: `update account_sessions set revoked_at = now()
    where account_id = $1 and passkey_id = $2 and id <> $3 and revoked_at is null and expires_at > now() returning id`,
} as const;

/**
 * Ends the sessions begun with a credential that is being removed, so that a thief of it cannot stay. The session that
 * removes it continues, because it was confirmed just now.
 */
export async function endSessionsOf(
  query: Query,
  { kind, id }: Credential,
  { accountId, sessionId, actor }: Changing,
): Promise<void> {
  for (const ended of await query(endOfCredential[kind], [accountId, id, sessionId])) {
    const detail = { session: idRow.parse(ended).id, reason: `its ${kind} was removed` };
    await addEvent(query, accountId, 'session_revoked', actor, detail);
  }
}
