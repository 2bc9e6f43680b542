import type { KeyEnvironment } from '../access/api-key.ts';
import type { AccountKey } from './answers.ts';
import type { Actor, Stored } from './ports.ts';

/** A key to be. */
export interface NewAccountKey {
  readonly name: string;
  readonly key: string;
  readonly expiresAt: Date | null;
}

export interface KeyRotation {
  /** Time during which the old key still works. */
  readonly overlapMs: number;
  /** Makes the new key's text. */
  newKey(environment: KeyEnvironment): string;
}

export interface RotatedKey {
  /** The new one's text. */
  readonly key: string;
  readonly created: AccountKey;
  readonly replaced: AccountKey;
}

/** The reason if a key was not replaced: there is none, or it is not good. */
export type RotationRefusal = 'unknown' | 'ended' | 'too_many';

/** The keys of accounts. Everything is asked for by account: the keys of others are not there. Never rejects. */
export interface AccountKeys {
  /** The good ones first, then the newest; a few hundred at most. */
  list(accountId: number): Promise<Stored<readonly AccountKey[]>>;
  create(accountId: number, key: NewAccountKey, actor: Actor): Promise<Stored<AccountKey | 'too_many'>>;
  /**
   * Creates a key of the same name, environment and lifetime next to a good one, which ends with the overlap, or at its
   * own earlier expiry.
   */
  rotate(
    accountId: number,
    keyId: number,
    rotation: KeyRotation,
    actor: Actor,
  ): Promise<Stored<RotatedKey | RotationRefusal>>;
  /** Ends a key for good, and answers it, also where it had ended before; null where there is none. */
  revoke(accountId: number, keyId: number, actor: Actor): Promise<Stored<AccountKey | null>>;
}
