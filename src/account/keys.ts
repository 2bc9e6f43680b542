import type { KeyEnvironment } from '../access/api-key.ts';
import type { AccountKey } from './answers.ts';
import type { Actor } from './ports.ts';

export interface NewAccountKey {
  readonly name: string;
  readonly key: string;
  readonly expiresAt: Date | null;
}

export interface KeyRotation {
  /** Time during which the old key still works. */
  readonly overlapMs: number;
  newKey(environment: KeyEnvironment): string;
}

export interface RotatedKey {
  /** The text of the new key. */
  readonly key: string;
  readonly created: AccountKey;
  readonly replaced: AccountKey;
}

/**
 * `unknown`: the account has no such key. `ended`: the key no longer works. `too_many`: the account has too many keys.
 */
export type RotationRefusal = 'unknown' | 'ended' | 'too_many';

/** The keys of accounts. Each method sees only the keys of the given account. */
export interface AccountKeys {
  /** Lists live keys first, then the newest; a few hundred at most. */
  list(accountId: number): Promise<readonly AccountKey[]>;
  create(accountId: number, key: NewAccountKey, actor: Actor): Promise<AccountKey | 'too_many'>;
  /**
   * Creates a key of the same name, environment and lifetime next to a good one, which ends with the overlap, or at its
   * own earlier expiry.
   */
  rotate(accountId: number, keyId: number, rotation: KeyRotation, actor: Actor): Promise<RotatedKey | RotationRefusal>;
  /** Ends a key and returns it, also if it had already ended; null if there is none. */
  revoke(accountId: number, keyId: number, actor: Actor): Promise<AccountKey | null>;
}
