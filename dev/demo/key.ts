import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { generateApiKey, hashApiKey } from '../../src/access/api-key.ts';
import { changePlan, createAccount, createPlan } from '../../src/postgres/access/admin.ts';
import { createKey } from '../../src/postgres/access/key-admin.ts';
import { readOptional, writeWhole } from '../lib/state.ts';
import type { DemoConfig } from './config.ts';

/** The plan of the demo's key, and of accounts that wallets open. */
export const demoPlan = 'demo';
const account = 'demo';

/**
 * Returns a live key of the account `demo` on the plan `demo`, which has no limit unless DEMO_LIMIT_PER_MINUTE sets
 * one. The key is kept in the state folder, readable by its owner only, and used again while it is valid.
 */
export async function demoKey(config: DemoConfig, databaseUrl: string): Promise<string> {
  const database = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await database.connect();
  try {
    const limits = { callsPerMinute: config.limitPerMinute, callsPerMonth: null };
    (await createPlan(database, demoPlan, limits)) ??
      (await changePlan(database, demoPlan, { ...limits, active: true }));
    await createAccount(database, account, demoPlan, 'npm run demo');
    const file = join(config.state, 'api-key');
    const kept = readOptional(file);
    if (kept !== undefined && (await isGood(database, kept))) return kept;
    const key = generateApiKey('live', randomBytes);
    const row = { account, name: account, key, expiresAt: null };
    await createKey(database, row, { name: 'npm run demo', ip: null });
    writeWhole(file, key);
    return key;
  } finally {
    await database.end();
  }
}

async function isGood(database: pg.Client, key: string): Promise<boolean> {
  const { rowCount } = await database.query(
    `select from api_keys k join accounts a on a.id = k.account_id
     where k.hash = $1 and k.revoked_at is null and k.expires_at is null and a.name = $2 and a.plan = $3 and a.active`,
    [hashApiKey(key), account, demoPlan],
  );
  return rowCount === 1;
}
