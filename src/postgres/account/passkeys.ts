import type { Pool } from 'pg';
import { z } from 'zod';
import type { PasskeyProof, StoredPasskey } from '../../account/credentials.ts';
import type { PasskeyStore } from '../../account/ports.ts';
import { type Query, queryOf, stored } from './transaction.ts';

const passkeyColumns = 'id, account_id, credential_id, public_key, sign_count, transports';
const find = `select ${passkeyColumns} from account_passkeys where credential_id = $1`;
const list = `select ${passkeyColumns} from account_passkeys where account_id = $1 order by id`;

const row = z.object({
  id: z.int(),
  account_id: z.int(),
  credential_id: z.instanceof(Buffer),
  public_key: z.instanceof(Buffer),
  sign_count: z.int(),
  transports: z.array(z.string()),
});

const nameRow = z.object({ name: z.string() });

/** Again that the count has gone up: two answers of a passkey and its copy may come at once. */
const use = `
  update account_passkeys set sign_count = $3, backed_up = $4, last_used_at = now()
  where id = $1 and account_id = $2 and (sign_count < $3 or (sign_count = 0 and $3 = 0)) returning name`;

/** Passkeys as they are registered, in Postgres. */
export function createPasskeyStore(pool: Pool, timeoutMs: number): PasskeyStore {
  const query = queryOf(pool, timeoutMs);
  return {
    find: (credentialId) =>
      stored(async () => {
        const [found] = await query(find, [credentialId]);
        return found === undefined ? null : toPasskey(found);
      }),
    list: (accountId) => stored(async () => (await query(list, [accountId])).map(toPasskey)),
  };
}

/**
 * Notes that a passkey was used now, and answers its name; null if it is there no longer, or its count of uses did not
 * go up.
 */
export async function usePasskey(query: Query, proof: PasskeyProof): Promise<string | null> {
  const { passkeyId, accountId, signCount, backedUp } = proof;
  const [used] = await query(use, [passkeyId, accountId, signCount, backedUp]);
  return used === undefined ? null : nameRow.parse(used).name;
}

function toPasskey(found: object): StoredPasskey {
  const one = row.parse(found);
  return {
    id: one.id,
    accountId: one.account_id,
    credentialId: one.credential_id,
    publicKey: one.public_key,
    signCount: one.sign_count,
    transports: one.transports,
  };
}
