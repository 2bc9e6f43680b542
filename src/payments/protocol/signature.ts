import { createHash } from 'node:crypto';
import { recoverTypedDataAddress } from 'viem/utils';
import { type Asset, networkOf } from './assets.ts';
import type { Hex } from './networks.ts';
import type { Authorization, PaymentPayload } from './payload.ts';

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

/** Returns the typed data (EIP-712) that the payer's signature is over. */
export function typedAuthorization(authorization: Authorization, asset: Asset) {
  return {
    domain: { ...asset.domain, chainId: networkOf(asset).chainId, verifyingContract: asset.address },
    types,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  } as const;
}

const keySignatureBytes = 65;

/** Returns true if the payer's own key made the signature. For contract wallets it is false: their contract decides. */
export async function signedByKey(sent: PaymentPayload, asset: Asset): Promise<boolean> {
  if (sent.signature.length !== 2 + 2 * keySignatureBytes || !isCanonical(sent.signature)) return false;
  try {
    const typed = typedAuthorization(sent.authorization, asset);
    const signer = await recoverTypedDataAddress({ ...typed, signature: sent.signature });
    return signer.toLowerCase() === sent.authorization.from;
  } catch {
    // Not every 65 bytes are a signature: r may be no point of the curve.
    return false;
  }
}

/** Half of the order of secp256k1. */
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * Accepts only the form that tokens accept (EIP-2, and 27 or 28 at the end). They refuse other forms of the signature.
 */
function isCanonical(signature: Hex): boolean {
  const v = signature.slice(-2);
  return (v === '1b' || v === '1c') && BigInt(`0x${signature.slice(66, 130)}`) <= halfOrder;
}

/** Returns 64 hexadecimal digits that identify a signature without storing it. */
export function signatureHash(signature: Hex): string {
  return createHash('sha256').update(signature).digest('hex');
}
