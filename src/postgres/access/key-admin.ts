import { apiKeyPrefix, hashApiKey } from '../../access/api-key.ts';
import type { Database } from '../statements.ts';

// Changes keys for the command line and the account page. Functions return null if there is nothing of that name or id.
// A change and its audit line are one statement, so that neither can exist without the other.

export interface KeyRow {
  readonly id: number;
  readonly account: string;
  readonly name: string;
  readonly prefix: string;
  readonly state: 'live' | 'expired' | 'revoked';
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly expires_at: Date | null;
}

/** A key's id, and the account that must own it; null: any account. */
export interface KeyReference {
  readonly id: number;
  readonly accountId?: number;
}

/** The actor for the audit, and the address; null on the command line. */
export interface KeyActor {
  readonly name: string;
  readonly ip: string | null;
}

const keyColumns = `k.id, (select a.name from accounts a where a.id = k.account_id) as account, k.name, k.prefix,
  case when k.revoked_at is not null then 'revoked' when k.expires_at <= now() then 'expired' else 'live' end as state,
  k.created_at, k.last_used_at, k.expires_at`;

export async function listKeys(database: Database, account: string | undefined): Promise<readonly KeyRow[]> {
  const { rows } = await database.query<KeyRow>(
    `select ${keyColumns} from api_keys k
     where $1::text is null or k.account_id = (select id from accounts where name = $1) order by k.id`,
    [account ?? null],
  );
  return rows;
}

/** Maximum number of listed keys of an account. The oldest of the ended keys are left out. */
const listedMax = 300;

/** Lists the keys of one account: valid ones first, then the newest. */
export async function listAccountKeys(database: Database, accountId: number): Promise<readonly KeyRow[]> {
  const { rows } = await database.query<KeyRow>(
    `select ${keyColumns} from api_keys k where k.account_id = $1
     order by (k.revoked_at is null and (k.expires_at is null or k.expires_at > now())) desc, k.id desc limit $2`,
    [accountId, listedMax],
  );
  return rows;
}

/**
 * Counts an account's valid keys. Locks the account's row until the transaction ends, so that the second of two
 * concurrent requests counts the first one's key.
 */
export async function countLiveKeys(database: Database, accountId: number): Promise<number> {
  await database.query('select from accounts where id = $1 for no key update', [accountId]);
  const { rows } = await database.query<{ live: number }>(
    `select count(*)::int as live from api_keys
     where account_id = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
    [accountId],
  );
  return rows[0]?.live ?? 0;
}

/** A key to create. Only its hash is stored. */
export interface NewKey {
  /** The owner, by name or by id. */
  readonly account: string | number;
  readonly name: string;
  readonly key: string;
  readonly expiresAt: Date | null;
}

/** Returns null if there is no such account. */
export async function createKey(
  database: Database,
  { account, name, key, expiresAt }: NewKey,
  actor: KeyActor,
): Promise<KeyRow | null> {
  const owner = typeof account === 'number' ? [null, account] : [account, null];
  const { rows } = await database.query<KeyRow>(
    `with k as (
       insert into api_keys (account_id, name, prefix, hash, expires_at)
       select id, $3, $4, $5, $6 from accounts where name = $1 or id = $2 returning *
     ), audit as (
       insert into api_key_audit (key_id, action, actor, detail)
       select id, 'created', $7, jsonb_build_object('name', name, 'expires_at', expires_at)
         || jsonb_strip_nulls(jsonb_build_object('ip', $8::text)) from k
     )
     select ${keyColumns} from k`,
    [...owner, name, apiKeyPrefix(key), hashApiKey(key), expiresAt, actor.name, actor.ip],
  );
  return rows[0] ?? null;
}

/**
 * Creates a key's successor with the same name and lifetime. The key itself ends after the overlap, or at its own
 * expiry if that is earlier. Returns null if there is no such valid key. Concurrent rotations are serialised.
 */
export async function rotateKey(
  database: Database,
  { id, accountId }: KeyReference,
  { key, overlapMs }: { readonly key: string; readonly overlapMs: number },
  actor: KeyActor,
): Promise<{ readonly created: KeyRow; readonly replaced: KeyRow } | null> {
  const { rows } = await database.query<KeyRow & { readonly part: string }>(
    `with before as (
       select * from api_keys where id = $1 and ($2::bigint is null or account_id = $2) and revoked_at is null
         and (expires_at is null or expires_at > clock_timestamp()) for update
     ), created as (
       insert into api_keys (account_id, name, prefix, hash, expires_at)
       select account_id, name, $3, $4, now() + (expires_at - created_at) from before returning *
     ), replaced as (
       update api_keys a set expires_at = least(b.expires_at, now() + $5 * interval '1 ms')
       from before b where a.id = b.id returning a.*
     ), audit as (
       insert into api_key_audit (key_id, action, actor, detail)
       select c.id, 'created', $6, jsonb_build_object('name', c.name, 'expires_at', c.expires_at, 'replaces', b.id)
         || jsonb_strip_nulls(jsonb_build_object('ip', $7::text))
       from created c, before b
       union all
       select r.id, 'changed', $6, jsonb_build_object(
         'before', jsonb_build_object('name', b.name, 'expires_at', b.expires_at),
         'after', jsonb_build_object('name', r.name, 'expires_at', r.expires_at),
         'replaced_by', c.id) || jsonb_strip_nulls(jsonb_build_object('ip', $7::text))
       from replaced r, created c, before b
     )
     select 'created' as part, ${keyColumns} from created k
     union all
     select 'replaced', ${keyColumns} from replaced k`,
    [id, accountId ?? null, apiKeyPrefix(key), hashApiKey(key), overlapMs, actor.name, actor.ip],
  );
  const [created, replaced] = ['created', 'replaced'].map((part) => rows.find((row) => row.part === part));
  if (created === undefined || replaced === undefined) return null;
  return { created: withoutPart(created), replaced: withoutPart(replaced) };
}

function withoutPart({ part: _, ...row }: KeyRow & { readonly part: string }): KeyRow {
  return row;
}

/** Renames a key. Returns null if there is no such key. */
export async function renameKey(
  database: Database,
  { id, accountId }: KeyReference,
  name: string,
  actor: KeyActor,
): Promise<KeyRow | null> {
  const { rows } = await database.query<KeyRow>(
    `with before as (select id, name from api_keys where id = $1 and account_id = $2 for update),
     k as (update api_keys a set name = $3 from before b where a.id = b.id returning a.*),
     audit as (
       insert into api_key_audit (key_id, action, actor, detail)
       select k.id, 'changed', $4, jsonb_build_object(
         'before', jsonb_build_object('name', b.name), 'after', jsonb_build_object('name', k.name))
         || jsonb_strip_nulls(jsonb_build_object('ip', $5::text))
       from k join before b using (id)
     )
     select ${keyColumns} from k`,
    [id, accountId, name, actor.name, actor.ip],
  );
  return rows[0] ?? null;
}

/** Revokes a key. Returns `revoked: false` if it was revoked before, and null if there is no such key. */
export async function revokeKey(
  database: Database,
  reference: KeyReference,
  actor: KeyActor,
): Promise<{ readonly key: KeyRow; readonly revoked: boolean } | null> {
  const { rows } = await database.query<KeyRow>(
    `with k as (
       update api_keys set revoked_at = now()
       where id = $1 and ($2::bigint is null or account_id = $2) and revoked_at is null returning *
     ), audit as (
       insert into api_key_audit (key_id, action, actor, detail)
       select id, 'revoked', $3, jsonb_strip_nulls(jsonb_build_object('ip', $4::text)) from k
     )
     select ${keyColumns} from k`,
    [reference.id, reference.accountId ?? null, actor.name, actor.ip],
  );
  const key = rows[0] ?? (await findKey(database, reference));
  return key === null ? null : { key, revoked: rows.length > 0 };
}

/** Returns a key; null if there is none with this id, or another account owns it. */
export async function findKey(database: Database, { id, accountId }: KeyReference): Promise<KeyRow | null> {
  const { rows } = await database.query<KeyRow>(
    `select ${keyColumns} from api_keys k where k.id = $1 and ($2::bigint is null or k.account_id = $2)`,
    [id, accountId ?? null],
  );
  return rows[0] ?? null;
}
