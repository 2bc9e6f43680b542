import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { Purpose } from '../../../src/account/answers.ts';
import type { GivenChallenge } from '../../../src/account/credentials.ts';
import type { NewSession } from '../../../src/account/ports.ts';
import { hashToken, newToken } from '../../../src/account/tokens.ts';
import { createChallengeStore } from '../../../src/postgres/account/challenges.ts';
import { accountDatabase } from '../../../src/postgres/account/transaction.ts';
import { readValue } from '../engines/read-value.ts';

// Rows of accounts that tests start from.

const timeoutMs = 5_000;

export const newAddress = (): `0x${string}` => `0x${randomBytes(20).toString('hex')}`;
export const newSession = (): NewSession => ({
  hash: hashToken(newToken()),
  replaces: null,
  ip: '127.0.0.1',
  userAgent: 'test',
});

export async function newChallenge(pool: pg.Pool, purpose: Purpose, accountId: number | null): Promise<GivenChallenge> {
  const content = newToken();
  const challenge = {
    hash: hashToken(content),
    browser: randomBytes(32),
    purpose,
    method: 'wallet',
    accountId,
  } as const;
  await createChallengeStore(accountDatabase(pool, timeoutMs)).add(challenge, content, 60_000);
  return challenge;
}

export async function newAccount(pool: pg.Pool, wallets: readonly string[] = []): Promise<number> {
  const id = Number(
    await readValue<number>(pool, `insert into accounts (name, plan) values ($1, 'starter') returning id`, [
      newToken(),
    ]),
  );
  await pool.query('insert into account_wallets (account_id, address) select $1, unnest($2::text[])', [id, wallets]);
  return id;
}

/** A session that may make one change. */
export async function confirmedSession(pool: pg.Pool, accountId: number): Promise<number> {
  return Number(
    await readValue<number>(
      pool,
      `insert into account_sessions (account_id, hash, method, ip, user_agent, expires_at, confirmed_until)
     values ($1, $2, 'wallet', '', '', now() + interval '1 day', now() + interval '5 minutes') returning id`,
      [accountId, randomBytes(32)],
    ),
  );
}

export const countRows = (pool: pg.Pool, table: string, accountId: number) =>
  readValue<number>(pool, `select count(*)::int as count from ${table} where account_id = $1`, [accountId]);
