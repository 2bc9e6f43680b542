import { randomBytes } from 'node:crypto';
import { environmentOf, generateApiKey, type KeyEnvironment } from '../../access/api-key.ts';
import type { AccountKey } from '../../account/answers.ts';
import type { Actor } from '../../account/ports.ts';
import {
  countLiveKeys,
  createKey,
  findKey,
  type KeyRow,
  listAccountKeys,
  renameKey,
  revokeKey,
  rotateKey,
} from '../access/key-admin.ts';
import type { AccountDatabase } from './transaction.ts';

interface NewAccountKey {
  readonly name: string;
  readonly environment: KeyEnvironment;
  readonly expiresAt: Date | null;
}

/**
 * Creates the keys of accounts, in Postgres.
 * @param liveMax maximum number of valid keys of an account
 */
export function createAccountKeys({ run, change }: AccountDatabase, liveMax: number) {
  return {
    list: (accountId: number) =>
      run(async (database) => (await listAccountKeys(database, accountId)).map(toAccountKey)),
    /** Returns the new key with its text, which is not stored. */
    create: (accountId: number, { name, environment, expiresAt }: NewAccountKey, actor: Actor) =>
      change(async (database) => {
        if ((await countLiveKeys(database, accountId)) >= liveMax) return 'too_many' as const;
        const key = generateApiKey(environment, randomBytes);
        const created = await createKey(database, { account: accountId, name, key, expiresAt }, actor);
        if (created === null) throw new Error('a session is of an account that is not there');
        return { key, created: toAccountKey(created) };
      }),
    rotate: (accountId: number, id: number, overlapMs: number, actor: Actor) =>
      change(async (database) => {
        const live = await countLiveKeys(database, accountId);
        const old = await findKey(database, { id, accountId });
        if (old === null) return 'unknown' as const;
        // Without an overlap, the number of keys stays the same.
        if (live >= liveMax && overlapMs > 0) return 'too_many' as const;
        const key = generateApiKey(environmentOf(old.prefix), randomBytes);
        const rotated = await rotateKey(database, { id, accountId }, { key, overlapMs }, actor);
        if (rotated === null) return 'ended' as const;
        return { key, created: toAccountKey(rotated.created), replaced: toAccountKey(rotated.replaced) };
      }),
    /** Renames a key; null if there is none. */
    rename: (accountId: number, id: number, name: string, actor: Actor) =>
      run(async (database) => {
        const renamed = await renameKey(database, { id, accountId }, name, actor);
        return renamed && toAccountKey(renamed);
      }),
    /** Returns the key, also if it had already ended; null if there is none. */
    revoke: (accountId: number, id: number, actor: Actor) =>
      run(async (database) => {
        const found = await revokeKey(database, { id, accountId }, actor);
        return found && toAccountKey(found.key);
      }),
  };
}

/** @param row of a key, without its owner's name */
export function toAccountKey(row: Omit<KeyRow, 'account'>): AccountKey {
  return {
    id: row.id,
    name: row.name,
    environment: environmentOf(row.prefix),
    prefix: row.prefix,
    state: row.state,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}
