import type { Hex } from '../../../src/payments/protocol/networks.ts';
import { requestHash } from '../../../src/payments/protocol/paid-search.ts';
import { decodePayment, encodeHeader, identifierName } from '../../../src/payments/protocol/payload.ts';
import { signatureHash } from '../../../src/payments/protocol/signature.ts';
import type { Terms } from '../../../src/payments/protocol/terms.ts';
import type { Spending } from './chain.ts';
import type { Ledger } from './ledger.ts';
import { addressOf, type PayerPlan, price, recipients, type Signed, terms, validSeconds } from './scenario.ts';

export function signPayment(
  { key, query, paymentId, entrances }: Pick<PayerPlan, 'key' | 'query' | 'paymentId' | 'entrances'>,
  { payTo, asset }: Terms,
  number: number,
  nowMs: number,
): Signed {
  const padded: Hex = `0x${`${key}${number.toString(16).padStart(2, '0')}`.padStart(64, '0')}`;
  const validBefore = BigInt(Math.floor(nowMs / 1_000) + validSeconds);
  const authorization = { from: addressOf(key), to: payTo, value: price, validAfter: 0n, validBefore, nonce: padded };
  const accepted = { scheme: 'exact', network: asset.network, amount: `${price}`, asset: asset.address, payTo };
  const texts = Object.fromEntries(Object.entries(authorization).map(([name, value]) => [name, String(value)]));
  // The signature is proven by a port here; its bytes only distinguish payments.
  const signature = signatureOver(padded, validBefore);
  const payload = { signature, authorization: texts };
  const extensions = paymentId === undefined ? undefined : { [identifierName]: { info: { id: paymentId } } };
  const header = encodeHeader({ x402Version: 2, accepted, payload, extensions });
  const to = payTo.toLowerCase() as Hex;
  const spending: Spending = {
    kind: 'transfer',
    from: authorization.from,
    to,
    value: price,
    nonce: padded,
    validBefore,
  };
  return { header, spending, query, key, entrance: entrances?.at(-1) ?? 'http' };
}

/** Represents a signature: no other authorization has the same, and no other words fit it. */
export function signatureOver(nonce: Hex, validBefore: bigint): Hex {
  return `0x${nonce.slice(2)}${validBefore.toString(16).padStart(64, '0')}1b`;
}

/** The payment with another end than was signed, by a third party who has seen it. */
export function forged(payment: Signed): Signed {
  const value = JSON.parse(Buffer.from(payment.header, 'base64').toString('utf8'));
  const { authorization } = value.payload;
  const validBefore = payment.spending.validBefore + 60n;
  const payload = { ...value.payload, authorization: { ...authorization, validBefore: String(validBefore) } };
  return { ...payment, header: encodeHeader({ ...value, payload }) };
}

/** A row of a network without a node, which cannot be decided. */
export function seedUndecidable(ledger: Ledger, n: number, nowMs: number): void {
  const foreign = terms(recipients.first, 'eip155:8453');
  const request = { q: `elsewhere ${n}`, type: 'all', limit: 10, page: 1 } as const;
  const { header } = signPayment({ key: 'f', query: request.q }, foreign, 0, nowMs);
  const decoded = decodePayment(header);
  if (!decoded.ok) throw new Error(decoded.message);
  const payment = {
    ...decoded.payment,
    authorization: { ...decoded.payment.authorization, nonce: `0x${`f${n}`.padStart(64, '0')}` as Hex },
  };
  const claimed = ledger.claim({
    payment,
    terms: foreign,
    request,
    requestHash: requestHash(request),
    signatureHash: signatureHash(payment.signature),
    owner: 'nobody',
    leaseMs: 1,
    onChain: { block: 0, spent: false, balance: 9n * payment.authorization.value, fromBlock: 0 },
  });
  if (claimed.kind !== 'claimed') throw new Error('A row of another network could not be made.');
  ledger.advance(claimed.row, 'intended', { body: 'kept' });
}
