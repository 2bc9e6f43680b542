import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { generateApiKey, hashApiKey } from '../../src/access/api-key.ts';
import { changePlan, createAccount, createKey, createPlan } from '../../src/postgres/access/admin.ts';
import { readOptional, writeWhole } from '../lib/state.ts';
import type { DemoConfig } from './config.ts';

const name = 'demo';

/**
 * A live key of the account `demo` on the plan `demo`, which has no limit unless DEMO_LIMIT_PER_MINUTE sets one. The
 * key of an earlier run is kept in the state folder, readable by its owner only, and used again while it is good.
 */
export async function demoKey(config: DemoConfig, databaseUrl: string): Promise<string> {
  const database = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await database.connect();
  try {
    const limits = { callsPerMinute: config.limitPerMinute, callsPerMonth: null };
    (await createPlan(database, name, limits)) ?? (await changePlan(database, name, { ...limits, active: true }));
    await createAccount(database, name, name);
    const file = join(config.state, 'api-key');
    const kept = readOptional(file);
    if (kept !== undefined && (await isGood(database, kept))) return kept;
    const key = generateApiKey('live', randomBytes);
    const row = { account: name, name, key, expiresAt: null };
    await createKey(database, row, 'npm run demo');
    writeWhole(file, key);
    return key;
  } finally {
    await database.end();
  }
}

async function isGood(database: pg.Client, key: string): Promise<boolean> {
  const { rowCount } = await database.query(
    `select from api_keys k join accounts a on a.id = k.account_id
     where k.hash = $1 and k.revoked_at is null and k.expires_at is null and a.name = $2 and a.plan = $2 and a.active`,
    [hashApiKey(key), name],
  );
  return rowCount === 1;
}
