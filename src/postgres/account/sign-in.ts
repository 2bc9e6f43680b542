import type { KnownCredential, WalletProof } from '../../account/credentials.ts';
import type { NewSession, Refusal, Session } from '../../account/ports.ts';
import type { ConsoleConfig } from '../../config/console.ts';
import type { Hex } from '../../payments/protocol/networks.ts';
import type { Database } from '../statements.ts';
import { takeChallenge } from './challenges.ts';
import { useCredential } from './credential-rows.ts';
import { addEvent } from './events.ts';
import { beginSession, lockAccount } from './sessions.ts';
import type { AccountDatabase } from './transaction.ts';

const findWallet = 'select account_id from account_wallets where address = $1';

/** Concurrent requests that add the same wallet are serialised. */
const lockWallet = `select pg_advisory_xact_lock(hashtextextended('entity-search wallet ' || $1, 0))`;
const findPlan = 'select from plans where name = $1 and active';
const openAccount = 'insert into accounts (name, plan) values ($1, $2) on conflict (name) do nothing returning id';
const addWallet = 'insert into account_wallets (account_id, address, last_used_at) values ($1, $2, now())';

export function createSignInStore({ run, change }: AccountDatabase, sessions: ConsoleConfig['sessions']) {
  return {
    knowsWallet: (address: Hex) => run(async (database) => (await accountOf(database, address)) !== null),
    enter: (credential: KnownCredential, session: NewSession) =>
      change(async (database): Promise<Session | Refusal> => {
        if (!(await takeChallenge(database, credential.challenge))) return 'used';
        const accountId =
          credential.kind === 'passkey' ? credential.accountId : await accountOf(database, credential.address);
        return accountId === null ? 'unknown' : enter(database, sessions, accountId, credential, session);
      }),
    /** Creates an account for the wallet unless it has one by now, and signs in. */
    openAccount: (proof: WalletProof, plan: string, session: NewSession) =>
      change(async (database): Promise<Session | Refusal> => {
        const { address, challenge } = proof;
        if (!(await takeChallenge(database, challenge))) return 'used';
        await database.query(lockWallet, [address]);
        const actor = { name: `wallet ${address}`, ip: session.ip };
        let accountId = await accountOf(database, address);
        if (accountId === null) {
          if ((await database.query(findPlan, [plan])).rows.length === 0) return 'no plan';
          accountId = await openFor(database, address, plan);
          await database.query(addWallet, [accountId, address]);
          await addEvent(database, accountId, 'account_opened', actor, { plan });
          await addEvent(database, accountId, 'wallet_added', actor, { address });
        }
        return enter(database, sessions, accountId, proof, session);
      }),
  };
}

async function accountOf(database: Database, address: Hex): Promise<number | null> {
  const { rows } = await database.query<{ account_id: number }>(findWallet, [address]);
  return rows[0]?.account_id ?? null;
}

async function enter(
  database: Database,
  limits: ConsoleConfig['sessions'],
  accountId: number,
  credential: KnownCredential,
  session: NewSession,
): Promise<Session | Refusal> {
  const { kind } = credential;
  const active = await lockAccount(database, accountId);
  const used = await useCredential(database, accountId, credential);
  // The wallet or passkey was removed a moment ago, or the passkey's counter did not increase.
  if (used === null) return kind === 'wallet' ? 'unknown' : 'used';
  if (!active) return 'suspended';
  const by = { accountId, method: kind, credential: { kind, id: used.id }, actorName: used.label };
  return beginSession(database, limits, by, session);
}

/** Returns a new account with the wallet's shortest abbreviation that no other account has as its name. */
async function openFor(database: Database, address: Hex, plan: string): Promise<number> {
  for (const name of namesFor(address)) {
    const { rows } = await database.query<{ id: number }>(openAccount, [name, plan]);
    if (rows[0] !== undefined) return rows[0].id;
  }
  throw new Error('every name for the account of a wallet is taken');
}

function* namesFor(address: Hex): Iterable<string> {
  for (const digits of [4, 8, 16]) yield `${address.slice(0, 2 + digits)}…${address.slice(-digits)}`;
  yield address;
  for (let number = 2; number < 10; number += 1) yield `${address} (${number})`;
}
