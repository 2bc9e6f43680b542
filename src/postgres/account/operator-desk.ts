import { callDaysMax } from '../../access/calls.ts';
import type { OperatorAccount, OperatorAccountDetail } from '../../account/answers.ts';
import type { GenerationState, LedgerOverview, OperatorAct, PaymentSum } from '../../account/ports.ts';
import { isoTimestamp } from '../../lib/iso-timestamp.ts';
import { listPlans } from '../access/admin.ts';
import { readCallCounts } from '../access/call-counts.ts';
import { listAccountKeys, revokeKey } from '../access/key-admin.ts';
import type { Database } from '../statements.ts';
import { addEvent, type EventAction } from './events.ts';
import { toAccountKey } from './keys.ts';
import type { AccountDatabase } from './transaction.ts';

const accountColumns = `a.id, a.name, a.plan, a.role, a.active, ${isoTimestamp('a.created_at')} as created_at,
  (select count(*) from api_keys k where k.account_id = a.id and k.revoked_at is null
     and (k.expires_at is null or k.expires_at > now())) as live_keys,
  coalesce((select m.used from account_months m where m.account_id = a.id
     and m.month = date_trunc('month', now() at time zone 'UTC')::date), 0) as used_this_month`;

/**
 * Creates the data and actions of operators in Postgres. Null means that there is no such account or key. A change and
 * the account's event are one transaction.
 */
export function createOperatorDesk({ run, change }: AccountDatabase) {
  return {
    accounts: (text: string | null, after: number, limit: number) =>
      run((database) => listOperatorAccounts(database, text, after, limit)),
    account: (id: number) =>
      run(async (database): Promise<OperatorAccountDetail | null> => {
        const account = await findAccount(database, id);
        if (account === null) return null;
        const keys = await listAccountKeys(database, id);
        const calls = await readCallCounts(database, id, callDaysMax);
        return { account, keys: keys.map(toAccountKey), calls: [...calls], plans: [...(await listPlans(database))] };
      }),
    index: () => run(readGenerations),
    ledger: () => run(readLedgerOverview),
    suspend: (act: OperatorAct, suspended: boolean) =>
      change(async (connection) => {
        const { rows } = await connection.query(
          `update accounts set active = not $2::boolean, updated_at = now()
           where id = $1 and active = $2::boolean returning id`,
          [act.accountId, suspended],
        );
        if (rows.length > 0) await note(connection, act, suspended ? 'suspended' : 'reinstated', {});
        return findAccount(connection, act.accountId);
      }),
    /** Returns `no plan` if there is no active plan of that name. */
    changePlan: (act: OperatorAct, plan: string) =>
      change(async (connection): Promise<OperatorAccount | 'no plan' | null> => {
        const { rows: plans } = await connection.query('select from plans where name = $1 and active', [plan]);
        if (plans.length === 0) return 'no plan';
        const { rows } = await connection.query<{ plan: string }>(
          `update accounts a set plan = $2, updated_at = now()
           from (select id, plan from accounts where id = $1 for update) as before
           where a.id = before.id and before.plan <> $2 returning before.plan`,
          [act.accountId, plan],
        );
        const [before] = rows;
        if (before !== undefined) await note(connection, act, 'plan_changed', { before: before.plan, after: plan });
        return findAccount(connection, act.accountId);
      }),
    revokeKey: (keyId: number, { operatorId, actor }: Omit<OperatorAct, 'accountId'>) =>
      change(async (connection) => {
        // The account sees the key's audit line.
        const found = await revokeKey(connection, { id: keyId }, { name: actor.name, ip: null });
        if (found === null) return null;
        const { account, prefix } = found.key;
        if (found.revoked) await addEvent(connection, operatorId, 'operator_revoked_key', actor, { account, prefix });
        return toAccountKey(found.key);
      }),
  };
}

/** @param text part of a name, or a whole wallet address; null: all */
async function listOperatorAccounts(
  database: Database,
  text: string | null,
  after: number,
  limit: number,
): Promise<readonly OperatorAccount[]> {
  const { rows } = await database.query<OperatorAccount>(
    `select ${accountColumns} from accounts a
     where a.id > $2 and ($1::text is null or strpos(lower(a.name), lower($1)) > 0
       or a.id in (select w.account_id from account_wallets w where w.address = lower($1)))
     order by a.id limit $3`,
    [text, after, limit],
  );
  return rows;
}

async function findAccount(database: Database, id: number): Promise<OperatorAccount | null> {
  const { rows } = await database.query<OperatorAccount>(`select ${accountColumns} from accounts a where a.id = $1`, [
    id,
  ]);
  return rows[0] ?? null;
}

/** Adds an event of the account, without the operator's address, and an event of the operator. */
async function note(
  connection: Database,
  { accountId, operatorId, actor }: OperatorAct,
  action: EventAction,
  detail: Readonly<Record<string, string>>,
): Promise<void> {
  await addEvent(connection, accountId, action, { name: actor.name, ip: null }, detail);
  await addEvent(connection, operatorId, 'operator_changed_account', actor, {
    account_id: accountId,
    change: action,
    ...detail,
  });
}

/** Returns the state of the indices according to Postgres. */
async function readGenerations(database: Database): Promise<readonly GenerationState[]> {
  const { rows } = await database.query<GenerationState>(
    `select g.kind, g.index_name as index, g.state, g.state = 'live' as searched, g.halted,
            case when g.halted is null then lag.pending end as pending,
            case when g.halted is null then lag.seconds end as lag_seconds,
            (select count(*) from search_dead_letters l where l.generation_id = g.id) as dead_letters,
            (select json_build_object('at', ${isoTimestamp('v.at')}, 'outcome', v.outcome, 'differences', v.differences)
             from search_verifications v where v.generation = g.index_name) as verification,
            ${isoTimestamp('g.created_at')} as created_at
     from search_generations g left join search_lag lag on lag.generation_id = g.id
     where g.ended_at is null order by g.kind, g.number desc`,
    [],
  );
  return rows;
}

/** Returns the figures of the ledger, and the time of its last comparison with the chain. */
async function readLedgerOverview(database: Database): Promise<LedgerOverview> {
  const { rows: sums } = await database.query<PaymentSum>(
    `select status, network, asset, count(*) as count, sum(amount)::text as amount from x402_payments
     group by status, network, asset order by status, network, asset`,
    [],
  );
  const { rows } = await database.query<Omit<LedgerOverview, 'sums'>>(
    `select ${isoTimestamp('a.finished_at')} as audited_at, a.recipients,
            (select count(*) from x402_audit_findings where resolved_at is null and acknowledged_at is null) as open_findings
     from (
       select case when bool_and(finished_at is not null) then min(finished_at) end as finished_at, count(*) as recipients
       from x402_recipients
     ) as a`,
    [],
  );
  const [audit = { audited_at: null, recipients: 0, open_findings: 0 }] = rows;
  return { sums, ...audit };
}
