import type { AuthorizationUse, Block, TokenEvent, TransactionReceipt } from '../../../src/payments/ports.ts';
import type { Hex } from '../../../src/payments/protocol/networks.ts';

// A chain with one token, as its node shows it: blocks, transactions that wait, and blocks that are taken back.

/** One authorization in a transaction: used for a transfer, or cancelled. */
export interface Spending {
  readonly kind: 'transfer' | 'cancel';
  readonly from: Hex;
  readonly to: Hex;
  readonly value: bigint;
  readonly nonce: Hex;
  readonly validBefore: bigint;
}

export interface Transaction {
  readonly hash: Hex;
  /** All of them happen, or none. */
  readonly spendings: readonly Spending[];
  /** The facilitator has sent it because it was asked to. */
  readonly asked: boolean;
}

interface MinedBlock {
  readonly seconds: number;
  readonly transactions: readonly { readonly transaction: Transaction; readonly success: boolean }[];
}

/** More empty blocks than this add no state. */
const emptyMax = 4;

export class Chain {
  readonly #now: () => number;
  readonly reorgBlocks = 2;
  readonly blockSeconds = 2;
  #blocks: MinedBlock[];
  readonly #first = 100;
  waiting: readonly Transaction[] = [];
  readonly #balances = new Map<Hex, bigint>();
  #hashes = 0;
  reorgs = 0;
  /** Authorizations that payers brought to the chain themselves. */
  brought = 0;
  /** Called with every new block that is not empty. */
  onMined: () => void = () => undefined;

  /** @param now milliseconds since 1970 */
  constructor(now: () => number, balances: ReadonlyMap<Hex, bigint>) {
    this.#now = now;
    for (const [owner, value] of balances) this.#balances.set(owner, value);
    const seconds = Math.floor(now() / 1_000);
    this.#blocks = Array.from({ length: this.reorgBlocks + 1 }, (_, at) => ({
      seconds: seconds - 2 * (this.reorgBlocks - at),
      transactions: [],
    }));
  }

  newHash(): Hex {
    this.#hashes += 1;
    return `0x${this.#hashes.toString(16).padStart(64, '0')}`;
  }

  send(spendings: readonly Spending[], asked = false): Hex {
    const hash = this.newHash();
    this.waiting = [...this.waiting, { hash, spendings, asked }];
    return hash;
  }

  /** Puts everything that waits into a block. */
  mine(): void {
    this.#catchUp();
    this.#mineAt(Math.max(Math.floor(this.#now() / 1_000), this.#head().seconds + 1));
  }

  #mineAt(seconds: number): void {
    const waiting = this.waiting;
    this.waiting = [];
    const transactions: { transaction: Transaction; success: boolean }[] = [];
    this.#blocks.push({ seconds, transactions });
    for (const transaction of waiting) {
      const success = transaction.spendings.every(
        (spending, at) =>
          this.#can(spending, seconds) &&
          !transaction.spendings
            .slice(0, at)
            .some((other) => other.from === spending.from && other.nonce === spending.nonce),
      );
      transactions.push({ transaction, success });
    }
    this.onMined();
  }

  drop(): void {
    this.waiting = [];
  }

  /** Takes the youngest block back. @param keep whether its transactions wait again */
  takeBack(keep: boolean): void {
    const block = this.#blocks.pop();
    this.reorgs += 1;
    if (keep && block !== undefined) {
      this.waiting = [...block.transactions.map(({ transaction }) => transaction), ...this.waiting];
    }
    const seconds = this.#head().seconds + 1;
    this.#blocks.push({ seconds, transactions: [] });
  }

  /** Replaces the youngest blocks: what was in the last of them comes in the first, all that can be taken back below. */
  replace(): void {
    const taken = this.#blocks.splice(-this.reorgBlocks);
    this.reorgs += 1;
    const held = taken.flatMap(({ transactions }) => transactions.map(({ transaction }) => transaction));
    this.waiting = [...held, ...this.waiting];
    this.#mineAt(this.#head().seconds + 1);
    const { seconds } = this.#head();
    this.#blocks.push({ seconds: Math.max(seconds + 1, taken.at(-1)?.seconds ?? 0), transactions: [] });
  }

  /** Returns true if a transaction with this authorization was ever sent: then it is public. */
  isPublic(nonce: Hex): boolean {
    const sent = [
      ...this.waiting,
      ...this.#blocks.flatMap(({ transactions }) => transactions.map((one) => one.transaction)),
    ];
    return sent.some(({ spendings }) => spendings.some((spending) => spending.nonce === nonce));
  }

  /** Returns true if the youngest block has transactions: taking back an empty one changes nothing. */
  get canTakeBack(): boolean {
    if (Math.floor(this.#now() / 1_000) - this.#head().seconds >= this.blockSeconds) return false;
    return this.#head().transactions.length > 0;
  }

  block(which: number | 'latest', behind = 0): Block {
    this.#catchUp();
    const number = which === 'latest' ? Math.max(this.#first, this.#headNumber() - behind) : which;
    const block = this.#blocks[Math.min(number, this.#headNumber()) - this.#first];
    return { number, seconds: block?.seconds ?? 0 };
  }

  spent(from: Hex, nonce: Hex, atBlock: number): boolean {
    return this.#spendings(atBlock).some(({ spending }) => spending.from === from && spending.nonce === nonce);
  }

  balance(owner: Hex, atBlock: number): bigint {
    let balance = this.#balances.get(owner) ?? 0n;
    for (const { spending } of this.#spendings(atBlock)) {
      if (spending.kind === 'cancel') continue;
      if (spending.from === owner) balance -= spending.value;
      if (spending.to === owner) balance += spending.value;
    }
    return balance;
  }

  receipt(hash: Hex): TransactionReceipt | null {
    for (const [at, { transactions }] of this.#blocks.entries()) {
      const found = transactions.find(({ transaction }) => transaction.hash === hash);
      if (found === undefined) continue;
      const events = found.success ? found.transaction.spendings.flatMap(eventsOf) : [];
      return { transaction: hash, block: this.#first + at, success: found.success, events };
    }
    return null;
  }

  /** Returns true if a requested settlement's transaction is pending and executable in the next block. */
  awaits(nonce: Hex): boolean {
    const seconds = this.#now() / 1_000;
    return this.waiting.some(
      ({ spendings, asked }) =>
        asked && spendings.some((spending) => spending.nonce === nonce && this.#can(spending, seconds + 1)),
    );
  }

  isKnown(hash: Hex): boolean {
    return this.receipt(hash) !== null || this.waiting.some((transaction) => transaction.hash === hash);
  }

  findUse(from: Hex, nonce: Hex, fromBlock: number, toBlock: number): AuthorizationUse | null {
    const found = this.#spendings(toBlock).find(
      ({ spending, block }) => spending.from === from && spending.nonce === nonce && block >= fromBlock,
    );
    if (found === undefined) return null;
    return {
      kind: found.spending.kind === 'cancel' ? 'cancelled' : 'used',
      transaction: found.transaction,
      block: found.block,
    };
  }

  /** Returns true if an authorization can still move money, now or after a reorganisation. */
  canLand(from: Hex, nonce: Hex, validBefore: bigint): boolean {
    const final = this.#headNumber() - this.reorgBlocks;
    if (this.spent(from, nonce, final)) return false;
    return BigInt(this.block(final).seconds) < validBefore;
  }

  transfersTo(payTo: Hex): readonly (Spending & { readonly transaction: Hex; readonly block: number })[] {
    return this.#spendings(this.#headNumber())
      .filter(({ spending }) => spending.kind === 'transfer' && spending.to === payTo)
      .map(({ spending, transaction, block }) => ({ ...spending, transaction, block }));
  }

  fingerprint(): string {
    const now = this.#now() / 1_000;
    const busy = this.#blocks.flatMap(({ transactions, seconds }, at) =>
      transactions.map(
        ({ transaction, success }) =>
          `${Math.min(emptyMax, this.#blocks.length - at)} ${Math.floor(now - seconds)} ${short(transaction)}${success ? '+' : '-'}`,
      ),
    );
    return `${this.brought}~${busy.join()}~${this.waiting.map(short).join()}~${Math.floor(now - this.#head().seconds)}`;
  }

  #headNumber(): number {
    return this.#first + this.#blocks.length - 1;
  }

  #head(): MinedBlock {
    return this.#blocks.at(-1) ?? { seconds: 0, transactions: [] };
  }

  #catchUp(): void {
    const seconds = Math.floor(this.#now() / 1_000);
    const due = Math.floor((seconds - this.#head().seconds) / this.blockSeconds);
    const empty = Math.min(emptyMax, due);
    for (let at = empty - 1; at >= 0; at -= 1) {
      this.#blocks.push({ seconds: seconds - at * this.blockSeconds, transactions: [] });
    }
  }

  *#all(toBlock: number): Generator<{ spending: Spending; transaction: Hex; block: number }> {
    for (const [at, { transactions }] of this.#blocks.entries()) {
      if (this.#first + at > toBlock) return;
      for (const { transaction, success } of transactions) {
        if (!success) continue;
        for (const spending of transaction.spendings) {
          yield { spending, transaction: transaction.hash, block: this.#first + at };
        }
      }
    }
  }

  #spendings(toBlock: number) {
    return [...this.#all(toBlock)];
  }

  #can({ kind, from, nonce, validBefore, value }: Spending, seconds: number): boolean {
    const head = this.#headNumber();
    if (this.spent(from, nonce, head)) return false;
    return kind === 'cancel' || (BigInt(Math.floor(seconds)) < validBefore && this.balance(from, head) >= value);
  }
}

function eventsOf({ kind, from, to, value, nonce }: Spending): readonly TokenEvent[] {
  if (kind === 'cancel') return [{ kind: 'cancelled', authorizer: from, nonce }];
  return [
    { kind: 'used', authorizer: from, nonce },
    { kind: 'transfer', from, to, value },
  ];
}

function short({ hash, spendings, asked }: Transaction): string {
  return `${hash.slice(-3)}:${spendings.map(({ kind, nonce, to }) => `${kind[0]}${nonce.slice(-3)}${to.slice(-2)}`).join('.')}${asked ? '!' : ''}`;
}
