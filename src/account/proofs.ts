import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { hashMessage, recoverAddress } from 'viem/utils';
import type { Hex } from '../payments/protocol/networks.ts';
import type {
  ChallengeBinding,
  GivenChallenge,
  NewPasskeyProof,
  PasskeyProof,
  StoredPasskey,
  WalletProof,
} from './credentials.ts';
import { answeredChallenge, type PasskeyPlace, readNewPasskey, readPasskeyUse } from './passkeys.ts';
import { readSignInMessage, type SignInPlace } from './sign-in-message.ts';
import { hashToken } from './tokens.ts';

interface SignedText {
  readonly message: string;
  readonly signature: Hex;
}

export type SignedByAddress = SignedText & { readonly address: Hex };

/** Stores and services that proofs need. */
interface Ports {
  readonly challenges: {
    isOpen(challenge: GivenChallenge): Promise<boolean>;
    discard(challenge: GivenChallenge): Promise<void>;
  };
  readonly credentials: { findPasskey(credentialId: Buffer): Promise<StoredPasskey | null> };
  /** Null if no node of the chain is configured. */
  readonly contractWallets: { verify(signed: SignedByAddress): Promise<boolean> } | null;
}

/**
 * Returns the wallet that signed one of our messages. The message must be for this site and time, issued to this
 * browser for this purpose, and unused. The caller must use up its challenge in the transaction that uses the proof.
 * For an invalid signature, uses up the challenge and returns the reason: `contract unknown` if the signature is not
 * from a key, and no node is configured that could ask a contract. Throws `Unavailable`; the challenge stays valid
 * then.
 */
export async function proveWallet(
  { challenges, contractWallets }: Omit<Ports, 'credentials'>,
  place: SignInPlace,
  binding: ChallengeBinding,
  { message, signature }: SignedText,
  nowMs: number,
): Promise<WalletProof | 'wrong' | 'contract unknown'> {
  const address = readSignInMessage(message, place, nowMs);
  if (address === null) return 'wrong';
  // The hash covers the whole text, so a changed message is unknown.
  const challenge = { ...binding, hash: hashToken(message) };
  if (!(await challenges.isOpen(challenge))) return 'wrong';
  const signed = { address, message, signature };
  // Check the key first: it controls the address even if the address has code (EIP-7702), and needs no node.
  if ((await isSignedByKey(signed)) || (await contractWallets?.verify(signed)))
    return { kind: 'wallet', address, challenge };
  await challenges.discard(challenge);
  return contractWallets === null ? 'contract unknown' : 'wrong';
}

/** Returns true if the key of an address, in lower case, signed a message (EIP-191). */
async function isSignedByKey({ address, message, signature }: SignedByAddress): Promise<boolean> {
  try {
    const signer = await recoverAddress({ hash: hashMessage(message), signature });
    return signer.toLowerCase() === address;
  } catch {
    // The signature doesn't have the form of a key's signature.
    return false;
  }
}

/**
 * Returns the passkey that answered one of our challenges. The challenge must have been issued to this browser for this
 * purpose, and be unused. The caller must use it up in the transaction that uses the proof. For an invalid answer, uses
 * up the challenge and returns null. Throws `Unavailable`; the challenge stays valid then.
 */
export async function provePasskey(
  ports: Omit<Ports, 'contractWallets'>,
  place: PasskeyPlace,
  binding: ChallengeBinding,
  response: AuthenticationResponseJSON,
): Promise<PasskeyProof | null> {
  return whileOpen(ports, binding, response, async (challenge, content) => {
    const passkey = await ports.credentials.findPasskey(Buffer.from(response.id, 'base64url'));
    const use = passkey && (await readPasskeyUse(place, content, response, passkey));
    return (
      passkey && use && { kind: 'passkey', passkeyId: passkey.id, accountId: passkey.accountId, ...use, challenge }
    );
  });
}

/** Verifies a newly created passkey in the same way. */
export async function proveNewPasskey(
  ports: Pick<Ports, 'challenges'>,
  place: PasskeyPlace,
  binding: ChallengeBinding,
  name: string,
  response: RegistrationResponseJSON,
): Promise<NewPasskeyProof | null> {
  return whileOpen(ports, binding, response, async (challenge, content) => {
    const made = await readNewPasskey(place, content, response);
    return made && { kind: 'passkey', passkey: { ...made, name }, challenge };
  });
}

async function whileOpen<Proof>(
  { challenges }: Pick<Ports, 'challenges'>,
  binding: ChallengeBinding,
  response: { readonly response: { readonly clientDataJSON: string } },
  prove: (challenge: GivenChallenge, content: string) => Promise<Proof | null>,
): Promise<Proof | null> {
  const content = answeredChallenge(response);
  if (content === null) return null;
  const challenge = { ...binding, hash: hashToken(content) };
  if (!(await challenges.isOpen(challenge))) return null;
  const proof = await prove(challenge, content);
  if (proof === null) await challenges.discard(challenge);
  return proof;
}
