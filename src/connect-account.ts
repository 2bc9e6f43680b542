import type { Pool } from 'pg';
import type { AccountData } from './account/data.ts';
import type { ConsoleConfig } from './config/console.ts';
import { readCallCounts } from './postgres/access/call-counts.ts';
import { createChallengeStore } from './postgres/account/challenges.ts';
import { createCredentialStore } from './postgres/account/credentials.ts';
import { createEventStore } from './postgres/account/events.ts';
import { createInvitationStore } from './postgres/account/invitations.ts';
import { createAccountKeys } from './postgres/account/keys.ts';
import { createOperatorDesk } from './postgres/account/operator-desk.ts';
import { createPasskeyStore } from './postgres/account/passkeys.ts';
import { createAccountPayments } from './postgres/account/payments.ts';
import { createSessionList } from './postgres/account/session-list.ts';
import { createSessionStore } from './postgres/account/sessions.ts';
import { createSignInStore } from './postgres/account/sign-in.ts';
import { stored } from './postgres/account/transaction.ts';
import { withStatementTimeout } from './postgres/statements.ts';
import { createContractWallets } from './x402/contract-wallets.ts';

/** A statement of the account page that takes longer counts as failed, in milliseconds. */
const statementTimeoutMs = 3_000;

/** Connects the account page to Postgres and the chain. */
export function connectAccount(config: ConsoleConfig, pool: Pool): AccountData {
  const { sessions, max, rpcUrl, rpcTimeoutMs } = config;
  const timeoutMs = statementTimeoutMs;
  const database = withStatementTimeout(pool, timeoutMs);
  return {
    sessions: createSessionStore(pool, { ...sessions, timeoutMs }),
    sessionList: createSessionList(pool, sessions.idleMs, timeoutMs),
    challenges: createChallengeStore(pool, timeoutMs),
    invitations: createInvitationStore(pool, { sessions, max, timeoutMs }),
    passkeys: createPasskeyStore(pool, timeoutMs),
    credentials: createCredentialStore(pool, { max, confirmedMs: sessions.confirmedMs, timeoutMs }),
    events: createEventStore(pool, timeoutMs),
    signIn: createSignInStore(pool, { sessions, timeoutMs }),
    contractWallets:
      rpcUrl === undefined ? null : createContractWallets({ url: rpcUrl, timeoutMs: rpcTimeoutMs }, config.chainId),
    keys: createAccountKeys(pool, { liveMax: max.keys, timeoutMs }),
    payments: createAccountPayments(pool, timeoutMs),
    operator: createOperatorDesk(pool, timeoutMs),
    callCounts: { read: (accountId, days) => stored(() => readCallCounts(database, accountId, days)) },
  };
}
