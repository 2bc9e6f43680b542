import { hashMessage, recoverAddress } from 'viem';
import type { Hex } from '../payments/protocol/networks.ts';
import type { ChallengeBinding, WalletProof } from './credentials.ts';
import type { AccountPorts } from './ports.ts';
import { readSignInMessage, type SignInPlace } from './sign-in-message.ts';
import { hashToken } from './tokens.ts';

/** A message as it was posted, with its signature. */
export interface SignedText {
  readonly message: string;
  readonly signature: Hex;
}

/**
 * Why something posted proves nothing. The challenge is used up, unless something could not be asked. `contract unknown`:
 * no key has made the signature, and no node of the chain is there to ask whether a contract has.
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
 * Whose wallet it is that has signed a message of ours: one for this place and time that was given to this browser, for
 * this purpose, and is still open. Whoever makes use of the proof uses the challenge up, in the same transaction.
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
  // Of the whole text: one that differs in a byte is another.
  const challenge = { ...binding, hash: hashToken(message) };
  const open = await challenges.isOpen(challenge);
  if (!open.ok) return unreachable('postgres', open.cause);
  if (!open.value) return wrong;
  const proven = { ok: true, proof: { address, challenge } } as const;
  const signed = { address, message, signature };
  // The key of an address is asked first, without the chain: it rules the address whatever code it has taken on (EIP-7702).
  if (await isSignedByKey(signed)) return proven;
  if (contractWallets !== null) {
    const answer = await contractWallets.verify(signed);
    if (!answer.ok) return unreachable('chain', answer.cause);
    if (answer.valid) return proven;
  }
  const discarded = await challenges.discard(challenge);
  if (!discarded.ok) return unreachable('postgres', discarded.cause);
  return contractWallets === null ? { ok: false, reason: 'contract unknown' } : wrong;
}

/** Whether the key of an address, in lower case, has signed a message (EIP-191). */
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

/** Nothing is proven, because a system could not be asked; the challenge stays open. */
export function unreachable(system: 'postgres' | 'chain', cause: unknown): ProofRefusal {
  return { ok: false, reason: 'unreachable', system, cause };
}
