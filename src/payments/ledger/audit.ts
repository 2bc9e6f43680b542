import type { PaymentLog } from '../flow/context.ts';
import type { AuthorizationKey, ChainReads, PaymentRow, PaymentRows, TokenOnChain } from '../ports.ts';
import { type Hex, type NetworkName, networks } from '../protocol/networks.ts';
import { authorizationBehind } from './evidence.ts';

// Compares all transfers of a token to a recipient with the ledger, both ways, some blocks at a time.
//
// Each transfer belongs to one row at most, and each row has one transfer at most: a token takes an authorization once,
// the transfer of an authorization is the token's next event after its use, and a row is unique by its authorization.

/** A token's transfers to one recipient. Addresses are in lower case. */
export interface AuditAccount extends TokenOnChain {
  readonly payTo: Hex;
}

/** The node of a chain as the audit uses it. Every method rejects when the node can't be asked. */
export interface AuditedChain extends ChainReads {
  chainId(): Promise<number>;
  /** Transactions with a transfer of the token to the recipient, in blocks within both ends. */
  transactionsTo(token: TokenOnChain, payTo: Hex, fromBlock: number, toBlock: number): Promise<readonly Hex[]>;
}

export const findingKinds = ['transfer_without_row', 'row_without_transfer'] as const;
export type FindingKind = (typeof findingKinds)[number];

/** A transfer that no row accounts for, or a settled row whose transfer is not in its block. */
export interface Discrepancy {
  readonly kind: FindingKind;
  readonly transaction: Hex;
  /** The transfer's place among the token's events in its transaction, from 0; null for a row. */
  readonly eventAt: number | null;
  readonly block: number;
  readonly payer: Hex;
  readonly amount: bigint;
  /** The id of the row in question; null if there is none. */
  readonly payment: number | null;
}

/** A settled row, as far as its transfer goes. */
export interface SettledRow {
  readonly id: number;
  readonly transaction: Hex;
  readonly block: number;
  readonly payer: Hex;
  readonly amount: bigint;
}

export interface BlockRange {
  readonly fromBlock: number;
  /** Included. */
  readonly toBlock: number;
}

/** Blocks, with the transactions in which something was transferred to the recipient. */
interface AuditedBlocks extends BlockRange {
  readonly transactions: readonly Hex[];
}

/** The result of comparing some blocks. */
export interface ComparedBlocks extends BlockRange {
  readonly transfers: number;
  /** The sum of these, in base units. */
  readonly received: bigint;
  /** Rows that were settled by it. */
  readonly landed: number;
  readonly discrepancies: readonly Discrepancy[];
}

/** The ledger, as the audit sees it. Every method rejects with `DatabaseLostError` when the database can't be asked. */
export interface AuditLedger {
  /** The rows of these authorizations, in any order. */
  find(authorizations: readonly AuthorizationKey[]): Promise<readonly PaymentRow[]>;
  /** Stores the blocks of settled rows' transfers in rows without one. */
  noteBlocks(places: readonly { readonly id: number; readonly block: number }[]): Promise<void>;
  /** Returns settled rows of these blocks except the given ids, by block and id, after a place in that order. */
  settledBut(
    account: AuditAccount,
    blocks: BlockRange,
    ids: readonly number[],
    page: { readonly after: Pick<SettledRow, 'block' | 'id'>; readonly max: number },
  ): Promise<readonly SettledRow[]>;
  /**
   * Stores the findings of these blocks and resolves all others there.
   * @returns the number of new findings
   */
  report(account: AuditAccount, compared: ComparedBlocks): Promise<number>;
}

export interface CompareDeps {
  readonly chain: AuditedChain;
  readonly rows: PaymentRows;
  readonly ledger: AuditLedger;
  readonly newOwner: () => string;
  readonly leaseMs: number;
  readonly log: PaymentLog;
  /** Called again and again while a range is compared. */
  readonly alive: () => Promise<void>;
}

/** The node contradicts itself. The audit draws no conclusion from it and asks again later. */
export class ContradictionError extends Error {
  override readonly name = 'ContradictionError';
}

/** A request works on a payment whose transfer is final: the blocks are compared when it is done. */
export class UnderWayError extends Error {
  override readonly name = 'UnderWayError';
  constructor(id: number) {
    super(`Payment ${id} is being worked on just now; run the audit again in a minute.`);
  }
}

/** More than is held in memory at a time: fewer blocks must be compared at once. */
export class TooMuchError extends Error {
  override readonly name = 'TooMuchError';
}

/** Receipts that are read at the same time. */
const receiptsAtOnce = 8;
/** Settled rows without their transfer that are read at the same time. */
const rowsAtOnce = 200;
/** Discrepancies of one range, unless it is a single block. */
const discrepanciesMax = 10_000;

interface Transfer {
  readonly transaction: Hex;
  readonly eventAt: number;
  readonly block: number;
  readonly from: Hex;
  readonly value: bigint;
  /** The authorization that moved the money; null for a plain transfer. */
  readonly authorization: AuthorizationKey | null;
}

/**
 * Compares some final blocks. A row that is not settled although its transfer is there becomes settled, as the observer
 * would settle it. Rejects when the chain or the database can't be asked, and with `ContradictionError`,
 * `UnderWayError` or `TooMuchError`.
 */
export async function compareBlocks(
  account: AuditAccount,
  blocks: AuditedBlocks,
  deps: CompareDeps,
): Promise<ComparedBlocks> {
  const places = new Map<number, number>();
  const discrepancies: Discrepancy[] = [];
  const count = { transfers: 0, received: 0n, landed: 0 };
  for (let at = 0; at < blocks.transactions.length; at += receiptsAtOnce) {
    const some = blocks.transactions.slice(at, at + receiptsAtOnce);
    const read = await Promise.all(some.map((transaction) => readTransfers(account, transaction, blocks, deps)));
    const transfers = read.flat();
    const known = await knownRows(transfers, deps.ledger);
    for (const transfer of transfers) {
      count.transfers += 1;
      count.received += transfer.value;
      const row = accountedBy(transfer, account, known, places);
      const settled = row === null ? 'no' : await settleRow(row, transfer, deps);
      if (row === null || settled === 'no') discrepancies.push(unaccounted(transfer, known));
      else places.set(row.id, transfer.block);
      if (settled === 'landed') count.landed += 1;
    }
    await deps.alive();
  }
  await deps.ledger.noteBlocks([...places].map(([id, block]) => ({ id, block })));
  for await (const row of rowsWithout(account, blocks, [...places.keys()], deps)) {
    if (discrepancies.length >= discrepanciesMax && blocks.fromBlock < blocks.toBlock) throw new TooMuchError();
    discrepancies.push({ kind: 'row_without_transfer', ...row, eventAt: null, payment: row.id });
  }
  const { fromBlock, toBlock } = blocks;
  return { fromBlock, toBlock, ...count, discrepancies };
}

/** Returns the transfers to the recipient within a transaction. Transfers of 0 are left out: anyone can make them. */
async function readTransfers(
  account: AuditAccount,
  transaction: Hex,
  { fromBlock, toBlock }: BlockRange,
  { chain }: CompareDeps,
): Promise<readonly Transfer[]> {
  const receipt = await chain.receipt(account, transaction);
  if (receipt === null || !receipt.success || receipt.block < fromBlock || receipt.block > toBlock) {
    throw new ContradictionError(
      `The node has a transfer of ${transaction} in the blocks ${fromBlock} to ${toBlock}, and no such receipt.`,
    );
  }
  return receipt.events.flatMap((event, eventAt) => {
    if (event.kind !== 'transfer' || event.to !== account.payTo || event.value === 0n) return [];
    const behind = authorizationBehind(receipt, eventAt);
    const { network, asset } = account;
    const authorization = behind === null ? null : { network, asset, ...behind };
    return [{ transaction, eventAt, block: receipt.block, from: event.from, value: event.value, authorization }];
  });
}

type KnownRows = ReadonlyMap<string, PaymentRow>;

const keyOf = ({ payer, nonce }: Pick<AuthorizationKey, 'payer' | 'nonce'>): string => `${payer} ${nonce}`;

async function knownRows(transfers: readonly Transfer[], ledger: AuditLedger): Promise<KnownRows> {
  const keys = transfers.flatMap(({ authorization }) => authorization ?? []);
  if (keys.length === 0) return new Map();
  const rows = await ledger.find(keys);
  return new Map(rows.map((row) => [keyOf(row), row]));
}

function rowOf({ authorization }: Transfer, known: KnownRows): PaymentRow | null {
  return authorization === null ? null : (known.get(keyOf(authorization)) ?? null);
}

/**
 * Returns the row that a transfer pays for: that of its authorization, if it names this recipient and amount, and was
 * not there before the transfer. Null if there is none, or if another transfer has paid for it already.
 */
function accountedBy(
  transfer: Transfer,
  account: AuditAccount,
  known: KnownRows,
  taken: ReadonlyMap<number, number>,
): PaymentRow | null {
  const row = rowOf(transfer, known);
  if (row === null || taken.has(row.id)) return null;
  const early = row.fromBlock !== null && transfer.block < row.fromBlock;
  const same = row.payTo === account.payTo && row.amount === transfer.value;
  const elsewhere = row.status === 'settled' && row.final && row.transaction !== transfer.transaction;
  return same && !early && !elsewhere ? row : null;
}

/** Marks a row as settled whose transfer is final. Its payer may fetch the answer from then on. */
async function settleRow(
  row: PaymentRow,
  { transaction, block }: Transfer,
  deps: CompareDeps,
): Promise<'settled' | 'landed' | 'no'> {
  if (row.status === 'settled' && row.final) return 'settled';
  const { rows, newOwner, leaseMs, log } = deps;
  const held = row.status === 'settled' ? row : await rows.take(row, newOwner(), leaseMs);
  const change = { transaction, block, final: true, confirmed: true } as const;
  if (held !== null && (await rows.advance(held, 'landed', change))) {
    if (row.status === 'settled') return 'settled';
    log.info({ payment: row.id, transaction, was: row.status }, 'the audit has found a payment that had landed');
    return 'landed';
  }
  // Another process was quicker, or works on it.
  const now = await rows.find(row);
  if (now === null) return 'no';
  if (now.status === 'settled' && now.final && now.transaction === transaction) return 'settled';
  throw new UnderWayError(row.id);
}

function unaccounted(transfer: Transfer, known: KnownRows): Discrepancy {
  const { transaction, eventAt, block, from, value } = transfer;
  const payment = rowOf(transfer, known)?.id ?? null;
  return { kind: 'transfer_without_row', transaction, eventAt, block, payer: from, amount: value, payment };
}

/**
 * Returns settled rows of these blocks without a transfer in them. The row's own transaction is read, too: a node that
 * leaves out logs is not believed.
 */
async function* rowsWithout(
  account: AuditAccount,
  blocks: AuditedBlocks,
  ids: readonly number[],
  { chain, ledger, alive }: CompareDeps,
): AsyncGenerator<SettledRow> {
  const { fromBlock, toBlock } = blocks;
  const logged = new Set(blocks.transactions);
  for (let after: Pick<SettledRow, 'block' | 'id'> = { block: fromBlock, id: 0 }; ; ) {
    const rows = await ledger.settledBut(account, blocks, ids, { after, max: rowsAtOnce });
    for (const row of rows) {
      if (!logged.has(row.transaction) && (await showsTransfer(account, row, chain))) {
        throw new ContradictionError(
          `The node leaves transfers out: it shows one by ${row.transaction}, and no log of it in the blocks ${fromBlock} to ${toBlock}.`,
        );
      }
      yield row;
    }
    await alive();
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return;
    after = last;
  }
}

async function showsTransfer(account: AuditAccount, row: SettledRow, chain: AuditedChain): Promise<boolean> {
  const receipt = await chain.receipt(account, row.transaction);
  if (!receipt?.success || receipt.block !== row.block) return false;
  return receipt.events.some((event) => event.kind === 'transfer' && event.to === account.payTo);
}

/** Throws if the node reports the chain of another network. */
export async function assertNetwork(chain: AuditedChain, network: NetworkName): Promise<void> {
  const id = await chain.chainId();
  const { chainId } = networks[network];
  if (id === chainId) return;
  throw new ContradictionError(`X402_RPC_URL is a node of chain ${id}, and ${network} is chain ${chainId}.`);
}
