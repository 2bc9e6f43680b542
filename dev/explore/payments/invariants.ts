import type { Outcome } from '../../../src/payments/flow/context.ts';
import type { Claim, ClaimResult, PaymentRow } from '../../../src/payments/ports.ts';
import type { Hex } from '../../../src/payments/protocol/networks.ts';
import type { Task } from '../engine/types.ts';
import type { Chain, Spending } from './chain.ts';
import type { Told } from './entrances.ts';
import { saysWhatWasSigned } from './facilitator.ts';
import type { Ledger } from './ledger.ts';
import { type Exchange, type PaymentScenario, purchaseOf, type Signed } from './scenario.ts';

// The promises of docs/payments.md, checked in every state, and once no event is possible.

interface ObservedWorld {
  readonly ledger: Pick<Ledger, 'all'>;
  readonly chain: Chain;
  readonly signed: readonly Signed[];
  landed(): ReturnType<Chain['transfersTo']>;
}

export class Invariants {
  readonly #world: ObservedWorld;
  readonly #scenario: PaymentScenario;
  #broken: string | null = null;
  /** Purchases whose answer the service gave out, as `payer query`. */
  readonly #served = new Set<string>();
  /** Payments settled on the facilitator's word while the chain could not be asked, by nonce. */
  readonly #onWord = new Set<string>();
  /** Authorizations that were on the chain at any time, by payer. */
  readonly #landedEver = new Map<Hex, Set<Hex>>();
  /** The number of 402s by purchase. After one, a new payment may be signed. */
  readonly #refusals = new Map<string, number>();
  /** Purchases whose payer has received an answer. */
  readonly #received = new Set<string>();
  /** Purchases whose answer has left, and the process that lives on to note it. */
  readonly #left = new Map<string, string>();
  readonly #awayTasks = new Set<string>();
  readonly #misledTasks = new Set<string>();
  readonly #failedTasks = new Set<string>();
  /** The number of requests to settle a payment, by nonce. */
  readonly #settlements = new Map<Hex, number>();
  /** The payment that each request asked to settle. */
  readonly #asked = new Map<string, Hex>();
  /** Payments about which the facilitator's first answer was a lie. */
  readonly #deceived = new Set<Hex>();

  constructor(world: ObservedWorld, scenario: PaymentScenario) {
    this.#world = world;
    this.#scenario = scenario;
  }

  away(task: Task): void {
    this.#awayTasks.add(task.name);
  }

  /** A task settles a payment that the chain has not shown. */
  landsOnWord(row: PaymentRow, task: Task): void {
    if (this.#awayTasks.has(task.name)) this.#onWord.add(`${row.payer} ${row.nonce}`);
    else
      this.#fail(
        `on word: ${row.nonce.slice(-3)} was settled on the facilitator's word while the chain could be asked`,
      );
  }

  claims({ mayOpen, payment }: Claim, { kind }: ClaimResult): void {
    if (mayOpen || kind !== 'claimed') return;
    this.#fail(`barred: a row was made for ${payment.authorization.nonce.slice(-3)}, which has no money or is spent`);
  }

  misled(task: Task): void {
    this.#misledTasks.add(task.name);
  }

  searchFails(task: Task): void {
    this.#failedTasks.add(task.name);
  }

  /** A settlement is requested: for the signed terms, after a stored intent, and for a waiting caller. */
  asksToSettle(exchange: Exchange, spending: Spending, body: string): void {
    const { nonce, from } = spending;
    const name = nonce.slice(-3);
    this.#asked.set(exchange.name, nonce);
    const row = this.#world.ledger.all().find((one) => one.nonce === nonce && one.payer === from);
    if (row === undefined || !['settling', 'unknown', 'settled'].includes(row.status)) {
      this.#fail(`no intent: ${name} is settled while its row is ${row?.status ?? 'absent'}`);
    }
    if (this.#failedTasks.has(exchange.name))
      this.#fail(`for an error: ${name} is settled after its search has failed`);
    if (exchange.client.signal.aborted) this.#fail(`nobody waits: ${name} is settled for a client that has gone`);
    if (!saysWhatWasSigned(body, spending)) {
      this.#fail(`terms: the facilitator is told other terms of ${name} than its payer has signed`);
    }
    // A purchase that was begun before this request, by a payment signed after a 402, may go on.
    if (exchange.claimedBefore.has(nonce)) return;
    const paid = this.#paidBefore(exchange).find((other) => other !== nonce);
    if (paid === undefined) return;
    this.#fail(`paid again: ${name} is settled for what ${paid.slice(-3)} had paid for before the request began`);
  }

  /** Records the facilitator's action on a settlement: its first answer may be an undetectable lie. */
  facilitatorDid({ nonce }: Spending, label: string): void {
    if (label === 'no connection') return;
    this.#settlements.set(nonce, (this.#settlements.get(nonce) ?? 0) + 1);
    if (/^says (no funds|too late), and it is on its way/.test(label) && this.#settlements.get(nonce) === 1) {
      this.#deceived.add(nonce);
    }
  }

  /** Payments for a request's purchase that had moved money when it began, if the chain has shown it. */
  #paidBefore({ name, purchase, landedBefore }: Exchange): readonly Hex[] {
    if (this.#served.has(purchase) || this.#awayTasks.has(name) || this.#misledTasks.has(name)) return [];
    const { chain, ledger } = this.#world;
    const rows = new Map(ledger.all().map((row) => [row.nonce, row]));
    const mine = this.#world.signed.filter((payment) => purchaseOf(payment) === purchase);
    return mine
      .map(({ spending }) => spending.nonce)
      .filter((nonce) => landedBefore.has(nonce) && rows.has(nonce) && chain.reorgs === 0);
  }

  #noticeDenial({ spending }: Signed, outcome: Outcome, exchange: Exchange): void {
    if (outcome.kind !== 'refused' && outcome.kind !== 'uncharged') return;
    const { nonce } = spending;
    if (outcome.kind === 'refused' && this.#paidBefore(exchange).includes(nonce)) {
      this.#fail(`told no: 402 for ${nonce.slice(-3)}, which had landed before the request began`);
    }
    const settled = this.#asked.get(exchange.name);
    const { chain } = this.#world;
    // A failed transaction may be pending again after a reorganisation.
    if (settled === undefined || this.#deceived.has(settled) || chain.reorgs > 0 || !chain.awaits(settled)) return;
    this.#fail(`told no: ${outcome.kind} while the transfer of ${settled.slice(-3)} waits for a block`);
  }

  /** A receipt is the payer's proof: it comes with an answer, and names a transfer that is there. */
  #noticeReceipt({ spending }: Signed, { outcome, receipt }: Told): void {
    if (receipt === null || !receipt.success) return;
    const onWord = [...this.#onWord].some((one) => one.startsWith(spending.from));
    const landed = this.#world.landed().some(({ transaction }) => transaction === receipt.transaction);
    if (outcome.kind === 'served' && (landed || onWord || this.#world.chain.reorgs > 0)) return;
    this.#fail(`receipt: ${outcome.kind} comes with a receipt for ${receipt.transaction.slice(-3)}`);
  }

  told(payment: Signed, told: Told, exchange: Exchange): void {
    const { outcome } = told;
    const purchase = purchaseOf(payment);
    this.#noticeDenial(payment, outcome, exchange);
    this.#asked.delete(exchange.name);
    this.#failedTasks.delete(exchange.name);
    if (outcome.kind === 'refused') this.#refusals.set(purchase, (this.#refusals.get(purchase) ?? 0) + 1);
    if (outcome.kind === 'served') this.#noticeAnswer(payment);
    this.#noticeReceipt(payment, told);
  }

  #noticeAnswer(payment: Signed): void {
    this.#served.add(purchaseOf(payment));
    const payer = payment.spending.from;
    const answers = [...this.#served].filter((one) => one.startsWith(`${payment.key} `)).length;
    const paid = this.#landedEver.get(payer)?.size ?? 0;
    const onWord = [...this.#onWord].filter((one) => one.startsWith(payer)).length;
    if (answers <= paid + onWord) return;
    this.#fail(`unpaid: ${answers} answers were served to ${payment.key}, and ${paid} of his transfers had landed`);
  }

  /** The payer has the answer. @param process the one that sent it, if it lives to note the delivery */
  received(payment: Signed, process: string | null): void {
    this.#received.add(purchaseOf(payment));
    if (process !== null) this.#left.set(purchaseOf(payment), process);
  }

  crashed(process: string): void {
    for (const [purchase, by] of this.#left) if (by === process) this.#left.delete(purchase);
  }

  removed(row: PaymentRow): void {
    if (this.#world.chain.canLand(row.payer, row.nonce, row.validBefore)) {
      this.#fail(`forgotten: row ${row.id} was removed while its authorization could still land`);
    }
    if (this.#landedHere(row)) this.#fail(`forgotten: row ${row.id} was removed though its transfer had landed`);
  }

  check(): string | null {
    return this.#broken;
  }

  /** Paid for, and the payer never got an answer: payments to be sent again. */
  unanswered(): readonly Signed[] {
    const landed = new Set(this.#world.landed().map(({ nonce }) => nonce));
    const rows = new Set(this.#world.ledger.all().map(({ nonce }) => nonce));
    return this.#world.signed.filter(
      (payment) =>
        landed.has(payment.spending.nonce) &&
        rows.has(payment.spending.nonce) &&
        !this.#received.has(purchaseOf(payment)),
    );
  }

  atRest(): string | null {
    return (
      this.#broken ??
      this.#ledgerIsChain() ??
      this.#nobodyPaidTwice() ??
      this.#everybodyIsServed() ??
      this.#deliveriesAreNoted()
    );
  }

  fingerprint(): string {
    const sorted = (values: Iterable<string>): string => [...values].sort().join();
    return [
      sorted(this.#served),
      sorted(this.#onWord),
      sorted([...this.#landedEver.values()].flatMap((nonces) => [...nonces].map((nonce) => nonce.slice(-3)))),
      sorted([...this.#refusals].map(([purchase, times]) => `${purchase}${times}`)),
      sorted(this.#received),
      sorted([...this.#left].map(([purchase, by]) => `${purchase}${by}`)),
      sorted(this.#awayTasks),
      sorted(this.#misledTasks),
      sorted(this.#failedTasks),
      sorted([...this.#settlements].map(([nonce, times]) => `${nonce.slice(-3)}${times}`)),
      sorted([...this.#asked].map(([name, nonce]) => `${name}${nonce.slice(-3)}`)),
      sorted(this.#deceived),
    ].join(';');
  }

  /** Money received = settled rows, one to one by payer and nonce, and what is denied has not arrived. */
  #ledgerIsChain(): string | null {
    const rows = this.#world.ledger.all().filter(({ network }) => network === 'eip155:84532');
    for (const row of rows) {
      const landed = this.#landedHere(row);
      const name = row.nonce.slice(-3);
      if (landed && row.status !== 'settled') return `ledger: ${name} has landed, and its row is ${row.status}`;
      if (!landed && row.status === 'settled') return `ledger: ${name} is settled, and has not landed`;
      if (row.status !== 'settled' && row.status !== 'denied') return `undecided: ${name} is still ${row.status}`;
    }
    return null;
  }

  /** One transfer a purchase, and one more for every 402 after which a new payment was signed. */
  #nobodyPaidTwice(): string | null {
    const claimed = new Set(this.#world.ledger.all().map(({ nonce }) => nonce));
    const landed = new Set(this.#world.landed().map(({ nonce }) => nonce));
    const purchases = new Map<string, number>();
    for (const payment of this.#world.signed) {
      const { nonce } = payment.spending;
      if (!landed.has(nonce) || !claimed.has(nonce)) continue;
      purchases.set(purchaseOf(payment), (purchases.get(purchaseOf(payment)) ?? 0) + 1);
    }
    for (const [purchase, paid] of purchases) {
      const wanted = this.#scenario.payers.filter((plan) => purchaseOf(plan) === purchase).length;
      const refused = this.#refusals.get(purchase) ?? 0;
      // The youngest block lets a new payment take the place of one that has expired; older ones may come back instead.
      if (paid > wanted + refused + this.#world.chain.reorgs)
        return `charged twice: ${paid} transfers for ${purchase}, after ${refused} 402s`;
    }
    return null;
  }

  /** Checks that every payer has an answer, or got it in a later request. */
  #everybodyIsServed(): string | null {
    const [missing] = this.unanswered();
    if (missing === undefined) return null;
    return `not served: ${missing.spending.nonce.slice(-3)} has landed, and its payer asked again in vain`;
  }

  /** An answer that has left is not kept for the payer's next purchase. */
  #deliveriesAreNoted(): string | null {
    for (const purchase of this.#left.keys()) {
      const nonces = new Set(
        this.#world.signed.filter((one) => purchaseOf(one) === purchase).map(({ spending }) => spending.nonce),
      );
      const rows = this.#world.ledger.all().filter(({ nonce, status }) => nonces.has(nonce) && status === 'settled');
      if (rows.length > 0 && rows.every(({ deliveredAtMs }) => deliveredAtMs === null)) {
        return `delivery: the answer to ${purchase} has left, and no row says so`;
      }
    }
    return null;
  }

  #landedHere({ payer, nonce, payTo }: PaymentRow): boolean {
    return this.#world.chain.transfersTo(payTo).some((transfer) => transfer.from === payer && transfer.nonce === nonce);
  }

  noteLandings(): void {
    for (const { from, nonce } of this.#world.landed()) {
      const nonces = this.#landedEver.get(from) ?? new Set();
      this.#landedEver.set(from, nonces.add(nonce));
    }
  }

  #fail(text: string): void {
    this.#broken ??= text;
  }
}
