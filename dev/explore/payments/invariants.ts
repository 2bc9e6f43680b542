import type { Outcome } from '../../../src/payments/flow/context.ts';
import type { Claim, ClaimResult, PaymentRow } from '../../../src/payments/ports.ts';
import type { Hex } from '../../../src/payments/protocol/networks.ts';
import type { Task } from '../engine/types.ts';
import type { Chain, Spending } from './chain.ts';
import type { Told } from './entrances.ts';
import { saysWhatWasSigned } from './facilitator.ts';
import type { Ledger } from './ledger.ts';
import { type Exchange, type PaymentScenario, purchaseOf, type Signed } from './scenario.ts';
import { type Findings, findingsText } from './service.ts';

// The promises of docs/payments.md, checked in every state, and once no event is possible.

interface ObservedWorld {
  readonly ledger: Pick<Ledger, 'all' | 'losses'>;
  readonly chain: Chain;
  readonly signed: readonly Signed[];
  landed(): ReturnType<Chain['transfersTo']>;
  readonly findings: Findings;
}

export class Invariants {
  readonly #world: ObservedWorld;
  readonly #scenario: PaymentScenario;
  #broken: string | null = null;
  /** Purchases whose answer the service sent, as `payer query`. */
  readonly #served = new Set<string>();
  /** Authorizations that were on the chain at any time, by payer. */
  readonly #landedEver = new Map<Hex, Set<Hex>>();
  /** Purchases whose payer has received an answer. */
  readonly #received = new Set<string>();
  /** Purchases whose answer has left, and the process that lives on to note it. */
  readonly #left = new Map<string, string>();
  readonly #awayTasks = new Set<string>();
  readonly #misledTasks = new Set<string>();
  readonly #failedTasks = new Set<string>();
  /** The payment that each request asked to settle. */
  readonly #asked = new Map<string, Hex>();
  constructor(world: ObservedWorld, scenario: PaymentScenario) {
    this.#world = world;
    this.#scenario = scenario;
  }

  away(task: Task): void {
    this.#awayTasks.add(task.name);
  }

  claims({ onChain, payment }: Claim, { kind }: ClaimResult): void {
    const mayOpen = onChain !== null && (onChain.spent || onChain.balance >= payment.authorization.value);
    if (mayOpen || kind !== 'claimed') return;
    this.#fail(`barred: a row was made for ${payment.authorization.nonce.slice(-3)} without the money for it`);
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
    exchange.asked = true;
    const row = this.#world.ledger.all().find((one) => one.nonce === nonce && one.payer === from);
    if (row === undefined ? this.#world.ledger.losses === 0 : !['settling', 'settled'].includes(row.status)) {
      this.#fail(`no intent: ${name} is settled while its row is ${row?.status ?? 'absent'}`);
    }
    if (this.#failedTasks.has(exchange.name))
      this.#fail(`for an error: ${name} is settled after its search has failed`);
    if (exchange.client.signal.aborted) this.#fail(`nobody waits: ${name} is settled for a client that has gone`);
    if (!saysWhatWasSigned(body, spending)) {
      this.#fail(`terms: the facilitator is told other terms of ${name} than its payer has signed`);
    }
    // A purchase that was begun before this request, by a payment signed after a 402, may continue.
    if (exchange.claimedBefore.has(nonce)) return;
    const paid = this.#paidBefore(exchange).find((other) => other !== nonce);
    if (paid === undefined) return;
    this.#fail(`paid again: ${name} is settled for what ${paid.slice(-3)} had paid for before the request began`);
  }

  /** Payments for a request's purchase that had moved money when it began, if the chain has shown it. */
  #paidBefore({ name, purchase, landedBefore }: Exchange): readonly Hex[] {
    if (this.#served.has(purchase) || this.#awayTasks.has(name) || this.#misledTasks.has(name)) return [];
    const { chain } = this.#world;
    const mine = this.#world.signed.filter((payment) => purchaseOf(payment) === purchase);
    return mine.map(({ spending }) => spending.nonce).filter((nonce) => landedBefore.has(nonce) && chain.reorgs === 0);
  }

  #noticeDenial(payment: Signed, outcome: Outcome, exchange: Exchange): void {
    if (outcome.kind !== 'refused' && outcome.kind !== 'uncharged') return;
    const { nonce, from } = payment.spending;
    if (outcome.kind === 'refused' && this.#paidBefore(exchange).includes(nonce)) {
      this.#fail(`told no: 402 for ${nonce.slice(-3)}, which had landed before the request began`);
    }
    const { chain, ledger } = this.#world;
    const row = ledger.all().find((one) => one.nonce === nonce && one.payer === from);
    // Strangers show copies, which are refused for other reasons.
    const isOwn = this.#world.signed.includes(payment);
    if (outcome.kind === 'refused' && isOwn && row?.status === 'settling') {
      this.#fail(`told no: 402 for ${nonce.slice(-3)} while another request settles it`);
    }
    const settled = this.#asked.get(exchange.name);
    // A failed transaction may be pending again after a reorganisation.
    if (settled === undefined || chain.reorgs > 0 || !chain.awaits(settled)) return;
    this.#fail(`told no: ${outcome.kind} while the transfer of ${settled.slice(-3)} waits for a block`);
  }

  /** A receipt is the payer's proof: it comes with an answer, and names a transfer that exists. */
  #noticeReceipt({ outcome, receipt }: Told): void {
    if (receipt === null || !receipt.success) return;
    const landed = this.#world.landed().some(({ transaction }) => transaction === receipt.transaction);
    if (outcome.kind === 'served' && (landed || this.#world.chain.reorgs > 0)) return;
    this.#fail(`receipt: ${outcome.kind} comes with a receipt for ${receipt.transaction.slice(-3)}`);
  }

  told(payment: Signed, told: Told, exchange: Exchange): void {
    const { outcome } = told;
    this.#noticeDenial(payment, outcome, exchange);
    this.#asked.delete(exchange.name);
    this.#failedTasks.delete(exchange.name);
    if (outcome.kind === 'served') this.#noticeAnswer(payment);
    this.#noticeReceipt(told);
  }

  #noticeAnswer(payment: Signed): void {
    this.#served.add(purchaseOf(payment));
    const payer = payment.spending.from;
    const answers = [...this.#served].filter((one) => one.startsWith(`${payment.key} `)).length;
    const paid = this.#landedEver.get(payer)?.size ?? 0;
    if (answers <= paid) return;
    this.#fail(`unpaid: ${answers} answers were served to ${payment.key}, and ${paid} of his transfers had landed`);
  }

  /** The payer has the answer. @param process the one that sent it, if it has settled it and lives to note that */
  received(payment: Signed, process: string | null): void {
    this.#received.add(purchaseOf(payment));
    if (process !== null && !this.#scenario.faults.database) this.#left.set(purchaseOf(payment), process);
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
    return this.#world.signed.filter(
      (payment) => landed.has(payment.spending.nonce) && !this.#received.has(purchaseOf(payment)),
    );
  }

  atRest(): string | null {
    return (
      this.#broken ??
      this.#ledgerIsChain() ??
      this.#nobodyPaidTwice() ??
      this.#everybodyIsServed() ??
      this.#deliveriesAreNoted() ??
      this.#findingsAreTrue()
    );
  }

  fingerprint(): string {
    const sorted = (values: Iterable<string>): string => [...values].sort().join();
    return [
      sorted(this.#served),
      sorted([...this.#landedEver.values()].flatMap((nonces) => [...nonces].map((nonce) => nonce.slice(-3)))),
      sorted(this.#received),
      sorted([...this.#left].map(([purchase, by]) => `${purchase}${by}`)),
      sorted(this.#awayTasks),
      sorted(this.#misledTasks),
      sorted(this.#failedTasks),
      sorted([...this.#asked].map(([name, nonce]) => `${name}${nonce.slice(-3)}`)),
    ].join(';');
  }

  /** Money received = settled rows, one to one by payer and nonce, and nothing else is left. */
  #ledgerIsChain(): string | null {
    const rows = this.#world.ledger.all().filter(({ network }) => network === 'eip155:84532');
    for (const row of rows) {
      const landed = this.#landedHere(row);
      const name = row.nonce.slice(-3);
      if (landed && row.status !== 'settled') return `ledger: ${name} has landed, and its row is ${row.status}`;
      if (!landed && row.status === 'settled') return `ledger: ${name} is settled, and has not landed`;
      if (row.status !== 'settled') return `undecided: ${name} is still ${row.status}`;
    }
    return null;
  }

  /** One transfer a purchase, whatever answers its payer got, and whatever they signed. */
  #nobodyPaidTwice(): string | null {
    const landed = new Set(this.#world.landed().map(({ nonce }) => nonce));
    for (const purchase of new Set(this.#world.signed.map(purchaseOf))) {
      const mine = this.#world.signed.filter((one) => purchaseOf(one) === purchase);
      const paid = mine.filter(({ spending }) => landed.has(spending.nonce)).length;
      const wanted = this.#scenario.payers.filter((plan) => purchaseOf(plan) === purchase).length;
      // The youngest block lets a new payment take the place of one that has expired; older ones may come back instead.
      const { reorgs, brought } = this.#world.chain;
      if (paid > wanted + reorgs + brought) return `charged twice: ${paid} transfers for ${purchase}`;
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

  /** The audit finds every transfer without a row, and nothing else. */
  #findingsAreTrue(): string | null {
    const rows = new Set(this.#world.ledger.all().map(({ nonce }) => nonce));
    const missing = this.#world.landed().filter(({ nonce }) => !rows.has(nonce));
    const expected = missing.map(({ transaction }) => `transfer_without_row ${transaction}`).join();
    const found = findingsText(this.#world.findings);
    if (this.#scenario.audited !== true || found === expected) return null;
    return `audit: "${found}" was found instead of "${expected}"`;
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
