import type pg from 'pg';
import { apiKeyPrefix, hashApiKey } from '../../access/api-key.ts';
import type { PlanLimits } from '../../access/quota.ts';

// What the command line does to plans, accounts and keys. Missing things are values, not exceptions: a null answer
// means that there is none of that name or id.

type Database = pg.Pool | pg.PoolClient | pg.Client;

/** Null: no limit. */
export interface PlanRow {
  readonly name: string;
  readonly calls_per_minute: number | null;
  readonly calls_per_month: number | null;
  readonly active: boolean;
}

const planColumns = 'name, calls_per_minute, calls_per_month, active';

export async function listPlans(database: Database): Promise<readonly PlanRow[]> {
  const { rows } = await database.query<PlanRow>(`select ${planColumns} from plans order by name`);
  return rows;
}

/** Null where a plan of that name is there already. */
export async function createPlan(database: Database, name: string, limits: PlanLimits): Promise<PlanRow | null> {
  const { rows } = await database.query<PlanRow>(
    `insert into plans (name, calls_per_minute, calls_per_month) values ($1, $2, $3)
     on conflict (name) do nothing returning ${planColumns}`,
    [name, limits.callsPerMinute, limits.callsPerMonth],
  );
  return rows[0] ?? null;
}

/** Changes what is given and leaves the rest; null where there is no such plan. */
export async function changePlan(
  database: Database,
  name: string,
  change: Partial<PlanLimits & { readonly active: boolean }>,
): Promise<PlanRow | null> {
  const { rows } = await database.query<PlanRow>(
    `update plans set
       calls_per_minute = case when $2 then $3::int else calls_per_minute end,
       calls_per_month = case when $4 then $5::bigint else calls_per_month end,
       active = coalesce($6, active),
       updated_at = now()
     where name = $1 returning ${planColumns}`,
    [
      name,
      change.callsPerMinute !== undefined,
      change.callsPerMinute ?? null,
      change.callsPerMonth !== undefined,
      change.callsPerMonth ?? null,
      change.active ?? null,
    ],
  );
  return rows[0] ?? null;
}

export interface AccountRow {
  readonly id: number;
  readonly name: string;
  readonly plan: string;
  readonly active: boolean;
  /** Keys that are neither revoked nor expired. */
  readonly live_keys: number;
}

const accountColumns = `a.id, a.name, a.plan, a.active,
  (select count(*) from api_keys k where k.account_id = a.id and k.revoked_at is null
     and (k.expires_at is null or k.expires_at > now())) as live_keys`;

export async function listAccounts(database: Database): Promise<readonly AccountRow[]> {
  const { rows } = await database.query<AccountRow>(`select ${accountColumns} from accounts a order by a.name`);
  return rows;
}

/** Null where an account of that name is there already. An unknown plan is Postgres's error 23503. */
export async function createAccount(database: Database, name: string, plan: string): Promise<AccountRow | null> {
  const { rows } = await database.query<AccountRow>(
    `insert into accounts as a (name, plan) values ($1, $2) on conflict (name) do nothing returning ${accountColumns}`,
    [name, plan],
  );
  return rows[0] ?? null;
}

/** Changes what is given; null where there is no such account. An unknown plan is Postgres's error 23503. */
export async function changeAccount(
  database: Database,
  name: string,
  change: { readonly plan?: string | undefined; readonly active?: boolean | undefined },
): Promise<AccountRow | null> {
  const { rows } = await database.query<AccountRow>(
    `update accounts a set plan = coalesce($2, plan), active = coalesce($3, active), updated_at = now()
     where name = $1 returning ${accountColumns}`,
    [name, change.plan ?? null, change.active ?? null],
  );
  return rows[0] ?? null;
}

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

/** A key to be; only its hash is stored. */
export interface NewKey {
  readonly account: string;
  readonly name: string;
  readonly key: string;
  readonly expiresAt: Date | null;
}

// Each change and its audit line are one statement, so that neither can be without the other.

/** Null where there is no such account. */
export async function createKey(
  database: Database,
  { account, name, key, expiresAt }: NewKey,
  actor: string,
): Promise<KeyRow | null> {
  const { rows } = await database.query<KeyRow>(
    `with k as (
       insert into api_keys (account_id, name, prefix, hash, expires_at)
       select id, $2, $3, $4, $5 from accounts where name = $1 returning *
     ), audit as (
       insert into api_key_audit (key_id, action, actor, detail)
       select id, 'created', $6, jsonb_build_object('name', name, 'expires_at', expires_at) from k
     )
     select ${keyColumns} from k`,
    [account, name, apiKeyPrefix(key), hashApiKey(key), expiresAt, actor],
  );
  return rows[0] ?? null;
}

/** Ends a key for good. `revoked: false` where it was revoked before; null where there is no such key. */
export async function revokeKey(
  database: Database,
  id: number,
  actor: string,
): Promise<{ readonly key: KeyRow; readonly revoked: boolean } | null> {
  const revoked = await database.query<KeyRow>(
    `with k as (
       update api_keys set revoked_at = now() where id = $1 and revoked_at is null returning *
     ), audit as (
       insert into api_key_audit (key_id, action, actor) select id, 'revoked', $2 from k
     )
     select ${keyColumns} from k`,
    [id, actor],
  );
  const key = revoked.rows[0] ?? (await findKey(database, id));
  return key === undefined ? null : { key, revoked: revoked.rows.length > 0 };
}

/** Changes what is given (`expiresAt: null`: never expires); null where there is no such key. */
export async function changeKey(
  database: Database,
  id: number,
  change: { readonly name?: string | undefined; readonly expiresAt?: Date | null | undefined },
  actor: string,
): Promise<KeyRow | null> {
  const { rows } = await database.query<KeyRow>(
    `with before as (
       select * from api_keys where id = $1 for update
     ), k as (
       update api_keys a set name = coalesce($2, a.name), expires_at = case when $3 then $4::timestamptz else a.expires_at end
       from before b where a.id = b.id returning a.*
     ), audit as (
       insert into api_key_audit (key_id, action, actor, detail)
       select k.id, 'changed', $5, jsonb_build_object(
         'before', jsonb_build_object('name', b.name, 'expires_at', b.expires_at),
         'after', jsonb_build_object('name', k.name, 'expires_at', k.expires_at))
       from k join before b on b.id = k.id
     )
     select ${keyColumns} from k`,
    [id, change.name ?? null, change.expiresAt !== undefined, change.expiresAt ?? null, actor],
  );
  return rows[0] ?? null;
}

async function findKey(database: Database, id: number): Promise<KeyRow | undefined> {
  const { rows } = await database.query<KeyRow>(`select ${keyColumns} from api_keys k where k.id = $1`, [id]);
  return rows[0];
}
