import { createHash } from 'node:crypto';
import { recoverTypedDataAddress } from 'viem';
import type { Hex, Network } from './networks.ts';
import type { Authorization, SentPayment } from './wire.ts';

const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** The typed data (EIP-712) that the payer's signature is over. */
export function typedAuthorization(authorization: Authorization, network: Network) {
  return {
    domain: {
      name: network.domain.name,
      version: network.domain.version,
      chainId: network.chainId,
      verifyingContract: network.asset,
    },
    types,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  } as const;
}

const keySignatureBytes = 65;

/** True when the signature was made with the payer's own key. A contract wallet's never is: its contract decides. */
export async function signedByKey(sent: SentPayment, network: Network): Promise<boolean> {
  if (sent.signature.length !== 2 + 2 * keySignatureBytes) return false;
  try {
    const typed = typedAuthorization(sent.authorization, network);
    const signer = await recoverTypedDataAddress({ ...typed, signature: sent.signature });
    return signer.toLowerCase() === sent.authorization.from;
  } catch {
    // 65 bytes that are no point of the curve are no signature.
    return false;
  }
}

/** Tells signatures apart without keeping them: 64 hexadecimal digits. */
export function signatureHash(signature: Hex): string {
  return createHash('sha256').update(signature).digest('hex');
}
