import {
  type AuditAccount,
  type BlockRange,
  type CompareDeps,
  type ComparedBlocks,
  compareBlocks,
  TooMuchError,
} from './audit.ts';

export interface WalkDeps extends CompareDeps {
  /** Called after each range. */
  readonly onProgress?:
    | ((account: AuditAccount, blocks: BlockRange & { readonly doneBlock: number }) => void)
    | undefined;
}

/** Transactions whose receipts are read for one range, unless it is a single block. */
const transactionsMax = 1_000;

/**
 * Compares blocks up to the last one, as many at once as the node takes and memory holds.
 * @param onCompared answers whether to go on
 */
export async function walkBlocks(
  account: AuditAccount,
  { fromBlock, toBlock }: BlockRange,
  deps: WalkDeps,
  onCompared: (compared: ComparedBlocks) => Promise<boolean>,
): Promise<void> {
  const { chain, ledger, onProgress, log } = deps;
  let sizeMax = chain.logRangeBlocks;
  let size = sizeMax;
  for (let from = fromBlock; from <= toBlock; ) {
    await deps.alive();
    const to = Math.min(from + size - 1, toBlock);
    const half = Math.max(1, Math.floor((to - from + 1) / 2));
    const found = await listTransactions(account, { fromBlock: from, toBlock: to }, deps);
    if (found === 'refused') sizeMax = half;
    const compared = typeof found === 'string' ? null : await compareOrNull(account, found, deps);
    if (compared === null) {
      size = half;
      continue;
    }
    const news = await ledger.report(account, compared);
    if (news > 0) log.error({ ...account, blocks: [from, to], findings: news }, 'the ledger differs from the chain');
    if (!(await onCompared(compared))) return;
    onProgress?.(account, { fromBlock, toBlock, doneBlock: to });
    from = to + 1;
    size = Math.min(size * 2, sizeMax);
  }
}

/** Returns `refused` if the node answers, but not for this many blocks; `too-many` if memory is too small for them. */
async function listTransactions(account: AuditAccount, blocks: BlockRange, { chain }: WalkDeps) {
  const { fromBlock, toBlock } = blocks;
  const isSingle = fromBlock === toBlock;
  try {
    const transactions = await chain.transactionsTo(account, account.payTo, fromBlock, toBlock);
    return transactions.length > transactionsMax && !isSingle ? 'too-many' : { ...blocks, transactions };
  } catch (error) {
    if (isSingle) throw error;
    // Rejects when it is not the range that is wrong.
    await chain.block(account.network, 'latest');
    return 'refused';
  }
}

async function compareOrNull(
  account: AuditAccount,
  blocks: Parameters<typeof compareBlocks>[1],
  deps: CompareDeps,
): Promise<ComparedBlocks | null> {
  try {
    return await compareBlocks(account, blocks, deps);
  } catch (error) {
    if (error instanceof TooMuchError) return null;
    throw error;
  }
}
