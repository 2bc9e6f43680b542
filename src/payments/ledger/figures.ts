import type { FindingKind } from './audit.ts';

/** What an operator watches, as it is in the ledger now. */
export interface PaymentFigures {
  /** Rows by what is to be said of them; one row may be counted under several. */
  readonly payments: Readonly<Record<PaymentConcern, number>>;
  /** What the audit has found and nobody has acknowledged. */
  readonly findings: Readonly<Record<FindingKind, number>>;
  /** Seconds since the audit came to its end for every recipient; null where there is none to be audited. */
  readonly auditAgeSeconds: number | null;
}

/**
 * - `unknown`: the outcome of a settlement is not known
 * - `overdue`: the same, or settling, for longer than an hour
 * - `unconfirmed`: settled, and the chain has not shown it
 * - `denied`: settled once, and the money never arrived
 * - `undelivered`: paid, and the answer waits for its payer
 * - `released`, `refused`: given up, and may still land
 * - `no_node`: open, on a network of which no node is configured
 */
export const paymentConcerns = [
  'unknown',
  'overdue',
  'unconfirmed',
  'denied',
  'undelivered',
  'released',
  'refused',
  'no_node',
] as const;
export type PaymentConcern = (typeof paymentConcerns)[number];
