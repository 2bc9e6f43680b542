import type pg from 'pg';
import type { PlanLimits } from '../../access/quota.ts';
import type { Database as Statements } from '../statements.ts';

// Changes plans and accounts for the command line. Functions return null if there is nothing of that name.

type Database = pg.Pool | pg.PoolClient | pg.Client;

/** Null: no limit. */
export interface PlanRow {
  readonly name: string;
  readonly calls_per_minute: number | null;
  readonly calls_per_month: number | null;
  readonly active: boolean;
}

const planColumns = 'name, calls_per_minute, calls_per_month, active';

export async function listPlans(database: Statements): Promise<readonly PlanRow[]> {
  const { rows } = await database.query<PlanRow>(`select ${planColumns} from plans order by name`, []);
  return rows;
}

export async function createPlan(database: Database, name: string, limits: PlanLimits): Promise<PlanRow | null> {
  const { rows } = await database.query<PlanRow>(
    `insert into plans (name, calls_per_minute, calls_per_month) values ($1, $2, $3)
     on conflict (name) do nothing returning ${planColumns}`,
    [name, limits.callsPerMinute, limits.callsPerMonth],
  );
  return rows[0] ?? null;
}

/** Changes the given values and leaves the rest. Returns null if there is no such plan. */
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
  readonly role: 'member' | 'operator';
  readonly active: boolean;
  /** Keys that are neither revoked nor expired. */
  readonly live_keys: number;
}

const accountColumns = `a.id, a.name, a.plan, a.role, a.active,
  (select count(*) from api_keys k where k.account_id = a.id and k.revoked_at is null
     and (k.expires_at is null or k.expires_at > now())) as live_keys`;

export async function listAccounts(database: Database): Promise<readonly AccountRow[]> {
  const { rows } = await database.query<AccountRow>(`select ${accountColumns} from accounts a order by a.name`);
  return rows;
}

// A change of an account and its events are one statement, so that neither can exist without the other.

/** Returns null if there is an account of that name already. An unknown plan is Postgres's error 23503. */
export async function createAccount(
  database: Database,
  name: string,
  plan: string,
  actor: string,
): Promise<AccountRow | null> {
  const { rows } = await database.query<AccountRow>(
    `with a as (
       insert into accounts (name, plan) values ($1, $2) on conflict (name) do nothing returning *
     ), event as (
       insert into account_events (account_id, actor, action, detail)
       select id, $3, 'account_created', jsonb_build_object('plan', plan) from a
     )
     select ${accountColumns} from a`,
    [name, plan, actor],
  );
  return rows[0] ?? null;
}

/** The parts of an account that the command line may change. */
export interface AccountChange {
  readonly plan?: string | undefined;
  readonly active?: boolean | undefined;
  readonly role?: AccountRow['role'] | undefined;
}

/** Changes the given values. Returns null if there is no such account. An unknown plan is Postgres's error 23503. */
export async function changeAccount(
  database: Database,
  name: string,
  change: AccountChange,
  actor: string,
): Promise<AccountRow | null> {
  const { rows } = await database.query<AccountRow>(
    `with before as (
       select * from accounts where name = $1 for update
     ), a as (
       update accounts x set plan = coalesce($2, x.plan), active = coalesce($3, x.active), role = coalesce($4, x.role),
         updated_at = now()
       from before b where x.id = b.id returning x.*
     ), event as (
       insert into account_events (account_id, actor, action, detail)
       select a.id, $5, e.action, e.detail from a join before b on b.id = a.id cross join lateral (values
         (a.plan <> b.plan, 'plan_changed', jsonb_build_object('before', b.plan, 'after', a.plan)),
         (a.role <> b.role, 'role_changed', jsonb_build_object('before', b.role, 'after', a.role)),
         (a.active <> b.active, case when a.active then 'reinstated' else 'suspended' end, '{}'::jsonb)
       ) as e (happened, action, detail) where e.happened
     )
     select ${accountColumns} from a`,
    [name, change.plan ?? null, change.active ?? null, change.role ?? null, actor],
  );
  return rows[0] ?? null;
}

/** Returns null if there is no account of that name. */
export async function findAccountId(database: Database, name: string): Promise<number | null> {
  const { rows } = await database.query<{ id: number }>('select id from accounts where name = $1', [name]);
  return rows[0]?.id ?? null;
}
