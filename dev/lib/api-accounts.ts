import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { apiKeyPrefix, generateApiKey } from '../../src/access/api-key.ts';
import { createAccount, createPlan } from '../../src/postgres/access/admin.ts';
import { createKey } from '../../src/postgres/access/key-admin.ts';

type Database = pg.Client | pg.Pool;

/** More calls than any run makes, so that they are counted but never used up. */
const manyCalls = 100_000_000;

export async function createTestAccount(
  database: Database,
  name: string,
  perMinute: number | null,
  perMonth: number | null = manyCalls,
): Promise<{ readonly accountId: number; readonly key: string }> {
  await createPlan(database, name, { callsPerMinute: perMinute, callsPerMonth: perMonth });
  const account = await createAccount(database, name, name, 'test');
  if (account === null) throw new Error(`There is an account ${name} already.`);
  return { accountId: Number(account.id), key: await createTestKey(database, name) };
}

export async function createTestKey(database: Database, account: string): Promise<string> {
  const key = generateApiKey('test', randomBytes);
  await createKey(database, { account, name: apiKeyPrefix(key), key, expiresAt: null }, { name: 'test', ip: null });
  return key;
}
