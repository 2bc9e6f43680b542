import type { Authorization, PaymentPayload } from './payload.ts';
import type { Terms } from './terms.ts';

/** The reason for refusing a payment. `code` is stable; the message is a clause that names the fault. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** Bounds on the time that an authorization is still valid when its settlement begins. */
export interface ValidityLimits {
  readonly minLeftSeconds: number;
  /** A bound on how long an unknown outcome can stay unknown. */
  readonly maxLeftSeconds: number;
}

/** Compares what the client accepted and signed with the terms. Only the protocol's own fields count. */
export function checkTerms(sent: PaymentPayload, terms: Terms): Refusal | null {
  const { accepted, authorization } = sent;
  const amount = terms.amount.toString();
  if (accepted.scheme !== 'exact') return refusal('invalid_scheme', 'only the scheme "exact" is taken');
  if (accepted.network !== terms.asset.network) {
    return refusal('invalid_network', `payments are accepted on ${terms.asset.network}`);
  }
  if (!sameAddress(accepted.asset, terms.asset.address)) {
    return refusal('invalid_asset', `payments are accepted in the token ${terms.asset.address}`);
  }
  if (!sameAddress(accepted.payTo, terms.payTo) || !sameAddress(authorization.to, terms.payTo)) {
    return refusal('invalid_exact_evm_payload_recipient_mismatch', `the recipient must be ${terms.payTo}`);
  }
  if (accepted.amount !== amount || authorization.value !== terms.amount) {
    return refusal(
      'invalid_exact_evm_payload_authorization_value_mismatch',
      `the amount must be exactly ${amount} base units`,
    );
  }
  return null;
}

/** Returns null if the authorization can be settled now. `nowSeconds` is our clock, as in the answer's Date header. */
export function checkValidity(
  authorization: Authorization,
  limits: ValidityLimits,
  nowSeconds: number,
): Refusal | null {
  const now = BigInt(nowSeconds);
  if (authorization.validAfter > now) {
    return refusal('invalid_exact_evm_payload_authorization_valid_after', 'the authorization is not valid yet');
  }
  const left = authorization.validBefore - now;
  const code = 'invalid_exact_evm_payload_authorization_valid_before';
  if (left < BigInt(limits.minLeftSeconds)) {
    return refusal(code, `the authorization has expired or has less than ${limits.minLeftSeconds} s left`);
  }
  if (left > BigInt(limits.maxLeftSeconds)) {
    return refusal(code, `the authorization must expire within ${limits.maxLeftSeconds} s`);
  }
  return null;
}

function sameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function refusal(code: string, message: string): Refusal {
  return { code, message };
}
