import type { NetworkName } from '../protocol/networks.ts';
import { type AuditAccount, type AuditLedger, assertNetwork, type BlockRange, type ComparedBlocks } from './audit.ts';
import { type WalkDeps, walkBlocks } from './audit-walk.ts';
import { guessBlock } from './evidence.ts';

// One pass of the audit: every recipient that has rows, from the end of the last pass to the youngest final block.

/** The progress of one recipient's audit. All blocks from the first to the last one are compared. */
export interface AuditPosition {
  readonly firstBlock: number;
  readonly lastBlock: number;
  readonly transfers: number;
  /** In base units. */
  readonly received: bigint;
}

/** A recipient, and what is known of its first payment. */
export interface AuditTarget {
  readonly account: AuditAccount;
  /** The first block in which one of its rows may have been paid; null if no row has one, or it was not queried. */
  readonly fromBlock: number | null;
  /**
   * The time of the first row without such a block, in seconds since 1970; null if every row has one, or not queried.
   */
  readonly sinceSeconds: number | null;
}

/** The store of positions. Every method rejects with `DatabaseLostError` when the database can't be asked. */
export interface AuditPositions extends AuditLedger {
  /** @param again also looks for the beginning of those that were audited before */
  targets(again: boolean): Promise<readonly AuditTarget[]>;
  /**
   * Takes the recipient over; null while another process has it, or has come to its end within `restMs`.
   * @param firstBlock where a recipient begins that was never audited
   */
  take(account: AuditAccount, firstBlock: number, lease: AuditLease): Promise<AuditPosition | null>;
  /** Goes back to a first block. Null when the lease was lost. */
  restart(account: AuditAccount, firstBlock: number, lease: AuditLease): Promise<AuditPosition | null>;
  /** Adds what was compared to a position. Null when the lease was lost. */
  save(account: AuditAccount, compared: ComparedBlocks, lease: AuditLease): Promise<AuditPosition | null>;
  renew(account: AuditAccount, lease: AuditLease): Promise<void>;
  /** Gives the recipient back. */
  release(account: AuditAccount, lease: AuditLease, finished: boolean): Promise<void>;
  /** Returns blocks with open findings; those not checked for the longest time come first. */
  openBlocks(account: AuditAccount, max: number): Promise<readonly number[]>;
  /** The sum of rows settled in these blocks, removed ones included, in base units. */
  settledSum(account: AuditAccount, blocks: BlockRange): Promise<bigint>;
}

export interface AuditLease {
  readonly owner: string;
  readonly ms: number;
  readonly restMs: number;
}

export interface AuditDeps extends Omit<WalkDeps, 'alive' | 'ledger'> {
  readonly positions: AuditPositions;
  /** The network of the configured node. */
  readonly network: NetworkName;
}

export interface AuditOptions {
  /** The first block to compare. The stored position is used and changed only with `again`. */
  readonly fromBlock?: number | undefined;
  /** The last block to compare; by default the youngest final one. */
  readonly toBlock?: number | undefined;
  /** True if everything is compared again. */
  readonly again?: boolean | undefined;
  /** True if the sums are wanted. With millions of rows, they take seconds. */
  readonly sums: boolean;
  /** A recipient is skipped for this time after its audit finished. */
  readonly restMs: number;
}

/**
 * - `done`: compared up to the wanted block
 * - `no_node`: no node of its network is configured
 * - `node_behind`: the node does not know blocks that were compared already
 * - `taken`: another process is auditing it
 */
export interface AccountAudit {
  readonly account: AuditAccount;
  readonly state: 'done' | 'no_node' | 'node_behind' | 'taken';
  /** Null if nothing was compared, or they were not wanted. */
  readonly sums: AuditSums | null;
  /** Rows that the audit settled. */
  readonly landed: number;
}

export interface AuditSums extends BlockRange {
  readonly transfers: number;
  /** The amount received according to the chain, in base units. */
  readonly received: bigint;
  /** The amount received according to the ledger. */
  readonly settled: bigint;
}

/** Longer than reading a few receipts from a slow node takes. */
const leaseMs = 60_000;
/** Blocks with open findings that one pass compares again. */
const recheckMax = 100;

/**
 * Audits every recipient that has rows, one after the other. Rejects when the chain or the database can't be asked;
 * what was compared until then is kept, but where `fromBlock` names the blocks.
 */
export async function auditOnce(
  deps: AuditDeps,
  options: AuditOptions,
  signal: AbortSignal,
): Promise<readonly AccountAudit[]> {
  const targets = await deps.positions.targets(options.again ?? false);
  const audits: AccountAudit[] = [];
  if (targets.some(({ account }) => account.network === deps.network)) await assertNetwork(deps.chain, deps.network);
  for (const target of targets) {
    signal.throwIfAborted();
    const { account } = target;
    if (account.network !== deps.network) audits.push({ account, state: 'no_node', sums: null, landed: 0 });
    else audits.push(await auditAccount(target, deps, options, signal));
  }
  return audits;
}

async function auditAccount(
  target: AuditTarget,
  deps: AuditDeps,
  options: AuditOptions,
  signal: AbortSignal,
): Promise<AccountAudit> {
  const { chain, network } = deps;
  const head = await chain.block(network, 'latest');
  const finalBlock = Math.max(0, head.number - chain.reorgBlocks);
  const toBlock = Math.min(finalBlock, options.toBlock ?? finalBlock);
  const fromBlock = options.fromBlock ?? beginning(target, deps, head);
  const run: Run = { account: target.account, toBlock, deps, signal };
  if (options.fromBlock !== undefined && !options.again) return auditBlocks(run, fromBlock);
  return auditOn(run, { finalBlock, fromBlock, options });
}

interface Run {
  readonly account: AuditAccount;
  readonly toBlock: number;
  readonly deps: AuditDeps;
  readonly signal: AbortSignal;
}

/** Returns the first block that may contain a payment. */
function beginning(
  { fromBlock, sinceSeconds }: AuditTarget,
  { chain }: AuditDeps,
  head: { readonly number: number; readonly seconds: number },
): number {
  const guessed = sinceSeconds === null ? head.number : guessBlock(chain, sinceSeconds, head);
  return Math.min(fromBlock ?? guessed, guessed);
}

/** Just these blocks, wherever the position is. */
async function auditBlocks({ account, toBlock, deps, signal }: Run, fromBlock: number): Promise<AccountAudit> {
  const sums = { fromBlock, toBlock, transfers: 0, received: 0n };
  let landed = 0;
  const alive = async (): Promise<void> => signal.throwIfAborted();
  await walkBlocks(account, sums, walkDeps(deps, alive), async (compared) => {
    sums.transfers += compared.transfers;
    sums.received += compared.received;
    landed += compared.landed;
    return true;
  });
  return { account, state: 'done', sums: { ...sums, settled: await deps.positions.settledSum(account, sums) }, landed };
}

function walkDeps(deps: AuditDeps, alive: () => Promise<void>): WalkDeps {
  return { ...deps, ledger: deps.positions, alive };
}

/** From the position on. */
async function auditOn(
  { account, toBlock, deps, signal }: Run,
  { finalBlock, fromBlock, options }: { finalBlock: number; fromBlock: number; options: AuditOptions },
): Promise<AccountAudit> {
  const { positions, chain } = deps;
  const lease: AuditLease = { owner: deps.newOwner(), ms: leaseMs, restMs: options.restMs };
  const alive = async (): Promise<void> => {
    signal.throwIfAborted();
    await positions.renew(account, lease);
  };
  const taken = await positions.take(account, fromBlock, lease);
  if (taken === null) return { account, state: 'taken', sums: null, landed: 0 };
  let finished = false;
  try {
    const from = options.again ? await positions.restart(account, fromBlock, lease) : taken;
    if (from === null) return { account, state: 'taken', sums: null, landed: 0 };
    if (finalBlock < from.lastBlock - chain.reorgBlocks) {
      return { account, state: 'node_behind', sums: null, landed: 0 };
    }
    const step: Step = { account, toBlock, deps: walkDeps(deps, alive), lease, positions };
    const rechecked = options.again ? 0 : await recheck(step);
    const { position, landed } = await goOn(step, from);
    if (position === null) return { account, state: 'taken', sums: null, landed: rechecked + landed };
    finished = toBlock === finalBlock;
    const sums = options.sums ? await sumsOf(account, position, positions) : null;
    return { account, state: 'done', sums, landed: rechecked + landed };
  } finally {
    await positions.release(account, lease, finished);
  }
}

interface Step {
  readonly account: AuditAccount;
  readonly toBlock: number;
  readonly deps: WalkDeps;
  readonly lease: AuditLease;
  readonly positions: AuditPositions;
}

/**
 * Returns the position after the last block, and how many rows were settled on the way; no position where the lease was
 * lost.
 */
async function goOn({ account, toBlock, deps, lease, positions }: Step, from: AuditPosition) {
  const reached: { position: AuditPosition | null; landed: number } = { position: from, landed: 0 };
  await walkBlocks(account, { fromBlock: from.lastBlock + 1, toBlock }, deps, async (compared) => {
    reached.landed += compared.landed;
    reached.position = await positions.save(account, compared, lease);
    return reached.position !== null;
  });
  return reached;
}

/** Compares blocks with open findings again: a row may have come late, or its transfer was found elsewhere. */
async function recheck({ account, toBlock, deps, positions }: Step): Promise<number> {
  let landed = 0;
  for (const block of await positions.openBlocks(account, recheckMax)) {
    if (block > toBlock) continue;
    await walkBlocks(account, { fromBlock: block, toBlock: block }, deps, async (compared) => {
      landed += compared.landed;
      return true;
    });
  }
  return landed;
}

async function sumsOf(account: AuditAccount, position: AuditPosition, positions: AuditPositions): Promise<AuditSums> {
  const { firstBlock, lastBlock, transfers, received } = position;
  const blocks = { fromBlock: firstBlock, toBlock: lastBlock };
  return { ...blocks, transfers, received, settled: await positions.settledSum(account, blocks) };
}
