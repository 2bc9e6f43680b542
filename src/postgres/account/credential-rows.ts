import type { KnownCredential, NewCredential } from '../../account/credentials.ts';
import type { Actor, AddRefusal } from '../../account/ports.ts';
import type { Database } from '../statements.ts';
import { addEvent } from './events.ts';
import { usePasskey } from './passkeys.ts';

/** Maximal numbers of an account's credentials. */
export interface CredentialLimits {
  readonly wallets: number;
  readonly passkeys: number;
}

const useWallet =
  'update account_wallets set last_used_at = now() where address = $1 and account_id = $2 returning account_id';

const countBoth = `
  select (select count(*) from account_wallets where account_id = $1) as wallet,
         (select count(*) from account_passkeys where account_id = $1) as passkey`;

const insertWallet = `
  insert into account_wallets (account_id, address) values ($1, $2) on conflict (address) do nothing returning id`;
const insertPasskey = `
  insert into account_passkeys (account_id, credential_id, public_key, sign_count, transports, backed_up, name)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict (credential_id) do nothing returning id`;

/** Counts the wallets and passkeys of an account. */
export async function countCredentials(
  database: Database,
  accountId: number,
): Promise<Readonly<Record<'wallet' | 'passkey', number>>> {
  const { rows } = await database.query<{ wallet: number; passkey: number }>(countBoth, [accountId]);
  return rows[0] ?? { wallet: 0, passkey: 0 };
}

/** Notes that a credential was used now; false if it does not open this account. */
export async function useCredential(
  database: Database,
  accountId: number,
  credential: KnownCredential,
): Promise<boolean> {
  if (credential.kind === 'passkey') {
    return credential.accountId === accountId && (await usePasskey(database, credential)) !== null;
  }
  return (await database.query(useWallet, [credential.address, accountId])).rows.length > 0;
}

/** Gives a credential to an account, as part of a change that has locked the account. */
export async function addCredential(
  database: Database,
  accountId: number,
  credential: NewCredential,
  max: CredentialLimits,
  actor: Actor,
): Promise<{ readonly id: number } | { readonly refused: AddRefusal }> {
  const { kind } = credential;
  const counted = await countCredentials(database, accountId);
  if (counted[kind] >= (kind === 'wallet' ? max.wallets : max.passkeys)) return { refused: 'too many' };
  const [added] = await insert(database, accountId, credential);
  if (added === undefined) return { refused: 'taken' };
  if (kind === 'wallet') await addEvent(database, accountId, 'wallet_added', actor, { address: credential.address });
  else await addEvent(database, accountId, 'passkey_added', actor, { name: credential.passkey.name });
  return { id: added.id };
}

async function insert(database: Database, accountId: number, credential: NewCredential): Promise<{ id: number }[]> {
  if (credential.kind === 'wallet') {
    return (await database.query<{ id: number }>(insertWallet, [accountId, credential.address])).rows;
  }
  const { credentialId, publicKey, signCount, transports, backedUp, name } = credential.passkey;
  const values = [accountId, credentialId, publicKey, signCount, transports, backedUp, name];
  return (await database.query<{ id: number }>(insertPasskey, values)).rows;
}
