import type pg from 'pg';
import type { PlanLimits } from '../../access/quota.ts';

// What the command line does to plans and accounts. Missing things are values, not exceptions: a null answer
// means that there is none of that name.

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

/** Null where there is no account of that name. */
export async function findAccountId(database: Database, name: string): Promise<number | null> {
  const { rows } = await database.query<{ id: number }>('select id from accounts where name = $1', [name]);
  return rows[0]?.id ?? null;
}
