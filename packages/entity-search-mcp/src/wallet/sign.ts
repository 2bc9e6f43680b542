import { randomBytes } from 'node:crypto';
import { addr, signTyped } from 'micro-eth-signer';
import { type NetworkName, networks } from './networks.ts';

/** An EIP-3009 permission to move money once, as x402 sends it: numbers are decimal texts. */
export interface Authorization {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  readonly nonce: string;
}

export interface SignedAuthorization {
  readonly signature: string;
  readonly authorization: Authorization;
}

const types = {
  EIP712Domain: [
    { name: 'name', type: 'string' },
    { name: 'version', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ],
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** True for 0x and 64 hexadecimal digits that are a key of the curve. */
export function isPrivateKey(text: string): boolean {
  return /^0x[0-9a-fA-F]{64}$/.test(text) && addr.isValidPrivateKey(text);
}

export function addressOf(privateKey: string): string {
  return addr.fromPrivateKey(privateKey);
}

/** Signs the transfer of an amount of a network's USDC. The token is the network's own, whatever an offer said. */
export function signTransfer(
  privateKey: string,
  network: NetworkName,
  transfer: { readonly to: string; readonly amount: bigint; readonly validBefore: number },
): SignedAuthorization {
  const { chainId, usdc } = networks[network];
  const nonce = Uint8Array.from(randomBytes(32));
  const authorization: Authorization = {
    from: addressOf(privateKey),
    to: transfer.to,
    value: transfer.amount.toString(),
    validAfter: '0',
    validBefore: transfer.validBefore.toString(),
    nonce: `0x${Buffer.from(nonce).toString('hex')}`,
  };
  const { from, to } = authorization;
  const signature = signTyped(
    {
      types,
      primaryType: 'TransferWithAuthorization',
      domain: { name: usdc.name, version: usdc.version, chainId, verifyingContract: usdc.address },
      message: {
        from,
        to,
        value: transfer.amount,
        validAfter: 0n,
        validBefore: BigInt(transfer.validBefore),
        nonce,
      },
    },
    privateKey,
  );
  return { signature, authorization };
}
