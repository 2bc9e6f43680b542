import type { Pool } from 'pg';
import type { AccountPorts } from './account/ports.ts';
import type { ConsoleConfig } from './config/console.ts';
import { createSessionStore } from './postgres/account/sessions.ts';

/** A statement of the account page that takes longer counts as failed, in milliseconds. */
const statementTimeoutMs = 3_000;

/** What the account page needs from Postgres. */
export function connectAccount(config: ConsoleConfig, pool: Pool): AccountPorts {
  return { sessions: createSessionStore(pool, { ...config.sessions, timeoutMs: statementTimeoutMs }) };
}
