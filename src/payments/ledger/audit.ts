import type { PaymentLog } from '../flow/context.ts';
import type { ChainReads, PaymentRows, TokenOnChain } from '../ports.ts';
import type { Hex } from '../protocol/networks.ts';
import { lowerHex } from '../protocol/payload.ts';
import type { Terms } from '../protocol/terms.ts';
import { guessBlock, readVerdict } from './evidence.ts';

// Compares the transfers to every recipient with the ledger, in both directions, over the last days. Blocks are
// replaced, logs lag, and databases are restored, so the same blocks are compared again and again.

/** An address that payments go to, in one token. Addresses are in lower case. */
export interface Recipient extends TokenOnChain {
  readonly payTo: Hex;
}

/** Blocks from the first to the last, both included. */
export interface BlockRange {
  readonly fromBlock: number;
  readonly toBlock: number;
}

/** A transfer of the token to a recipient. */
export interface LoggedTransfer {
  readonly transaction: Hex;
  readonly logIndex: number;
  readonly block: number;
  readonly payer: Hex;
  readonly amount: bigint;
}

/** The methods of a chain's node that the audit uses. */
export interface AuditedChain extends ChainReads {
  transfersTo(recipient: Recipient, blocks: BlockRange): Promise<readonly LoggedTransfer[]>;
}

/** The compared part of a row. */
export interface AuditedRow {
  readonly id: number;
  readonly payer: Hex;
  readonly nonce: Hex;
  readonly amount: bigint;
  readonly transaction: Hex | null;
  readonly block: number | null;
  /** False until the observer has decided about it. */
  readonly settled: boolean;
}

export type FindingKind = 'transfer_without_row' | 'row_without_transfer' | 'unreadable' | 'reversed';

/**
 * A transfer without a row, a settled row without its transfer, or blocks that the node can't show. The observer adds
 * settled rows that it removed because a reorganisation `reversed` them.
 */
export interface Finding {
  readonly kind: FindingKind;
  readonly block: number;
  readonly transaction: Hex | null;
  /** Null for a row. */
  readonly logIndex: number | null;
  readonly payer: Hex | null;
  readonly amount: bigint | null;
  /** The id of the row in question; null if there is none. */
  readonly payment: number | null;
}

/**
 * The ledger's methods for the audit. Every method rejects with `DatabaseLostError` if the database gives no answer.
 */
export interface AuditLedger {
  /** Stores a recipient, and returns all that were ever stored. */
  recipients(configured: Recipient): Promise<readonly Recipient[]>;
  /** Begins a turn, and returns the block at which the previous one stopped; null if a turn began within `restMs`. */
  begin(recipient: Recipient, restMs: number): Promise<{ readonly nextBlock: number | null } | null>;
  /** Ends a turn. @param nextBlock where the next one continues; null if the last days were compared to the end */
  end(recipient: Recipient, nextBlock: number | null): Promise<void>;
  /** Returns blocks with open findings before a block, the youngest first. */
  openBlocks(recipient: Recipient, beforeBlock: number, max: number): Promise<readonly number[]>;
  /** Returns the settled rows of these blocks and transactions, and the undecided rows of these payers. */
  rows(recipient: Recipient, blocks: BlockRange, transfers: readonly LoggedTransfer[]): Promise<readonly AuditedRow[]>;
  /** Stores the findings of these blocks and resolves all others there. Returns the number of new findings. */
  report(recipient: Recipient, blocks: BlockRange, findings: readonly Finding[]): Promise<number>;
}

export interface AuditDeps {
  readonly chain: AuditedChain;
  readonly rows: Pick<PaymentRows, 'find' | 'advance'>;
  readonly ledger: AuditLedger;
  /** The terms of new payments, which name the configured recipient. */
  readonly terms: Terms;
  /** Time for which settled rows are kept; older transfers have none. */
  readonly keepMs: number;
  readonly log: PaymentLog;
}

export interface AuditOptions {
  /** The first block to compare; by default that of a few days ago. */
  readonly fromBlock?: number | undefined;
  /** The last block to compare; by default the youngest final one. */
  readonly toBlock?: number | undefined;
  /** Limits of the continuous audit, which continues where the last turn stopped. */
  readonly turn?: { readonly restMs: number; readonly rangesMax: number };
}

/**
 * - `done`: compared up to the wanted block
 * - `unfinished`: compared as far as a turn goes; the next one continues
 * - `resting`: a turn began a short while ago
 * - `no_node`: no node of its network is configured
 * - `failed`: the chain or the database could not be asked; the log has the reason
 */
export interface RecipientAudit extends BlockRange {
  readonly recipient: Recipient;
  readonly state: 'done' | 'unfinished' | 'resting' | 'no_node' | 'failed';
  readonly transfers: number;
  /** The sum of these, in base units. */
  readonly received: bigint;
}

/** Longer than a weekend, so that someone notices a restored database. */
const windowSeconds = 3 * 86_400;
/** Older blocks with open findings that are compared again. */
const recheckMax = 100;

/** Audits every recipient, one after the other. One that can't be compared doesn't hold up the others. */
export async function auditOnce(
  deps: AuditDeps,
  options: AuditOptions,
  signal: AbortSignal,
): Promise<readonly RecipientAudit[]> {
  const { asset, payTo } = deps.terms;
  const { network } = asset;
  const recipients = await deps.ledger.recipients({ network, asset: lowerHex(asset.address), payTo: lowerHex(payTo) });
  const audits: RecipientAudit[] = [];
  for (const recipient of recipients) {
    const run: Run = { recipient, deps, signal, fromBlock: 0, toBlock: 0, nextBlock: 0, transfers: 0, received: 0n };
    const state = recipient.network === network ? await auditRecipient(run, options) : 'no_node';
    const { fromBlock, toBlock, transfers, received } = run;
    audits.push({ recipient, state, fromBlock, toBlock, transfers, received });
  }
  return audits;
}

/** The audit of a recipient, and its progress. */
interface Run {
  readonly recipient: Recipient;
  readonly deps: AuditDeps;
  readonly signal: AbortSignal;
  fromBlock: number;
  toBlock: number;
  nextBlock: number;
  transfers: number;
  received: bigint;
}

async function auditRecipient(run: Run, options: AuditOptions): Promise<RecipientAudit['state']> {
  const { recipient, deps, signal } = run;
  signal.throwIfAborted();
  try {
    const begun = options.turn === undefined ? null : await deps.ledger.begin(recipient, options.turn.restMs);
    if (options.turn !== undefined && begun === null) return 'resting';
    return await compareWindow(run, options, begun?.nextBlock ?? null);
  } catch (error) {
    if (signal.aborted) throw error;
    deps.log.warn({ err: error, ...recipient }, 'a recipient could not be audited');
    return 'failed';
  }
}

async function compareWindow(run: Run, options: AuditOptions, resumeAt: number | null): Promise<'done' | 'unfinished'> {
  const { recipient, deps } = run;
  const { chain, ledger } = deps;
  const head = await chain.block(recipient.network, 'latest');
  const finalBlock = Math.max(0, head.number - chain.reorgBlocks);
  const first = guessBlock(chain, head.seconds - Math.min(windowSeconds, deps.keepMs / 1_000), head);
  run.fromBlock = options.fromBlock ?? Math.max(first, resumeAt ?? 0);
  run.toBlock = Math.min(finalBlock, options.toBlock ?? finalBlock);
  run.nextBlock = run.fromBlock;
  const isPart = options.fromBlock !== undefined || options.toBlock !== undefined;
  if (!isPart && resumeAt === null) {
    for (const block of await ledger.openBlocks(recipient, first, recheckMax)) {
      await walkBlocks({ ...run }, { fromBlock: block, toBlock: block });
    }
  }
  try {
    await walkBlocks(run, run, options.turn?.rangesMax);
  } finally {
    if (!isPart) await ledger.end(recipient, run.nextBlock > run.toBlock ? null : run.nextBlock);
  }
  return run.nextBlock > run.toBlock ? 'done' : 'unfinished';
}

/** Compares blocks, as many at once as the node accepts. A block that the node can't show is a finding. */
async function walkBlocks(run: Run, { fromBlock, toBlock }: BlockRange, rangesMax = Infinity): Promise<void> {
  const { recipient, deps, signal } = run;
  const { chain, ledger, log } = deps;
  let size = chain.logRangeBlocks;
  let from = fromBlock;
  for (let ranges = 0; from <= toBlock && ranges < rangesMax; ranges += 1) {
    signal.throwIfAborted();
    const blocks = { fromBlock: from, toBlock: Math.min(from + size - 1, toBlock) };
    const logged = await readable(run, blocks, () => chain.transfersTo(recipient, blocks));
    if (logged === null && from < blocks.toBlock) {
      size = Math.ceil((blocks.toBlock - from + 1) / 2);
      continue;
    }
    const findings = logged === null ? [unreadable(from)] : await compareTransfers(run, blocks, logged);
    const found = await ledger.report(recipient, blocks, findings);
    if (found > 0) log.error({ ...recipient, ...blocks, findings: found }, 'the ledger differs from the chain');
    from = blocks.toBlock + 1;
    run.nextBlock = from;
    size = Math.min(size * 2, chain.logRangeBlocks);
  }
}

/** Returns null if the node answers, but not this request. Rejects if the node doesn't answer at all. */
async function readable<T>({ recipient, deps }: Run, about: object, ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    await deps.chain.block(recipient.network, 'latest');
    deps.log.info({ err: error, ...recipient, ...about }, 'the node gave no answer to a part of the audit');
    return null;
  }
}

function unreadable(block: number): Finding {
  return { kind: 'unreadable', block, transaction: null, logIndex: null, payer: null, amount: null, payment: null };
}

type Moved = Pick<AuditedRow, 'transaction' | 'payer' | 'amount'>;
const keyOf = ({ transaction, payer, amount }: Moved): string => `${transaction} ${payer} ${amount}`;

/** Compares the transfers of some blocks with their rows. */
async function compareTransfers(
  run: Run,
  blocks: BlockRange,
  logged: readonly LoggedTransfer[],
): Promise<readonly Finding[]> {
  // Anyone can make a transfer of zero.
  const transfers = logged.filter(({ amount }) => amount > 0n);
  const rows = await run.deps.ledger.rows(run.recipient, blocks, transfers);
  // The observer will decide about these transfers.
  const undecided = new Set(rows.flatMap((row) => (row.settled ? [] : [keyOf({ ...row, transaction: null })])));
  const settled = Map.groupBy(
    rows.filter((row) => row.settled),
    keyOf,
  );
  const findings: Finding[] = [];
  for (const transfer of transfers) {
    run.transfers += 1;
    run.received += transfer.amount;
    if (settled.get(keyOf(transfer))?.pop() !== undefined) continue;
    if (undecided.has(keyOf({ ...transfer, transaction: null }))) continue;
    findings.push({ kind: 'transfer_without_row', ...transfer, payment: null });
  }
  for (const row of [...settled.values()].flat()) {
    const { id: payment, block, transaction, payer, amount } = row;
    if (block === null || block < blocks.fromBlock || block > blocks.toBlock) continue;
    const kind = await problemOf(run, row);
    if (kind !== null) findings.push({ kind, block, transaction, logIndex: null, payer, amount, payment });
  }
  return findings;
}

/**
 * Returns the problem of a settled row without a log in its block; null if there is none. Logs may lag or be missing,
 * so the row's own evidence decides. If its transfer is in another block, the row is corrected.
 */
async function problemOf(run: Run, { id, payer, nonce }: AuditedRow): Promise<FindingKind | null> {
  const { chain, rows } = run.deps;
  const { network, asset } = run.recipient;
  const row = await rows.find({ network, asset, payer, nonce });
  if (row?.status !== 'settled') return null;
  const verdict = await readable(run, { payment: id }, () => readVerdict(chain, row));
  if (verdict === null) return 'unreadable';
  if (verdict.kind === 'wait') return null;
  if (verdict.kind !== 'landed') return 'row_without_transfer';
  const { transaction, block, final } = verdict;
  await rows.advance(row, 'landed', { transaction, block, final });
  return null;
}
