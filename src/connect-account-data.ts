import type { Pool } from 'pg';
import type { AccountData } from './account/data.ts';
import type { ConsoleConfig } from './config/console.ts';
import { readCallCounts } from './postgres/access/call-counts.ts';
import { createAccountKeys } from './postgres/account/keys.ts';
import { createOperatorDesk } from './postgres/account/operator-desk.ts';
import { createAccountPayments } from './postgres/account/payments.ts';
import { stored } from './postgres/account/transaction.ts';
import { withTimeout } from './postgres/statements.ts';

/** A statement of the account page that takes longer counts as failed, in milliseconds. */
const statementTimeoutMs = 3_000;

/** What the pages of an account show and change, in Postgres. */
export function connectAccountData(config: ConsoleConfig, pool: Pool): AccountData {
  const timeoutMs = statementTimeoutMs;
  const database = withTimeout(pool, timeoutMs);
  return {
    keys: createAccountKeys(pool, { liveMax: config.max.keys, timeoutMs }),
    payments: createAccountPayments(pool, timeoutMs),
    operator: createOperatorDesk(pool, timeoutMs),
    callCounts: { read: (accountId, days) => stored(() => readCallCounts(database, accountId, days)) },
  };
}
