import type { Hex } from '../payments/protocol/networks.ts';
import type { Purpose } from './answers.ts';

// What accounts are opened with, and what shows that somebody has it.

/** To whom a challenge was given, and for what; all of it must be the same when it comes back signed. */
export interface ChallengeBinding {
  readonly method: 'wallet' | 'passkey';
  readonly purpose: Purpose;
  /** SHA-256 of the browser's token. */
  readonly browser: Buffer;
  /** Whose wallet or passkey is asked for; null for whoever is about to sign in. */
  readonly accountId: number | null;
}

/** A challenge that is to be used up, once. */
export interface GivenChallenge extends ChallengeBinding {
  /** SHA-256 of the message, or of the passkey's challenge. */
  readonly hash: Buffer;
}

/** A wallet that somebody has shown to be theirs. */
export interface WalletProof {
  /** In lower case. */
  readonly address: Hex;
  readonly challenge: GivenChallenge;
}

/** A passkey that somebody has shown to be theirs. */
export interface PasskeyProof {
  readonly passkeyId: number;
  readonly accountId: number;
  /** What it said of itself now. */
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
  /** Whether its provider keeps a copy, so that a lost device loses nothing. */
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
