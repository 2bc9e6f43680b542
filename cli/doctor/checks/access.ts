import type pg from 'pg';
import type { Check } from '../check.ts';
import { ok, type Verdict, warn } from '../finding.ts';

/** Checks for accounts whose calls are refused, or soon will be. */
export function accountsCheck(pool: pg.Pool): Check {
  return {
    name: 'plans and accounts',
    notAllowed: 'This role may not see them; run doctor with the role entity_search_admin or the owner.',
    run: () => checkAccounts(pool),
  };
}

interface AccountRow {
  readonly name: string;
  readonly plan: string;
  readonly planActive: boolean;
  readonly used: number;
  readonly allowed: number | null;
  readonly liveKeys: number;
  readonly expiringKeys: number;
}

/** The part of the month's calls from which doctor warns. */
const nearLimit = 0.9;

async function checkAccounts(pool: pg.Pool): Promise<Verdict | readonly Verdict[]> {
  const { rows } = await pool.query<AccountRow>(
    `select a.name, p.name as plan, p.active as "planActive", p.calls_per_month as allowed, coalesce(m.used, 0) as used,
            (select count(*) from api_keys k where k.account_id = a.id and k.revoked_at is null
              and (k.expires_at is null or k.expires_at > now())) as "liveKeys",
            (select count(*) from api_keys k where k.account_id = a.id and k.revoked_at is null
              and k.expires_at between now() and now() + interval '7 days') as "expiringKeys"
     from accounts a join plans p on p.name = a.plan
     left join account_months m on m.account_id = a.id and m.month = date_trunc('month', now() at time zone 'UTC')::date
     where a.active order by a.name`,
  );
  if (rows.length === 0) {
    return warn('No account is active, so all searches are refused.', 'Run: entity-search accounts create NAME');
  }
  const verdicts = rows.flatMap(judgeAccount);
  return verdicts.length > 0 ? verdicts : ok(`${rows.length} active account(s), all within their plans.`);
}

function judgeAccount(row: AccountRow): readonly Verdict[] {
  const { name, plan, allowed, used } = row;
  const verdicts: Verdict[] = [];
  if (!row.planActive) {
    const todo = `Run: entity-search plans change ${plan} --active, or move the account: entity-search accounts change "${name}" --plan …`;
    verdicts.push(warn(`${name} is on the plan ${plan}, which is not active: its calls are refused.`, todo));
  }
  if (allowed !== null && used >= nearLimit * allowed) {
    const todo = `Run: entity-search accounts change "${name}" --plan …, or raise the plan's limit.`;
    verdicts.push(warn(`${name} has used ${used} of ${allowed} calls of this month.`, todo));
  }
  if (row.liveKeys === 0) {
    const todo = `Run: entity-search keys create --account "${name}" --name …`;
    verdicts.push(warn(`${name} has no key that works.`, todo));
  }
  if (row.expiringKeys > 0) {
    const todo = `See entity-search keys list --account "${name}", and hand over the next one.`;
    verdicts.push(warn(`${row.expiringKeys} key(s) of ${name} end within a week.`, todo));
  }
  return verdicts;
}
