import type { Passkey, Wallet } from '../../account/answers.ts';
import type { KnownCredential, NewCredential, StoredPasskey } from '../../account/credentials.ts';
import type { Changing, Refusal } from '../../account/ports.ts';
import type { ConsoleConfig } from '../../config/console.ts';
import { isoTimestamp } from '../../lib/iso-timestamp.ts';
import type { Database } from '../statements.ts';
import { takeChallenge } from './challenges.ts';
import { addCredential, countCredentials, useCredential } from './credential-rows.ts';
import { addEvent } from './events.ts';
import { endSessionsOf, lockAccount } from './sessions.ts';
import type { AccountDatabase } from './transaction.ts';

const times = `${isoTimestamp('created_at')} as created_at, ${isoTimestamp('last_used_at')} as last_used_at`;
const listWallets = `select id, address, ${times} from account_wallets where account_id = $1 order by id`;
const listPasskeys = `select id, name, backed_up, ${times} from account_passkeys where account_id = $1 order by id`;
const selectPasskeys = `
  select id, account_id as "accountId", credential_id as "credentialId", public_key as "publicKey",
    sign_count as "signCount", transports from account_passkeys`;

type Removed = { readonly detail: Readonly<Record<string, string>> };

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

/**
 * Creates the credentials of accounts. Changes of one account are serialised, so that no two of them remove the last
 * one.
 */
export function createCredentialStore(
  { run, change }: AccountDatabase,
  { max, sessions }: Pick<ConsoleConfig, 'max' | 'sessions'>,
) {
  const passkeys = (where: string, key: Buffer | number) =>
    run(async (database) => (await database.query<StoredPasskey & object>(`${selectPasskeys} ${where}`, [key])).rows);
  return {
    list: (accountId: number) =>
      run(async (database) => {
        const [wallets, passkeys] = await Promise.all([
          database.query<Wallet>(listWallets, [accountId]),
          database.query<Passkey>(listPasskeys, [accountId]),
        ]);
        return { wallets: wallets.rows, passkeys: passkeys.rows };
      }),
    findPasskey: async (credentialId: Buffer) => (await passkeys('where credential_id = $1', credentialId))[0] ?? null,
    passkeysOf: (accountId: number) => passkeys('where account_id = $1 order by id', accountId),
    /** Allows the session one change, until the returned time; null if the credential is not the account's. */
    confirm: (who: Changing, credential: KnownCredential) =>
      change(async (database): Promise<Date | null> => {
        if (!(await takeChallenge(database, credential.challenge))) return null;
        await lockAccount(database, who.accountId);
        if ((await useCredential(database, who.accountId, credential)) === null) return null;
        const values = [who.sessionId, who.accountId, sessions.confirmedMs];
        const [session] = (await database.query<{ confirmed_until: Date }>(confirm, values)).rows;
        if (session === undefined) return null;
        await addEvent(database, who.accountId, 'confirmed', who.actor, { with: credential.kind });
        return session.confirmed_until;
      }),
    add: (who: Changing, credential: NewCredential) =>
      change(async (database, undo): Promise<number | Refusal> => {
        if (!(await takeChallenge(database, credential.challenge))) return 'used';
        await lockAccount(database, who.accountId);
        const added = (await takeConfirmation(database, who))
          ? await addCredential(database, who.accountId, credential, max, who.actor)
          : 'unconfirmed';
        if (typeof added === 'string') undo();
        return added;
      }),
    /** Returns null if the credential was removed. */
    remove: (who: Changing, kind: NewCredential['kind'], id: number) =>
      change(async (database): Promise<Refusal | null> => {
        await lockAccount(database, who.accountId);
        if ((await database.query(hasOne[kind], [id, who.accountId])).rows.length === 0) return 'missing';
        const { wallet, passkey } = await countCredentials(database, who.accountId);
        if (wallet + passkey <= 1) return 'last';
        if (!(await takeConfirmation(database, who))) return 'unconfirmed';
        const [removed] = (await database.query<Removed>(removeOne[kind], [id, who.accountId])).rows;
        await endSessionsOf(database, { kind, id }, who);
        await addEvent(database, who.accountId, `${kind}_removed`, who.actor, removed?.detail);
        return null;
      }),
  };
}

/** Uses up the session's confirmation of one change; false if it has none. */
async function takeConfirmation(database: Database, { sessionId, accountId }: Changing): Promise<boolean> {
  return (await database.query(useConfirmation, [sessionId, accountId])).rows.length > 0;
}
