import type { Hex } from '../payments/protocol/networks.ts';
import type { Purpose } from './answers.ts';

// The credentials of accounts, and proofs that someone holds them.

/** The browser, account and purpose of a challenge. A signed challenge is accepted only if all three match. */
export interface ChallengeBinding {
  readonly method: 'wallet' | 'passkey';
  readonly purpose: Purpose;
  /** SHA-256 of the browser's token. */
  readonly browser: Buffer;
  /** The account whose wallet or passkey is requested; null at sign-in. */
  readonly accountId: number | null;
}

/** A challenge, which can be used once. */
export interface GivenChallenge extends ChallengeBinding {
  /** SHA-256 of the message, or of the passkey's challenge. */
  readonly hash: Buffer;
}

/** A wallet whose owner has proven possession. */
export interface WalletProof {
  readonly kind: 'wallet';
  /** In lower case. */
  readonly address: Hex;
  readonly challenge: GivenChallenge;
}

/** A passkey whose owner has proven possession. */
export interface PasskeyProof {
  readonly kind: 'passkey';
  readonly passkeyId: number;
  readonly accountId: number;
  /** Its current properties. */
  readonly signCount: number;
  readonly backedUp: boolean;
  readonly challenge: GivenChallenge;
}

export interface NewPasskey {
  readonly name: string;
  readonly credentialId: Buffer;
  /** COSE form. */
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly transports: readonly string[];
  /** True if its provider keeps a copy, so that the passkey survives the loss of a device. */
  readonly backedUp: boolean;
}

export interface NewPasskeyProof {
  readonly kind: 'passkey';
  readonly passkey: NewPasskey;
  readonly challenge: GivenChallenge;
}

/** A credential to add to an account. */
export type NewCredential = WalletProof | NewPasskeyProof;

export type KnownCredential = WalletProof | PasskeyProof;

export interface StoredPasskey {
  readonly id: number;
  readonly accountId: number;
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly transports: readonly string[];
}
