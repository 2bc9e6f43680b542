import type { KnownCredential, NewCredential, NewPasskey } from '../../account/credentials.ts';
import type { Actor, Refusal } from '../../account/ports.ts';
import type { ConsoleConfig } from '../../config/console.ts';
import type { Database } from '../statements.ts';
import { addEvent } from './events.ts';

const useWallet = `
  update account_wallets set last_used_at = now() where address = $1 and account_id = $2
  returning id, 'wallet ' || address as label`;
/** Checks again that the counter has increased, because a passkey and its copy may answer at the same time. */
const usePasskey = `
  update account_passkeys set sign_count = $3, backed_up = $4, last_used_at = now()
  where id = $1 and account_id = $2 and (sign_count < $3 or (sign_count = 0 and $3 = 0))
  returning id, 'passkey ' || name as label`;

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

/** Records the use of a credential, and returns its row and label; null if it is not of this account. */
export async function useCredential(
  database: Database,
  accountId: number,
  credential: KnownCredential,
): Promise<{ readonly id: number; readonly label: string } | null> {
  const [sql, values] =
    credential.kind === 'wallet'
      ? [useWallet, [credential.address, accountId]]
      : [usePasskey, [credential.passkeyId, accountId, credential.signCount, credential.backedUp]];
  return (await database.query<{ id: number; label: string }>(sql, values)).rows[0] ?? null;
}

/** Adds a credential to an account that the transaction has locked. Returns its id. */
export async function addCredential(
  database: Database,
  accountId: number,
  credential: NewCredential,
  max: ConsoleConfig['max'],
  actor: Actor,
): Promise<number | Refusal> {
  const { kind } = credential;
  const counted = await countCredentials(database, accountId);
  if (counted[kind] >= max[`${kind}s`]) return 'too many';
  const [sql, values] =
    kind === 'wallet' ? [insertWallet, [credential.address]] : [insertPasskey, passkeyValues(credential.passkey)];
  const [added] = (await database.query<{ id: number }>(sql, [accountId, ...values])).rows;
  if (added === undefined) return 'taken';
  const detail = kind === 'wallet' ? { address: credential.address } : { name: credential.passkey.name };
  await addEvent(database, accountId, `${kind}_added`, actor, detail);
  return added.id;
}

function passkeyValues({ credentialId, publicKey, signCount, transports, backedUp, name }: NewPasskey) {
  return [credentialId, publicKey, signCount, transports, backedUp, name];
}
