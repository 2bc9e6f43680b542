import { hashMessage, recoverAddress } from 'viem';
import type { Hex } from '../payments/protocol/networks.ts';
import type { ContractWallets } from './ports.ts';

/** A message, its signature, and who is said to have signed it, in lower case. */
interface SignedMessage {
  readonly address: Hex;
  readonly message: string;
  readonly signature: Hex;
}

/**
 * `contract unknown`: no key has made it, and no node is there to ask whether a contract has. `unreachable`: the node
 * could not be asked.
 */
export type SignatureCheck =
  | { readonly holds: true }
  | { readonly holds: false; readonly reason: 'wrong' | 'contract unknown' }
  | { readonly holds: false; readonly reason: 'unreachable'; readonly cause: unknown };

/**
 * Whether a wallet has signed a message (EIP-191). The key of an address is asked first, without the chain: it rules the
 * address whatever code it has taken on (EIP-7702). All else is for the contract at the address to say.
 * @param contracts null where no node of the chain is configured
 */
export async function checkWalletSignature(
  signed: SignedMessage,
  contracts: ContractWallets | null,
): Promise<SignatureCheck> {
  if (await isOfKey(signed)) return { holds: true };
  if (contracts === null) return { holds: false, reason: 'contract unknown' };
  const answer = await contracts.verify(signed);
  if (!answer.ok) return { holds: false, reason: 'unreachable', cause: answer.cause };
  return answer.valid ? { holds: true } : { holds: false, reason: 'wrong' };
}

async function isOfKey({ address, message, signature }: SignedMessage): Promise<boolean> {
  try {
    const signer = await recoverAddress({ hash: hashMessage(message), signature });
    return signer.toLowerCase() === address;
  } catch {
    // Not the form of a key's signature.
    return false;
  }
}
