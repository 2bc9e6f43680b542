/** The state of a signed payment. `refused`: the server took nothing. `unknown`: no answer has settled it. */
export type PaymentState = 'unknown' | 'refused' | 'charged';

export interface Payment {
  /** Path and query of the paid request. */
  readonly target: string;
  readonly network: string;
  readonly asset: string;
  readonly usd: string;
  readonly nonce: string;
  /** Unix time in seconds; the payment cannot be taken afterwards. */
  readonly validBefore: number;
  readonly state: PaymentState;
}
