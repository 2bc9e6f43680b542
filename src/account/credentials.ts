import type { Hex } from '../payments/protocol/networks.ts';
import type { Purpose } from './answers.ts';

// The credentials of accounts, and the proofs of possession.

/** To whom a challenge was given, and for what; all of it must be the same when it comes back signed. */
export interface ChallengeBinding {
  readonly method: 'wallet' | 'passkey';
  readonly purpose: Purpose;
  /** SHA-256 of the browser's token. */
  readonly browser: Buffer;
  /** The account whose wallet or passkey is requested; null at sign-in. */
  readonly accountId: number | null;
}

/** A challenge to be used once. */
export interface GivenChallenge extends ChallengeBinding {
  /** SHA-256 of the message, or of the passkey's challenge. */
  readonly hash: Buffer;
}

/** A wallet whose owner has proven possession. */
export interface WalletProof {
  /** In lower case. */
  readonly address: Hex;
  readonly challenge: GivenChallenge;
}

/** A passkey whose owner has proven possession. */
export interface PasskeyProof {
  readonly passkeyId: number;
  readonly accountId: number;
  /** Its current properties. */
  readonly signCount: number;
  readonly backedUp: boolean;
  readonly challenge: GivenChallenge;
}

/** A passkey to be. */
export interface NewPasskey {
  readonly name: string;
  readonly credentialId: Buffer;
  /** In the form of COSE. */
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly transports: readonly string[];
  /** True if its provider keeps a copy, so that a lost device loses nothing. */
  readonly backedUp: boolean;
}

export interface NewPasskeyProof {
  readonly passkey: NewPasskey;
  readonly challenge: GivenChallenge;
}

/** Something that is to open an account from now on. */
export type NewCredential =
  | ({ readonly kind: 'wallet' } & WalletProof)
  | ({ readonly kind: 'passkey' } & NewPasskeyProof);

/** Something that opens an account already. */
export type KnownCredential =
  | ({ readonly kind: 'wallet' } & WalletProof)
  | ({ readonly kind: 'passkey' } & PasskeyProof);

/** A passkey that opens an account. */
export interface StoredPasskey {
  readonly id: number;
  readonly accountId: number;
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly transports: readonly string[];
}
