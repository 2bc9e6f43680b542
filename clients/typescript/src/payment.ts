/** The fate of a signed payment. `refused`: the server said that nothing was taken. `unknown`: no answer says. */
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
