import type pg from 'pg';
import { codeOf } from '../../../indexer/errors.ts';
import { type Check, type Finding, ok, skipped, warn } from '../finding.ts';
import { ledgerFindings, ledgerName } from './ledger.ts';

/** Insufficient privilege: the indexer's role, for one, may not see accounts. */
const notAllowed = '42501';
const hint = 'This role may not see them; run doctor with the role entity_search_admin or the owner.';

/**
 * Who is about to be refused, and what is wrong with the payments.
 * @param network the one of which a node is configured; null where nothing is said of payments
 */
export function accessChecks(pool: pg.Pool, network: string | null): readonly Check[] {
  return [
    { name: 'plans and accounts', look: () => asFarAsAllowed('plans and accounts', () => accounts(pool)) },
    { name: ledgerName, look: () => asFarAsAllowed(ledgerName, () => ledgerFindings(pool, network)) },
  ];
}

async function asFarAsAllowed(check: string, look: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    if (codeOf(error) === notAllowed) return [skipped(check, hint)];
    throw error;
  }
}

interface AccountRow {
  readonly name: string;
  readonly plan: string;
  readonly planActive: boolean;
  readonly used: number;
  readonly allowed: number | null;
  readonly livingKeys: number;
  readonly keysThatEndSoon: number;
}

/** From this part of the month's calls on. */
const nearLimit = 0.9;

async function accounts(pool: pg.Pool): Promise<readonly Finding[]> {
  const check = 'plans and accounts';
  const { rows } = await pool.query<AccountRow>(
    `select a.name, p.name as plan, p.active as "planActive", p.calls_per_month as allowed, coalesce(m.used, 0) as used,
            (select count(*) from api_keys k where k.account_id = a.id and k.revoked_at is null
              and (k.expires_at is null or k.expires_at > now())) as "livingKeys",
            (select count(*) from api_keys k where k.account_id = a.id and k.revoked_at is null
              and k.expires_at between now() and now() + interval '7 days') as "keysThatEndSoon"
     from accounts a join plans p on p.name = a.plan
     left join account_months m on m.account_id = a.id and m.month = date_trunc('month', now() at time zone 'UTC')::date
     where a.active order by a.name`,
  );
  if (rows.length === 0) {
    return [warn(check, 'Nobody can search: there is no active account.', 'Run: entity-search accounts create NAME')];
  }
  const findings = rows.flatMap((row) => judge(check, row));
  return findings.length > 0 ? findings : [ok(check, `${rows.length} active account(s), all within their plans.`)];
}

function judge(check: string, row: AccountRow): readonly Finding[] {
  const { name, plan, allowed, used } = row;
  const findings: Finding[] = [];
  if (!row.planActive) {
    const todo = `Run: entity-search plans change ${plan} --active, or move the account: entity-search accounts change "${name}" --plan …`;
    findings.push(warn(check, `${name} is on the plan ${plan}, which is not active: its calls are refused.`, todo));
  }
  if (allowed !== null && used >= nearLimit * allowed) {
    const todo = `Run: entity-search accounts change "${name}" --plan …, or raise the plan's limit.`;
    findings.push(warn(check, `${name} has used ${used} of ${allowed} calls of this month.`, todo));
  }
  if (row.livingKeys === 0) {
    const todo = `Run: entity-search keys create --account "${name}" --name …`;
    findings.push(warn(check, `${name} has no key that works.`, todo));
  }
  if (row.keysThatEndSoon > 0) {
    const todo = `See entity-search keys list --account "${name}", and hand over the next one.`;
    findings.push(warn(check, `${row.keysThatEndSoon} key(s) of ${name} end within a week.`, todo));
  }
  return findings;
}
