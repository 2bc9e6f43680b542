import type { Pool } from 'pg';
import { z } from 'zod';
import { passkey, wallet } from '../../account/answers.ts';
import type { Changing, CredentialStore } from '../../account/ports.ts';
import { isoTimestamp } from '../../lib/iso-timestamp.ts';
import { takeChallenge } from './challenges.ts';
import { addCredential, type CredentialLimits, countCredentials, useCredential } from './credential-rows.ts';
import { addEvent } from './events.ts';
import { endSessionsOf, lockAccount } from './session-rows.ts';
import { inOneChange, type Query, queryOf, stored } from './transaction.ts';

export interface CredentialSettings {
  readonly max: CredentialLimits;
  /** Lifetime of a confirmation, in milliseconds. */
  readonly confirmedMs: number;
  /** After which a statement counts as failed, in milliseconds. */
  readonly timeoutMs: number;
}

const times = `${isoTimestamp('created_at')} as created_at, ${isoTimestamp('last_used_at')} as last_used_at`;
const listWallets = `select id, address, ${times} from account_wallets where account_id = $1 order by id`;
const listPasskeys = `select id, name, backed_up, ${times} from account_passkeys where account_id = $1 order by id`;

const confirm = `
  update account_sessions set confirmed_until = now() + $3 * interval '1 ms'
  where id = $1 and account_id = $2 and revoked_at is null and expires_at > now() returning confirmed_until`;

/** One confirmation is valid for one change. */
const useConfirmation = `
  update account_sessions set confirmed_until = null
  where id = $1 and account_id = $2 and revoked_at is null and confirmed_until > now() returning id`;

const hasOne = {
  wallet: 'select from account_wallets where id = $1 and account_id = $2',
  passkey: 'select from account_passkeys where id = $1 and account_id = $2',
} as const;
const removeOne = {
  wallet: `delete from account_wallets where id = $1 and account_id = $2 returning jsonb_build_object('address', address) as detail`,
  passkey: `delete from account_passkeys where id = $1 and account_id = $2 returning jsonb_build_object('name', name) as detail`,
} as const;

const detailRow = z.object({ detail: z.record(z.string(), z.string()) });
const confirmedRow = z.object({ confirmed_until: z.date() });

/**
 * Creates the credentials of accounts. Changes of one account are serialised, so that no two of them remove the last
 * one.
 */
export function createCredentialStore(pool: Pool, settings: CredentialSettings): CredentialStore {
  const { max, confirmedMs, timeoutMs } = settings;
  return {
    list: (accountId) =>
      stored(async () => {
        const query = queryOf(pool, timeoutMs);
        const [wallets, passkeys] = await Promise.all([
          query(listWallets, [accountId]),
          query(listPasskeys, [accountId]),
        ]);
        return { wallets: z.array(wallet).parse(wallets), passkeys: z.array(passkey).parse(passkeys) };
      }),
    confirm: (who, credential) =>
      inOneChange(pool, timeoutMs, async (query) => {
        if (!(await takeChallenge(query, credential.challenge))) return null;
        await lockAccount(query, who.accountId);
        const theirs = await useCredential(query, who.accountId, credential);
        const [session] = theirs ? await query(confirm, [who.sessionId, who.accountId, confirmedMs]) : [];
        if (session === undefined) return null;
        await addEvent(query, who.accountId, 'confirmed', who.actor, { with: credential.kind });
        return confirmedRow.parse(session).confirmed_until;
      }),
    add: (who, credential) =>
      inOneChange(pool, timeoutMs, async (query, undo) => {
        if (!(await takeChallenge(query, credential.challenge))) return { refused: 'used' };
        await lockAccount(query, who.accountId);
        const added = (await takeConfirmation(query, who))
          ? await addCredential(query, who.accountId, credential, max, who.actor)
          : ({ refused: 'unconfirmed' } as const);
        if ('refused' in added) undo();
        return added;
      }),
    remove: (who, kind, id) =>
      inOneChange(pool, timeoutMs, async (query) => {
        await lockAccount(query, who.accountId);
        if ((await query(hasOne[kind], [id, who.accountId])).length === 0) return 'missing';
        const { wallet, passkey } = await countCredentials(query, who.accountId);
        if (wallet + passkey <= 1) return 'last';
        if (!(await takeConfirmation(query, who))) return 'unconfirmed';
        const [removed] = await query(removeOne[kind], [id, who.accountId]);
        const { detail } = detailRow.parse(removed);
        await endSessionsOf(query, { kind, id }, who);
        await addEvent(
          query,
          who.accountId,
          kind === 'wallet' ? 'wallet_removed' : 'passkey_removed',
          who.actor,
          detail,
        );
        return 'removed';
      }),
  };
}

/** Takes the confirmation that a session has for one change; false if it has none. */
async function takeConfirmation(query: Query, { sessionId, accountId }: Changing): Promise<boolean> {
  return (await query(useConfirmation, [sessionId, accountId])).length > 0;
}
