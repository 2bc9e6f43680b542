import type { AuthorizationUse, Block, ChainReads, PaymentRow, TransactionReceipt } from '../ports.ts';
import type { Hex } from '../protocol/networks.ts';

// The chain's evidence of one authorization, and the verdict from it.

/** The conclusion from the chain's state. */
export type Verdict =
  /**
   * Its own transfer moved the amount from the payer to the recipient. `final`: its block can't be replaced any more.
   */
  | { readonly kind: 'landed'; readonly transaction: Hex; readonly block: number; readonly final: boolean }
  /** A final block shows that it has not paid us and never can. */
  | { readonly kind: 'void'; readonly why: 'cancelled' | 'expired' | 'spent_elsewhere' }
  /** Unused and still valid: settling it (again) charges at most once. */
  | { readonly kind: 'open' }
  /** Look again later. */
  | { readonly kind: 'wait' };

/** Allows for clock differences, and for private chains with faster blocks. */
const startMarginBlocks = 30;

/** The blocks of this time after the end of an authorization are searched too: blocks may be faster than is usual. */
const searchedSeconds = 2 * 3_600;

/**
 * Reads the chain's verdict on a row's authorization. Rejects if the node gives no answer.
 *
 * Nodes lag behind each other, and logs behind blocks, so a missing receipt or log proves nothing. An authorization is
 * void only if it is unused and a final block is past its end, or if the node shows its other use in a final block.
 */
export async function readVerdict(chain: ChainReads, row: PaymentRow): Promise<Verdict> {
  const head = await chain.block(row.network, 'latest');
  const finalBlock = Math.max(0, head.number - chain.reorgBlocks);
  const named = row.transaction === null ? null : await chain.receipt(row, row.transaction);
  if (named !== null) {
    const verdict = verdictIn(named, row, finalBlock);
    if (verdict?.kind === 'landed') return verdict;
  }
  if (await chain.isSpent(row, head.number)) return findUse(chain, row, head.number, finalBlock);
  // The token takes an authorization only in blocks before `validBefore`, and time never goes back between blocks.
  if (BigInt(head.seconds) >= row.validBefore) {
    const { seconds } = await chain.block(row.network, finalBlock);
    return BigInt(seconds) >= row.validBefore ? { kind: 'void', why: 'expired' } : { kind: 'wait' };
  }
  const isUnderWay = row.transaction !== null && named === null && (await chain.isKnown(row, row.transaction));
  return { kind: isUnderWay ? 'wait' : 'open' };
}

/** Searches the logs for the authorization's use or cancellation, from our first dealing with it on. */
async function findUse(chain: ChainReads, row: PaymentRow, head: number, finalBlock: number): Promise<Verdict> {
  // The node may have been far behind when the row was claimed, so use that block's time instead of ours.
  const { seconds } = await chain.block(row.network, row.fromBlock);
  const leftSeconds = Math.max(0, Number(row.validBefore) - seconds);
  const last = Math.min(head, row.fromBlock + Math.ceil((leftSeconds + searchedSeconds) / chain.blockSeconds));
  for (let from = row.fromBlock; from <= last; from += chain.logRangeBlocks) {
    const use = await readLogs(chain, row, from, Math.min(from + chain.logRangeBlocks - 1, last));
    if (use === null) continue;
    if (use.kind === 'cancelled')
      return use.block <= finalBlock ? { kind: 'void', why: 'cancelled' } : { kind: 'wait' };
    const receipt = await chain.receipt(row, use.transaction);
    return (receipt === null ? null : verdictIn(receipt, row, finalBlock)) ?? { kind: 'wait' };
  }
  return { kind: 'wait' };
}

/** Reads the logs of some blocks, in smaller ranges if the node refuses the range. */
async function readLogs(
  chain: ChainReads,
  row: PaymentRow,
  fromBlock: number,
  toBlock: number,
): Promise<AuthorizationUse | null> {
  try {
    return await chain.findUse(row, fromBlock, toBlock);
  } catch (error) {
    if (fromBlock === toBlock) throw error;
    // Rejects if the node refuses more than the range.
    await chain.block(row.network, 'latest');
    const middle = Math.floor((fromBlock + toBlock) / 2);
    return (await readLogs(chain, row, fromBlock, middle)) ?? (await readLogs(chain, row, middle + 1, toBlock));
  }
}

/** Estimates a block that is not later than a time, in seconds since 1970, from the usual time between blocks. */
export function guessBlock(
  { blockSeconds }: Pick<ChainReads, 'blockSeconds'>,
  sinceSeconds: number,
  head: Block,
): number {
  const ageSeconds = Math.max(0, head.seconds - sinceSeconds);
  return Math.max(0, head.number - Math.ceil(ageSeconds / blockSeconds) - startMarginBlocks);
}

/**
 * Returns the verdict of a transaction on the authorization; null if it did not use it, or was before our first dealing
 * with it.
 *
 * A transaction can use many authorizations, and each must have moved its own money. The token's next event after
 * `AuthorizationUsed` must therefore be that authorization's `Transfer`, as in Circle's FiatTokenV2
 * (`_markAuthorizationAsUsed`, then `_transfer`) and in OpenZeppelin's ERC3009. Any other transfer has not paid.
 */
function verdictIn(receipt: TransactionReceipt, row: PaymentRow, finalBlock: number): Verdict | null {
  const { success, block, transaction, events } = receipt;
  if (!success || block < row.fromBlock) return null;
  const at = events.findIndex(
    (event) => event.kind === 'used' && event.authorizer === row.payer && event.nonce === row.nonce,
  );
  if (at === -1) return null;
  const next = events[at + 1];
  const final = block <= finalBlock;
  if (next?.kind === 'transfer' && next.from === row.payer && next.to === row.payTo && next.value === row.amount) {
    return { kind: 'landed', transaction, block, final };
  }
  return final ? { kind: 'void', why: 'spent_elsewhere' } : { kind: 'wait' };
}
