import type { Hex } from './networks.ts';

/** What the chain shows of one authorization, all read at one block. */
export interface ChainFacts {
  /** The head's time, seconds since 1970. */
  readonly headSeconds: number;
  /** The authorization was used or cancelled. */
  readonly spent: boolean;
  /** The transaction whose logs show both that the authorization was used and that the money reached the recipient. */
  readonly transfer: Hex | null;
  /** The payer has cancelled the authorization. */
  readonly cancelled: boolean;
  /**
   * What became of the transaction that the facilitator named: not on the chain yet, there without moving this money,
   * or not known to the node; `none` where it named none.
   */
  readonly named: 'none' | 'waiting' | 'failed' | 'not-found';
}

/** What follows from the facts. */
export type Verdict =
  | { readonly kind: 'landed'; readonly transaction: Hex }
  /** It has moved no money and never can. */
  | { readonly kind: 'void'; readonly why: 'cancelled' | 'expired' | 'spent_elsewhere' }
  /** Unused and still valid: settling it (again) charges at most once. */
  | { readonly kind: 'open' }
  /** Look again later. */
  | { readonly kind: 'wait' };

/**
 * A node may lag behind its neighbours, so that one says "used" while another does not show the transaction yet. This
 * long after an authorization has expired, no node lags that far.
 */
export const lagSeconds = 60;

/**
 * Judges an authorization for which this service has stored an intent, and no other: chain history alone never buys
 * anything.
 */
export function judge(facts: ChainFacts, authorization: { readonly validBefore: bigint }): Verdict {
  if (facts.transfer !== null) return { kind: 'landed', transaction: facts.transfer };
  if (facts.cancelled) return { kind: 'void', why: 'cancelled' };
  const overdueSeconds = BigInt(facts.headSeconds) - authorization.validBefore;
  if (facts.spent) {
    return overdueSeconds >= BigInt(lagSeconds) ? { kind: 'void', why: 'spent_elsewhere' } : { kind: 'wait' };
  }
  // The token takes an authorization only in blocks before `validBefore`, and the head's time never goes back.
  if (overdueSeconds >= 0n) return { kind: 'void', why: 'expired' };
  return facts.named === 'waiting' ? { kind: 'wait' } : { kind: 'open' };
}
