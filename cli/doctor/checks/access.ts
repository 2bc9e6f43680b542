import type pg from 'pg';
import type { Check } from '../check.ts';
import { ok, type Verdict, warn } from '../finding.ts';

/** Checks that some account may search, and that each has a key. */
export function accountsCheck(pool: pg.Pool): Check {
  return {
    name: 'accounts and keys',
    notAllowed: 'This role has no right to read them. Run doctor as entity_search_admin or the owner.',
    run: () => checkAccounts(pool),
  };
}

async function checkAccounts(pool: pg.Pool): Promise<Verdict | readonly Verdict[]> {
  const { rows } = await pool.query<{ name: string; hasKey: boolean }>(
    `select a.name, exists (select from api_keys k where k.account_id = a.id and k.revoked_at is null
                              and (k.expires_at is null or k.expires_at > now())) as "hasKey"
     from accounts a join plans p on p.name = a.plan where a.active and p.active order by a.name`,
  );
  if (rows.length === 0) {
    return warn(
      'No account is active, so all searches are refused.',
      'Run: entity-search accounts create NAME --plan starter',
    );
  }
  const verdicts = rows
    .filter(({ hasKey }) => !hasKey)
    .map(({ name }) =>
      warn(`${name} has no key that works.`, `Run: entity-search keys create --account "${name}" --name …`),
    );
  return verdicts.length > 0 ? verdicts : ok(`${rows.length} active account(s), each with a key.`);
}
