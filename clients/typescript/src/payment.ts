/**
 * Whether a signed payment was charged. `refused`: the server said that nothing was taken; the signature still counts
 * against the limit while it is good. `unknown`: no answer tells.
 */
export type PaymentState = 'unknown' | 'refused' | 'charged';

/** A payment that was signed for one call. */
export interface Payment {
  /** Path and query of what was bought. */
  readonly target: string;
  readonly network: string;
  readonly asset: string;
  readonly usd: string;
  readonly nonce: string;
  /** Unix time in seconds; afterwards nobody can take it. */
  readonly validBefore: number;
  readonly state: PaymentState;
}
