import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { createClockedDatabase } from '../../../support/engines/clocked-database.ts';
import { forFile } from '../../../support/for-file.ts';
import { type Difference, difference, firstDifference } from '../../../support/payments/ledger-compare.ts';
import { crowd, stories } from '../../../support/payments/ledger-stories.ts';

// The explorer runs the payment code over a ledger in memory (dev/explore/payments/ledger.ts). Its proofs hold for
// Postgres only as far as the two behave alike.

/** Lists of some 30 commands each. */
const runs = 40;

const told = [...stories, crowd(18)];

const database = await forFile(createClockedDatabase());

describe('the simulated ledger and the real one answer alike and keep the same rows', () => {
  test('whatever is asked of them', async () => {
    expect(await firstDifference(runs, 13, database)).toBeNull();
  });

  const seed = randomInt(2 ** 31);
  test(`whatever else is asked of them (seed ${seed})`, async () => {
    expect(await firstDifference(runs, seed, database)).toBeNull();
  });

  test.each(told)('in story %#', async (...commands) => {
    expect(await difference(commands, database)).toBeNull();
  });
});

/** A statement of the real ledger that is wrong, and what is wrong about it. */
const wrongStatements: readonly (readonly [title: string, from: string, to: string])[] = [
  ['the observer looks in the order of ids', 'order by p.looked_at nulls first, p.id', 'order by p.id'],
  [
    'delivery is noted on settled rows only',
    'delivered_at = coalesce(delivered_at, now()), updated_at = now() where id = $1',
    "delivered_at = coalesce(delivered_at, now()), updated_at = now() where id = $1 and status = 'settled'",
  ],
  [
    'a change does not compare who holds the row',
    'where id = $1 and status = $2 and lease_owner is not distinct from $3::uuid',
    'where id = $1 and status = $2 and ($3::uuid is null or true)',
  ],
  [
    'a change does not compare the status',
    'and status = $2 and lease_owner is not distinct',
    "and ($2::text <> '') and lease_owner is not distinct",
  ],
  [
    'a row is taken that somebody works on',
    'and (p.lease_until is null or p.lease_until < now())\n      returning',
    'returning',
  ],
  ['the observer sees rows that somebody works on', '(p.lease_until is null or p.lease_until < now()) and ($4', '($4'],
  [
    'released rows are not looked at any more',
    "or (p.status = 'released' and p.valid_before < extract(epoch from now()))",
    'or false',
  ],
  ['an answer is forgotten by the next change', 'body = coalesce($6, body)', 'body = $6'],
  ['a lease is renewed by anybody', 'where id = $1 and lease_owner = $2', 'where id = $1 and $2::uuid is not null'],
];

/** Possible defects of the claim's function. */
const wrongClaims: readonly (readonly [title: string, from: string, to: string])[] = [
  ['the balance is not compared', "(claim #>> '{onChain,affordable}')::int <= reserved", 'false'],
  ['payments that landed since are forgotten', "p.block > (claim #>> '{onChain,block}')::bigint", 'false'],
  ['a spent authorization meets other payments', 'if not spent then', 'if spent is not null then'],
  [
    'a delivered answer is not repeated',
    'p.body is not null and p.delivered_at > now()',
    'false and p.delivered_at > now()',
  ],
  [
    'what was given up is met before what is paid',
    "when 'settled' then 1 when 'released' then 2",
    "when 'settled' then 2 when 'released' then 1",
  ],
  ['unsettled payments are without limit', "(settings ->> 'unsettledMax')::int", '1000'],
];

async function anyDifference(pool?: pg.Pool): Promise<Difference | null> {
  for (const commands of told) {
    const found = await difference(commands, database, pool);
    if (found !== null) return found;
  }
  return firstDifference(runs, 13, database, { shortest: false, ...(pool !== undefined && { pool }) });
}

describe('a defective real ledger is detected:', () => {
  test.each(wrongStatements)('%s', async (title, from, to) => {
    let replaced = 0;
    const query = (config: pg.QueryConfig): Promise<pg.QueryResult> => {
      if (!config.text.includes(from)) return database.pool.query(config);
      replaced += 1;
      return database.pool.query({ ...config, name: title, text: config.text.replace(from, to) });
    };
    // The ledger uses a pool only for this.
    const wrong = { query } as unknown as pg.Pool;
    expect(await anyDifference(wrong)).not.toBeNull();
    expect(replaced).toBeGreaterThan(0);
  });

  test('two purchases of the same are open', async () => {
    const index = 'x402_payments_open';
    const { rows } = await database.pool.query<{ indexdef: string }>(
      'select indexdef from pg_indexes where indexname = $1',
      [index],
    );
    await database.pool.query(`drop index ${index}`);
    const found = await anyDifference();
    await database.empty(0);
    await database.pool.query(rows[0]?.indexdef ?? '');
    expect(found).not.toBeNull();
  });

  test.each(wrongClaims)('%s', async (_title, from, to) => {
    const { rows } = await database.pool.query<{ text: string }>(
      "select pg_get_functiondef(oid) as text from pg_proc where proname = 'x402_claim' and pronargs = 2",
    );
    const right = rows[0]?.text ?? '';
    expect(right.split(from)).toHaveLength(2);
    try {
      await database.pool.query(right.replace(from, () => to));
      expect(await anyDifference()).not.toBeNull();
    } finally {
      await database.pool.query(right);
    }
  });
});
