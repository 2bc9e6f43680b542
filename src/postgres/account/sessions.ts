import type { OpenSession, SignInMethod } from '../../account/answers.ts';
import type { Actor, Changing, NewSession, Session } from '../../account/ports.ts';
import type { ConsoleConfig } from '../../config/console.ts';
import { createBatcher } from '../../lib/concurrency/batcher.ts';
import { isoTimestamp } from '../../lib/iso-timestamp.ts';
import type { Database } from '../statements.ts';
import { addEvent } from './events.ts';
import type { AccountDatabase } from './transaction.ts';

const ms = (column: string) => `floor(extract(epoch from ${column}) * 1000)::float8`;
/** A `Session` with its account and plan. */
const sessionColumns = `
  s.id as "sessionId", s.method, ${ms('s.created_at')} as "createdAtMs", ${ms('s.expires_at')} as "expiresAtMs",
  ${ms('s.confirmed_until')} as "confirmedUntilMs",
  json_build_object('id', a.id, 'name', a.name, 'role', a.role, 'active', a.active, 'plan', json_build_object(
    'name', p.name, 'active', p.active, 'callsPerMinute', p.calls_per_minute, 'callsPerMonth', p.calls_per_month
  )) as account`;

const findByHash = `
  select s.hash, ${sessionColumns}, s.last_seen_at < now() - $3 * interval '1 ms' as unseen
  from account_sessions s join accounts a on a.id = s.account_id join plans p on p.name = a.plan
  where s.hash = any($1::bytea[]) and s.revoked_at is null and s.expires_at > now() and s.last_seen_at > now() - $2 * interval '1 ms'`;

// Another process may write the same sessions, so a session that it has locked is left to it.
const seen = `
  update account_sessions set last_seen_at = now()
  where id in (select id from account_sessions where id = any($1::bigint[]) for no key update skip locked)`;

/** Maximum number of tokens per statement. */
const hashesMax = 500;

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

type Found = Session & { readonly hash: Buffer; readonly unseen: boolean };

/**
 * Looks sessions up in Postgres each time, so that a revoked session ends immediately. Concurrent lookups share a
 * statement, and one runs at a time, so that a flood of made-up tokens takes one connection.
 */
export function createSessionStore(
  { run, change }: AccountDatabase,
  { idleMs, seenEveryMs }: ConsoleConfig['sessions'],
) {
  const find = createBatcher(
    (_key: 'sessions', hashes: readonly Buffer[]) =>
      run(async (database) => {
        const { rows } = await database.query<Found>(findByHash, [hashes, idleMs, seenEveryMs]);
        const unseen = rows.filter((row) => row.unseen).map(({ sessionId }) => sessionId);
        if (unseen.length > 0) await database.query(seen, [unseen]);
        return hashes.map((wanted): Session | null => rows.find(({ hash }) => hash.equals(wanted)) ?? null);
      }),
    hashesMax,
  );
  return {
    /** Finds a session by the SHA-256 of its token. Null for unknown, revoked, expired and idle sessions. */
    find: (hash: Buffer) => find('sessions', hash),
    /** Returns valid sessions, the last used first. */
    list: (accountId: number) =>
      run(async (database) => (await database.query<OpenSession>(list, [accountId, idleMs])).rows),
    /** Returns false if the account has no such session. */
    end: (accountId: number, sessionId: number, action: 'signed_out' | 'session_revoked', actor: Actor) =>
      change(async (database) => {
        const { rows } = await database.query(revokeOne, [accountId, sessionId]);
        if (rows.length === 0) return false;
        await addEvent(database, accountId, action, actor, { session: sessionId });
        return true;
      }),
    endAll: (accountId: number, actor: Actor) =>
      change(async (database) => {
        const { rows } = await database.query<{ usable: boolean }>(revokeAll, [accountId, idleMs]);
        const sessions = rows.filter(({ usable }) => usable).length;
        await addEvent(database, accountId, 'signed_out_everywhere', actor, { sessions });
        return sessions;
      }),
  };
}

const lock = 'select active from accounts where id = $1 for no key update';

const prune = `
  delete from account_sessions where id in (
    select id from account_sessions where expires_at <= now() order by expires_at limit 100 for update skip locked)`;

const replace = `
  update account_sessions set revoked_at = now() where hash = $1 and revoked_at is null and expires_at > now()
  returning id, account_id`;

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

/**
 * Locks an account, so that changes of its wallets, passkeys and sessions are serialised. Must come before all other
 * locks on it. Returns true if the account is active.
 */
export async function lockAccount(database: Database, accountId: number): Promise<boolean> {
  const { rows } = await database.query<{ active: boolean }>(lock, [accountId]);
  return rows[0]?.active ?? false;
}

/** A wallet or passkey of an account, identified by its row. */
export interface Credential {
  readonly kind: 'wallet' | 'passkey';
  readonly id: number;
}

interface SignedInBy {
  readonly accountId: number;
  readonly method: SignInMethod;
  readonly credential: Credential;
  /** Label of the credential, such as `wallet 0x12…ef`. */
  readonly actorName: string;
}

/**
 * Begins a session of an account that the transaction has locked. Ends the browser's earlier session, and sessions
 * beyond the account's maximum.
 */
export async function beginSession(
  database: Database,
  limits: ConsoleConfig['sessions'],
  { accountId, method, credential, actorName }: SignedInBy,
  { hash, replaces, ip, userAgent }: NewSession,
): Promise<Session> {
  const actor = { name: actorName, ip };
  await database.query(prune, []);
  const end = async (sql: string, values: unknown[], reason: string): Promise<void> => {
    const { rows } = await database.query<{ id: number; account_id: number }>(sql, values);
    for (const { id, account_id } of rows) {
      await addEvent(database, account_id, 'session_revoked', actor, { session: id, reason });
    }
  };
  if (replaces !== null) await end(replace, [replaces], 'the browser signed in again');
  const { idleMs, perAccountMax } = limits;
  await end(makeRoom, [accountId, idleMs, perAccountMax - 1], `more than ${perAccountMax} sessions`);
  const { rows: made } = await database.query<{ id: number }>(insert, [
    accountId,
    hash,
    method,
    ip,
    userAgent,
    limits.absoluteMs,
    credential.kind === 'wallet' ? credential.id : null,
    credential.kind === 'passkey' ? credential.id : null,
  ]);
  const id = made[0]?.id;
  await addEvent(database, accountId, 'signed_in', actor, { session: id, method });
  const [session] = (await database.query<Session & object>(find, [id])).rows;
  if (session === undefined) throw new Error('a session that was just begun is not there');
  return session;
}

const endOfCredential = `
  update account_sessions set revoked_at = now()
  where account_id = $1 and case when $4 = 'wallet' then wallet_id else passkey_id end = $2 and id <> $3
    and revoked_at is null and expires_at > now() returning id`;

/**
 * Ends the sessions that began with a removed credential, so that a thief can't stay signed in. The session that
 * removes it continues, because it was just confirmed.
 */
export async function endSessionsOf(
  database: Database,
  { kind, id }: Credential,
  { accountId, sessionId, actor }: Changing,
): Promise<void> {
  const { rows } = await database.query<{ id: number }>(endOfCredential, [accountId, id, sessionId, kind]);
  for (const { id: session } of rows) {
    const detail = { session, reason: `its ${kind} was removed` };
    await addEvent(database, accountId, 'session_revoked', actor, detail);
  }
}
