import type { ChainReads, PaymentRow, TokenEvent, TransactionReceipt } from '../ports.ts';
import type { Hex } from '../protocol/networks.ts';
import type { Authorization } from '../protocol/payload.ts';

// The chain's evidence of one authorization, and the verdict from it.

/** The known use of an authorization. */
type Spending =
  /** Its own transfer moved the amount from the payer to the recipient. */
  | { readonly kind: 'transfer'; readonly transaction: Hex; readonly block: number }
  /** It was used for another transfer, or for one that can't be attributed to it. */
  | { readonly kind: 'other'; readonly block: number }
  | { readonly kind: 'cancelled'; readonly block: number };

/** The chain's state of one authorization, all read at one block. */
export interface ChainFacts {
  /** Null if a receipt alone decided the matter. */
  readonly head: Head | null;
  /** The authorization was used or cancelled. */
  readonly spent: boolean;
  /** Null if it is unspent, or if the node shows no log of it yet. */
  readonly spending: Spending | null;
  /**
   * The state of the transaction that the facilitator named: not in a block yet (`waiting`), in a block and moved this
   * money (`landed`), in a block without moving it (`failed`), unknown to the node; `none` if it named none.
   */
  readonly named: 'none' | 'waiting' | 'landed' | 'failed' | 'not-found';
}

interface Head {
  readonly number: number;
  /** Seconds since 1970. */
  readonly seconds: number;
  /** The youngest final block and its time. */
  readonly finalNumber: number;
  readonly finalSeconds: number;
}

/** The conclusion from the facts. `final` if it rests on no block that may still be taken back. */
export type Verdict =
  | { readonly kind: 'landed'; readonly transaction: Hex; readonly block: number; readonly final: boolean }
  /** It has moved no money of ours, and as things stand never can. */
  | { readonly kind: 'void'; readonly why: 'cancelled' | 'expired' | 'spent_elsewhere'; readonly final: boolean }
  /**
   * Unused and still valid: settling it (again) charges at most once. `failed`: the named transaction came to nothing.
   */
  | { readonly kind: 'open'; readonly failed: boolean }
  /** Look again later. */
  | { readonly kind: 'wait' };

/**
 * A node may lag behind its neighbours, so that one reports "used" while another does not show the transaction yet.
 * This long after an authorization has expired, no node lags that far.
 */
export const lagSeconds = 60;

/** A spent authorization whose transaction no node shows counts as spent elsewhere; after this time, finally. */
const unseenSeconds = 86_400;

/** Allows for clock differences, and for private chains with faster blocks. */
const startMarginBlocks = 30;

/**
 * Judges an authorization for which there is a row, and no other: chain history alone never buys anything.
 * @param authorization its last valid second, exclusive
 */
export function judge(facts: ChainFacts, authorization: Pick<Authorization, 'validBefore'>): Verdict {
  const { head, spending } = facts;
  if (spending !== null) {
    const final = head !== null && spending.block <= head.finalNumber;
    if (spending.kind === 'transfer') {
      return { kind: 'landed', transaction: spending.transaction, block: spending.block, final };
    }
    return { kind: 'void', why: spending.kind === 'cancelled' ? 'cancelled' : 'spent_elsewhere', final };
  }
  if (head === null) return { kind: 'wait' };
  const overdueSeconds = BigInt(head.seconds) - authorization.validBefore;
  if (facts.spent) {
    if (overdueSeconds < BigInt(lagSeconds)) return { kind: 'wait' };
    return { kind: 'void', why: 'spent_elsewhere', final: overdueSeconds >= BigInt(unseenSeconds) };
  }
  // The token takes an authorization only in blocks before `validBefore`, and time never goes back between blocks.
  if (overdueSeconds >= 0n) {
    return { kind: 'void', why: 'expired', final: BigInt(head.finalSeconds) >= authorization.validBefore };
  }
  return facts.named === 'waiting' ? { kind: 'wait' } : { kind: 'open', failed: facts.named === 'failed' };
}

/**
 * Reads the evidence of an authorization from the chain. Rejects when the node can't be asked.
 *
 * The transaction that the facilitator named is read first, then the token's own state, then its logs from our first
 * dealing with the authorization on.
 * @param finality true if the facts must also show if they rest on blocks that may still be taken back
 */
export async function findEvidence(
  chain: ChainReads,
  row: PaymentRow,
  { finality }: { readonly finality: boolean },
): Promise<ChainFacts> {
  // Read first: what a receipt shows must not be older than the head that it is compared with.
  const before = finality ? await headOf(chain, row) : null;
  const named = await namedTransaction(chain, row);
  if (named.spending !== null) return { head: before, spent: true, spending: named.spending, named: named.state };
  const head = before ?? (await headOf(chain, row));
  const spent = await chain.isSpent(row, head.number);
  const spending = spent ? await findSpending(chain, row, head) : null;
  return { head, spent, spending, named: named.state };
}

async function headOf(chain: ChainReads, row: PaymentRow): Promise<Head> {
  const latest = await chain.block(row.network, 'latest');
  const finalNumber = Math.max(0, latest.number - chain.reorgBlocks);
  const final = await chain.block(row.network, finalNumber);
  return { number: latest.number, seconds: latest.seconds, finalNumber, finalSeconds: final.seconds };
}

async function namedTransaction(
  chain: ChainReads,
  row: PaymentRow,
): Promise<{ readonly spending: Spending | null; readonly state: ChainFacts['named'] }> {
  const { transaction } = row;
  if (transaction === null) return { spending: null, state: 'none' };
  const receipt = await chain.receipt(row, transaction);
  if (receipt !== null) {
    const spending = receipt.success && isEarlier(receipt, row) ? null : spendingIn(receipt, row);
    return spending?.kind === 'transfer' ? { spending, state: 'landed' } : { spending: null, state: 'failed' };
  }
  return { spending: null, state: (await chain.isKnown(row, transaction)) ? 'waiting' : 'not-found' };
}

/** A transaction from before our first dealing with the authorization has not paid us. */
function isEarlier(receipt: TransactionReceipt, { fromBlock }: PaymentRow): boolean {
  return fromBlock !== null && receipt.block < fromBlock;
}

/** Searches the logs for the authorization's use or cancellation, from our first dealing with it on. */
async function findSpending(chain: ChainReads, row: PaymentRow, head: Head): Promise<Spending | null> {
  const first = row.fromBlock ?? guessBlock(chain, Math.floor(row.createdAtMs / 1000), head);
  for (let from = first; from <= head.number; from += chain.logRangeBlocks) {
    const to = Math.min(from + chain.logRangeBlocks - 1, head.number);
    const hit = await chain.findUse(row, from, to);
    if (hit === null) continue;
    if (hit.kind === 'cancelled') return { kind: 'cancelled', block: hit.block };
    const receipt = await chain.receipt(row, hit.transaction);
    return receipt === null ? null : spendingIn(receipt, row);
  }
  // It was used before our first dealing with it, so it paid for nothing here.
  return null;
}

/** Returns a block that is not after a moment, in seconds since 1970, guessed from the usual distance of two blocks. */
export function guessBlock(
  { blockSeconds }: Pick<ChainReads, 'blockSeconds'>,
  sinceSeconds: number,
  head: Pick<Head, 'number' | 'seconds'>,
): number {
  const ageSeconds = Math.max(0, head.seconds - sinceSeconds);
  return Math.max(0, head.number - Math.ceil(ageSeconds / blockSeconds) - startMarginBlocks);
}

/** Returns the transaction's use of the authorization; null if it did not use it. */
function spendingIn(receipt: TransactionReceipt, row: PaymentRow): Spending | null {
  if (!receipt.success) return null;
  const { block, transaction, events } = receipt;
  const at = events.findIndex((event) => event.kind === 'used' && concerns(event, row));
  if (at === -1) return null;
  return isOwnTransfer(events[at + 1], row) ? { kind: 'transfer', transaction, block } : { kind: 'other', block };
}

function concerns(event: TokenEvent & { readonly kind: 'used' }, { payer, nonce }: PaymentRow): boolean {
  return event.authorizer === payer && event.nonce === nonce;
}

/**
 * Returns true if the token's event right after the authorization's use is this payment's transfer. A transaction can
 * use many authorizations, and each must have moved its own money. The token's next event after `AuthorizationUsed`
 * must therefore be that authorization's `Transfer`, as in Circle's FiatTokenV2 (`_markAuthorizationAsUsed`, then
 * `_transfer`) and in OpenZeppelin's ERC3009. Any other transfer has not paid.
 */
function isOwnTransfer(event: TokenEvent | undefined, row: PaymentRow): boolean {
  return event?.kind === 'transfer' && event.from === row.payer && event.to === row.payTo && event.value === row.amount;
}
