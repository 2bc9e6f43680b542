import type pg from 'pg';
import type { Check } from '../check.ts';
import { ok, type Verdict, warn } from '../finding.ts';

/** Checks that some account may search, and that one of them has a key. Members of others may only use the pages. */
export function accountsCheck(pool: pg.Pool): Check {
  return {
    name: 'accounts and keys',
    notAllowed: 'This role has no right to read them. Run doctor as entity_search_admin or the owner.',
    run: () => checkAccounts(pool),
  };
}

async function checkAccounts(pool: pg.Pool): Promise<Verdict> {
  const { rows } = await pool.query<{ hasKey: boolean }>(
    `select exists (select from api_keys k where k.account_id = a.id and k.revoked_at is null
                      and (k.expires_at is null or k.expires_at > now())) as "hasKey"
     from accounts a join plans p on p.name = a.plan where a.active and p.active`,
  );
  const todo = 'Run: entity-search accounts create NAME --plan starter';
  if (rows.length === 0) return warn('No account is active, so all searches are refused.', todo);
  const withKeys = rows.filter(({ hasKey }) => hasKey).length;
  return withKeys === 0
    ? warn('No active account has a key that works.', 'Run: entity-search keys create --account NAME --name …')
    : ok(`${withKeys} of ${rows.length} active account(s) have a key.`);
}
