import type { Pool } from 'pg';
import type { AccountData } from './account/data.ts';
import type { ConsoleConfig } from './config/console.ts';
import { createAccountKeys } from './postgres/account/keys.ts';

/** A statement of the account page that takes longer counts as failed, in milliseconds. */
const statementTimeoutMs = 3_000;

/** What the pages of an account show and change, in Postgres. */
export function connectAccountData(config: ConsoleConfig, pool: Pool): AccountData {
  return { keys: createAccountKeys(pool, { liveMax: config.max.keys, timeoutMs: statementTimeoutMs }) };
}
