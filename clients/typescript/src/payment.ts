/** The state of a signed payment. `refused`: the server took nothing. `unknown`: no answer has settled it. */
export type PaymentState = 'unknown' | 'refused' | 'charged';

/** A payment that was signed for one call. */
export interface Payment {
  /** Path and query of what was bought. */
  readonly target: string;
  readonly network: string;
  readonly asset: string;
  readonly usd: string;
  readonly nonce: string;
  /** Unix time in seconds; the payment cannot be taken afterwards. */
  readonly validBefore: number;
  readonly state: PaymentState;
}
