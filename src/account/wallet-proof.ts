import { hashMessage, recoverAddress } from 'viem';
import type { Hex } from '../payments/protocol/networks.ts';
import type { ChallengeBinding, WalletProof } from './credentials.ts';
import type { AccountPorts } from './ports.ts';
import { readSignInMessage, type SignInPlace } from './sign-in-message.ts';
import { hashToken } from './tokens.ts';

export interface SignedText {
  readonly message: string;
  readonly signature: Hex;
}

/**
 * The reason for a failed proof. The challenge is used up, except by `unreachable`. `contract unknown`: no key made the
 * signature, and no node is configured that could check a contract's.
 */
export type ProofRefusal =
  | { readonly ok: false; readonly reason: 'wrong' | 'contract unknown' }
  | {
      readonly ok: false;
      readonly reason: 'unreachable';
      readonly system: 'postgres' | 'chain';
      readonly cause: unknown;
    };

export type ProvenWallet = { readonly ok: true; readonly proof: WalletProof } | ProofRefusal;

const wrong: ProofRefusal = { ok: false, reason: 'wrong' };

/**
 * Identifies the wallet that signed one of our messages: for this place and time, given to this browser for this
 * purpose, and still open. The caller uses up the challenge in the same transaction as the proof.
 */
export async function proveWallet(
  { challenges, contractWallets }: Pick<AccountPorts, 'challenges' | 'contractWallets'>,
  place: SignInPlace,
  binding: ChallengeBinding,
  { message, signature }: SignedText,
  nowMs: number,
): Promise<ProvenWallet> {
  const address = readSignInMessage(message, place, nowMs);
  if (address === null) return wrong;
  // The hash covers the whole text, so a changed message is unknown.
  const challenge = { ...binding, hash: hashToken(message) };
  const open = await challenges.isOpen(challenge);
  if (!open.ok) return unreachable('postgres', open.cause);
  if (!open.value) return wrong;
  const proven = { ok: true, proof: { address, challenge } } as const;
  const signed = { address, message, signature };
  // Check the key first: it controls the address even if the address has code (EIP-7702), and needs no node.
  if (await isSignedByKey(signed)) return proven;
  if (contractWallets !== null) {
    const answer = await contractWallets.verify(signed);
    if (!answer.ok) return unreachable('chain', answer.cause);
    if (answer.value) return proven;
  }
  const discarded = await challenges.discard(challenge);
  if (!discarded.ok) return unreachable('postgres', discarded.cause);
  return contractWallets === null ? { ok: false, reason: 'contract unknown' } : wrong;
}

/** Returns true if the key of an address, in lower case, signed a message (EIP-191). */
async function isSignedByKey({
  address,
  message,
  signature,
}: SignedText & { readonly address: Hex }): Promise<boolean> {
  try {
    const signer = await recoverAddress({ hash: hashMessage(message), signature });
    return signer.toLowerCase() === address;
  } catch {
    // Not the form of a key's signature.
    return false;
  }
}

/** Returns a refusal because a system did not answer. The challenge stays open. */
export function unreachable(system: 'postgres' | 'chain', cause: unknown): ProofRefusal {
  return { ok: false, reason: 'unreachable', system, cause };
}
