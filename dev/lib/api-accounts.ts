import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { apiKeyPrefix, generateApiKey, hashApiKey } from '../../src/access/api-key.ts';

type Database = pg.ClientBase | pg.Pool;

/** More than any run makes: calls are counted and never used up. */
const manyCalls = 100_000_000;

/** A new account on a plan of its own, both of one name, and a living key of it. Null: no limit. */
export async function createAccount(
  database: Database,
  name: string,
  perMinute: number | null,
  perMonth: number | null = manyCalls,
): Promise<{ readonly accountId: number; readonly key: string }> {
  await database.query('insert into plans (name, calls_per_minute, calls_per_month) values ($1, $2, $3)', [
    name,
    perMinute,
    perMonth,
  ]);
  const { rows } = await database.query('insert into accounts (name, plan) values ($1, $1) returning id::int', [name]);
  const accountId = Number(rows[0]?.id);
  return { accountId, key: await createKey(database, accountId) };
}

/** A new key of an account. */
export async function createKey(database: Database, accountId: number): Promise<string> {
  const key = generateApiKey('test', randomBytes);
  await database.query('insert into api_keys (account_id, name, prefix, hash) values ($1, $2, $2, $3)', [
    accountId,
    apiKeyPrefix(key),
    hashApiKey(key),
  ]);
  return key;
}
