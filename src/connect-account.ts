import type { Pool } from 'pg';
import type { SignedByAddress } from './account/proofs.ts';
import type { ConsoleConfig } from './config/console.ts';
import { lazily } from './lib/lazily.ts';
import { readCallCounts } from './postgres/access/call-counts.ts';
import { createChallengeStore } from './postgres/account/challenges.ts';
import { createCredentialStore } from './postgres/account/credentials.ts';
import { createEventStore } from './postgres/account/events.ts';
import { createInvitationStore } from './postgres/account/invitations.ts';
import { createAccountKeys } from './postgres/account/keys.ts';
import { createOperatorDesk } from './postgres/account/operator-desk.ts';
import { createAccountPayments } from './postgres/account/payments.ts';
import { createSessionStore } from './postgres/account/sessions.ts';
import { createSignInStore } from './postgres/account/sign-in.ts';
import { accountDatabase } from './postgres/account/transaction.ts';
import type { NodeSettings } from './x402/node-client.ts';

/** A statement of the account page that takes longer counts as failed, in milliseconds. */
const statementTimeoutMs = 3_000;

/** All stores and services behind the account pages. */
export type AccountData = ReturnType<typeof connectAccount>;

/** Connects the account page to Postgres and the chain. */
export function connectAccount(config: ConsoleConfig, pool: Pool) {
  const { sessions, max, rpcUrl, rpcTimeoutMs } = config;
  const database = accountDatabase(pool, statementTimeoutMs);
  return {
    sessions: createSessionStore(database, sessions),
    challenges: createChallengeStore(database),
    invitations: createInvitationStore(database, config),
    credentials: createCredentialStore(database, config),
    events: createEventStore(database),
    signIn: createSignInStore(database, sessions),
    /** Null if no node of the chain is configured. */
    contractWallets: rpcUrl === undefined ? null : contractWallets({ url: rpcUrl, timeoutMs: rpcTimeoutMs }, config),
    keys: createAccountKeys(database, max.keys),
    payments: createAccountPayments(database),
    operator: createOperatorDesk(database),
    callCounts: {
      read: (accountId: number, days: number) => database.run((one) => readCallCounts(one, accountId, days)),
    },
  };
}

/** The client of the chain is loaded when a contract's signature is checked, because most people sign in with keys. */
function contractWallets(node: NodeSettings, { chainId }: ConsoleConfig) {
  const loaded = lazily(async () => (await import('./x402/contract-wallets.ts')).createContractWallets(node, chainId));
  return { verify: async (signed: SignedByAddress) => (await loaded()).verify(signed) };
}
