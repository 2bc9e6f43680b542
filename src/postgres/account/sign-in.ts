import type { Pool } from 'pg';
import { z } from 'zod';
import type { NewSession, SignInOutcome, SignInStore } from '../../account/ports.ts';
import type { Hex } from '../../payments/protocol/networks.ts';
import { takeChallenge } from './challenges.ts';
import { addEvent } from './events.ts';
import { usePasskey } from './passkeys.ts';
import { beginSession, lockAccount, type SessionLimits } from './session-rows.ts';
import { inOneChange, type Query, queryOf, stored } from './transaction.ts';

export interface SignInSettings {
  readonly sessions: SessionLimits;
  /** After which a statement counts as failed, in milliseconds. */
  readonly timeoutMs: number;
}

const findWallet = 'select account_id from account_wallets where address = $1';
const useWallet = 'update account_wallets set last_used_at = now() where address = $1 and account_id = $2 returning id';
const walletRow = z.object({ account_id: z.int() });

/** Two requests that give a wallet to an account come one after the other. */
const lockWallet = `select pg_advisory_xact_lock(hashtextextended('entity-search wallet ' || $1, 0))`;
const findPlan = 'select from plans where name = $1 and active';
const openAccount = 'insert into accounts (name, plan) values ($1, $2) on conflict (name) do nothing returning id';
const addWallet = 'insert into account_wallets (account_id, address, last_used_at) values ($1, $2, now())';
const idRow = z.object({ id: z.int() });

/** Signing in, in Postgres. */
export function createSignInStore(pool: Pool, { sessions, timeoutMs }: SignInSettings): SignInStore {
  return {
    knowsWallet: (address) => stored(async () => (await queryOf(pool, timeoutMs)(findWallet, [address])).length > 0),
    withWallet: ({ address, challenge }, session) =>
      inOneChange(pool, timeoutMs, async (query): Promise<SignInOutcome> => {
        if (!(await takeChallenge(query, challenge))) return { ok: false, reason: 'used' };
        const accountId = await accountOf(query, address);
        return accountId === null ? unknown : enter(query, sessions, accountId, address, session);
      }),
    withPasskey: (proof, session) =>
      inOneChange(pool, timeoutMs, async (query): Promise<SignInOutcome> => {
        if (!(await takeChallenge(query, proof.challenge))) return { ok: false, reason: 'used' };
        const { accountId } = proof;
        const active = await lockAccount(query, accountId);
        const name = await usePasskey(query, proof);
        if (name === null) return { ok: false, reason: 'used' };
        if (!active) return { ok: false, reason: 'suspended' };
        const credential = { kind: 'passkey', id: proof.passkeyId } as const;
        const by = { accountId, method: 'passkey', credential, actorName: `passkey ${name}` } as const;
        return { ok: true, session: await beginSession(query, sessions, by, session) };
      }),
    openAccount: ({ address, challenge }, plan, session) =>
      inOneChange(pool, timeoutMs, async (query): Promise<SignInOutcome | 'no plan'> => {
        if (!(await takeChallenge(query, challenge))) return { ok: false, reason: 'used' };
        await query(lockWallet, [address]);
        const actor = { name: `wallet ${address}`, ip: session.ip };
        let accountId = await accountOf(query, address);
        if (accountId === null) {
          if ((await query(findPlan, [plan])).length === 0) return 'no plan';
          accountId = await openFor(query, address, plan);
          await query(addWallet, [accountId, address]);
          await addEvent(query, accountId, 'account_opened', actor, { plan });
          await addEvent(query, accountId, 'wallet_added', actor, { address });
        }
        return enter(query, sessions, accountId, address, session);
      }),
  };
}

const unknown: SignInOutcome = { ok: false, reason: 'unknown' };

async function accountOf(query: Query, address: Hex): Promise<number | null> {
  const [wallet] = await query(findWallet, [address]);
  return wallet === undefined ? null : walletRow.parse(wallet).account_id;
}

async function enter(
  query: Query,
  limits: SessionLimits,
  accountId: number,
  address: Hex,
  session: NewSession,
): Promise<SignInOutcome> {
  const active = await lockAccount(query, accountId);
  // It may have been removed from the account a moment ago.
  const [wallet] = await query(useWallet, [address, accountId]);
  if (wallet === undefined) return unknown;
  if (!active) return { ok: false, reason: 'suspended' };
  const credential = { kind: 'wallet', id: idRow.parse(wallet).id } as const;
  const by = { accountId, method: 'wallet', credential, actorName: `wallet ${address}` } as const;
  return { ok: true, session: await beginSession(query, limits, by, session) };
}

/** Returns an account that is named after the wallet, as shortly as no other one is named. */
async function openFor(query: Query, address: Hex, plan: string): Promise<number> {
  for (const name of namesFor(address)) {
    const [made] = await query(openAccount, [name, plan]);
    if (made !== undefined) return idRow.parse(made).id;
  }
  throw new Error('every name for the account of a wallet is taken');
}

function* namesFor(address: Hex): Iterable<string> {
  for (const digits of [4, 8, 16]) yield `${address.slice(0, 2 + digits)}…${address.slice(-digits)}`;
  yield address;
  for (let number = 2; number < 10; number += 1) yield `${address} (${number})`;
}
