import { randomBytes } from 'node:crypto';
import type { Hex } from '../../src/payments/protocol/networks.ts';
import type { Authorization } from '../../src/payments/protocol/payload.ts';
import { localAsset } from './network.ts';

/** One search, in base units. */
export const price = 10_000n;

/** The nonce, which distinguishes the payments of a payer. */
export function newNonce(): Hex {
  return `0x${randomBytes(32).toString('hex')}`;
}

/**
 * A payment for one search as published clients send it, before encoding. It is not built with the API's own code,
 * which would hide errors in that code.
 */
export function paymentOf(payTo: string, authorization: Authorization, signature: Hex) {
  const texts = Object.fromEntries(Object.entries(authorization).map(([name, value]) => [name, String(value)]));
  return {
    x402Version: 2,
    accepted: {
      scheme: 'exact',
      network: localAsset.network,
      amount: price.toString(),
      asset: localAsset.address,
      payTo,
      maxTimeoutSeconds: 300,
      extra: localAsset.domain,
    },
    payload: { signature, authorization: texts },
  };
}
