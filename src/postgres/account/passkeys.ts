import type { PasskeyProof, StoredPasskey } from '../../account/credentials.ts';
import type { PasskeyStore } from '../../account/ports.ts';
import type { Database } from '../statements.ts';
import type { AccountDatabase } from './transaction.ts';

const passkeyColumns = `id, account_id as "accountId", credential_id as "credentialId", public_key as "publicKey",
  sign_count as "signCount", transports`;
const find = `select ${passkeyColumns} from account_passkeys where credential_id = $1`;
const list = `select ${passkeyColumns} from account_passkeys where account_id = $1 order by id`;

/** Checks again that the count has gone up: answers of a passkey and of its copy may come at once. */
const use = `
  update account_passkeys set sign_count = $3, backed_up = $4, last_used_at = now()
  where id = $1 and account_id = $2 and (sign_count < $3 or (sign_count = 0 and $3 = 0)) returning name`;

/** Passkeys as they are registered, in Postgres. */
export function createPasskeyStore({ run }: AccountDatabase): PasskeyStore {
  const select = (sql: string, key: Buffer | number) =>
    run(async (database) => (await database.query<StoredPasskey & object>(sql, [key])).rows);
  return {
    find: async (credentialId) => (await select(find, credentialId))[0] ?? null,
    list: (accountId) => select(list, accountId),
  };
}

/** Notes that a passkey was used now, and returns its name; null if it no longer exists, or its count did not go up. */
export async function usePasskey(database: Database, proof: PasskeyProof): Promise<string | null> {
  const { passkeyId, accountId, signCount, backedUp } = proof;
  const { rows } = await database.query<{ name: string }>(use, [passkeyId, accountId, signCount, backedUp]);
  return rows[0]?.name ?? null;
}
