import { processPurchase } from '../../../src/payments/flow/purchase.ts';
import { lowerHex } from '../../../src/payments/protocol/payload.ts';
import type { Entrance, Terms } from '../../../src/payments/protocol/terms.ts';
import type { EnvironmentAction, Process, Run, Task, World } from '../engine/types.ts';
import { Chain } from './chain.ts';
import { askBy } from './entrances.ts';
import { type Answered, answerOutcomes, describeRow, describeTransfer, newExchange, printOf } from './exchange.ts';
import { happeningActions, miningActions, type Surroundings } from './happenings.ts';
import { Invariants } from './invariants.ts';
import { Ledger } from './ledger.ts';
import { type Backends, noFaults, searchPort } from './ports.ts';
import {
  auditMs,
  type Exchange,
  epochMs,
  fundsOf,
  ledgerSettings,
  limits,
  observeMs,
  type PayerPlan,
  type PaymentScenario,
  purchaseOf,
  type Signed,
} from './scenario.ts';
import { auditPass, type Findings, findingsText, observePass, purchaseDeps } from './service.ts';
import { seedUndecidable, signPayment } from './signing.ts';

// API processes that run the real payment code over one ledger, a facilitator, a chain, and payers who do what payers do.

export class PaymentWorld implements World {
  readonly ledger: Ledger;
  readonly chain: Chain;
  readonly signed: Signed[] = [];
  readonly #run: Run;
  readonly #scenario: PaymentScenario;
  readonly #invariants: Invariants;
  readonly #processes = new Map<string, Process>();
  readonly #stopping = new Map<string, AbortController>();
  readonly #exchanges: Exchange[] = [];
  readonly findings: Findings = new Map();
  /** Ledger and chain were compared after all was decided. */
  #audited = false;
  #payersLeft: number;
  #finalAsked = false;
  #requests = 0;

  constructor(run: Run, scenario: PaymentScenario) {
    this.#run = run;
    this.#scenario = scenario;
    const now = (): number => epochMs + run.now();
    this.ledger = new Ledger(ledgerSettings, () => now() + (scenario.postgresAheadMs ?? 0));
    this.chain = new Chain(now, fundsOf(scenario));
    this.#invariants = new Invariants(this, scenario);
    this.chain.onMined = () => this.#invariants.noteLandings();
    this.ledger.onDelete = (row) => this.#invariants.removed(row);
    this.ledger.recipients = new Set(Object.values(scenario.apis).map(({ payTo }) => lowerHex(payTo)));
    if (scenario.audited === true) this.#startAuditor();
    for (let n = 0; n < (scenario.undecidable ?? 0); n += 1) seedUndecidable(this.ledger, n, epochMs);
    this.#payersLeft = scenario.payers.length;
    const payers = run.process('payers', { memory: 'separate' });
    for (const [at, plan] of scenario.payers.entries()) {
      run.start(payers, `payer-${at + 1}`, (task) => this.#pay(plan, task));
    }
    for (let n = 1; n <= (scenario.observers ?? 1); n += 1) this.#startObserver(n === 1 ? 'observer' : `observer-${n}`);
  }

  fingerprint(): string {
    const exchanges = this.#exchanges.map(printOf);
    const dead = [...this.#processes.values()].map(({ alive }) => (alive ? 1 : 0)).join('');
    const stopping = [...this.#stopping.values()].map(({ signal }) => (signal.aborted ? 1 : 0)).join('');
    return [
      this.ledger.fingerprint(),
      this.chain.fingerprint(),
      exchanges.join(),
      dead + stopping,
      `${this.#payersLeft}${this.#finalAsked ? 'f' : ''}${this.#requests} ${this.signed.length}`,
      this.#invariants.fingerprint(),
      `${this.#audited}${findingsText(this.findings)}`,
    ].join('\n');
  }

  check(): string | null {
    return this.#invariants.check();
  }

  atRest(): string | null {
    return this.#invariants.atRest();
  }

  /** All decidable rows are decided, and every payer had a last try. */
  settled(): boolean {
    return this.#finalAsked && this.#isDecided() && (this.#audited || this.#scenario.audited !== true);
  }

  enabledActions(): readonly EnvironmentAction[] {
    const { happenings } = this.#scenario;
    const actions = miningActions(this.chain, happenings);
    if (this.#finalAsked) return actions;
    if (this.#payersLeft === 0 && this.#isDecided() && !this.#isBusy()) {
      actions.push({
        label: 'who has paid and got nothing asks again',
        cost: 1,
        idle: true,
        apply: () => this.#askAgain(),
      });
      return actions;
    }
    return [...actions, ...happeningActions(this.#surroundings())];
  }

  crashed(process: Process): void {
    this.#invariants.crashed(process.name);
    for (const exchange of this.#exchanges) {
      if (exchange.process === process.name) Object.assign(exchange, { broken: true, crashed: true });
    }
  }

  describe(): string {
    return [...this.ledger.all().map(describeRow), ...this.landed().map(describeTransfer)].join('\n');
  }

  landed(): ReturnType<Chain['transfersTo']> {
    return [...this.ledger.recipients].flatMap((payTo) => this.chain.transfersTo(payTo));
  }

  #isDecided(): boolean {
    const undecided = this.ledger.all().filter(({ network, final }) => network === 'eip155:84532' && !final);
    return undecided.length === 0 && this.chain.waiting.length === 0;
  }

  #isBusy(): boolean {
    return this.#exchanges.some(({ crashed, outcome }) => !crashed && outcome === null);
  }

  /** A payer from the first try to the answer, or to the last try. */
  async #pay(plan: PayerPlan, task: Task): Promise<void> {
    let payment: Signed | null = null;
    for (let attempt = 0; attempt < plan.attempts; attempt += 1) {
      if (attempt > 0) await this.#run.sleep(task, 1_000);
      const via = plan.via[attempt % plan.via.length] ?? '';
      if (payment === null || plan.style === 'fresh') payment = this.#sign(plan, plan.signsFor ?? via);
      const entrance = plan.entrances?.[attempt % plan.entrances.length] ?? 'http';
      const exchange = this.#request(via, entrance, payment, `${task.name} try ${attempt + 1}`);
      const got = await this.#answer(exchange, payment, task);
      if (got === 'served') break;
      if (got === 'refused') payment = null;
    }
    this.#payersLeft -= 1;
  }

  #answer(exchange: Exchange, payment: Signed, task: Task): Promise<Answered> {
    const end = (delivered: boolean, got: boolean): Answered => {
      exchange.over = true;
      const { outcome } = exchange;
      if (outcome?.kind === 'served') {
        outcome.done(delivered);
        const alive = this.#processes.get(exchange.process)?.alive === true;
        if (got) this.#invariants.received(payment, delivered && alive && exchange.asked ? exchange.process : null);
      }
      return got && (outcome?.kind === 'served' || outcome?.kind === 'refused') ? outcome.kind : 'again';
    };
    const faulty = this.#scenario.happenings.leaving === true && !this.#finalAsked;
    return this.#run.operation({ task, name: 'answer', outcomes: () => answerOutcomes(exchange, faulty, end) });
  }

  #surroundings(): Surroundings {
    const { ledger, chain, signed } = this;
    return {
      run: this.#run,
      scenario: this.#scenario,
      ledger,
      chain,
      signed,
      exchanges: this.#exchanges,
      stopping: this.#stopping,
      send: (payment, name) => {
        const [api = ''] = Object.keys(this.#scenario.apis);
        Object.assign(this.#request(api, payment.entrance, payment, name), { broken: true, unnoticed: true });
      },
    };
  }

  #sign(plan: PayerPlan, api: string): Signed {
    const nowMs = epochMs + this.#run.now();
    const payment = signPayment(plan, this.#termsOf(api), this.signed.length + 1, nowMs);
    this.signed.push(payment);
    return payment;
  }

  #termsOf(api: string): Terms {
    const found = this.#scenario.apis[api];
    if (found === undefined) throw new Error(`There is no process ${api}.`);
    return found;
  }

  #processOf(api: string): Process {
    const name = this.#finalAsked ? `${api}, in the end` : api;
    const running = this.#processes.get(name);
    if (running?.alive) return running;
    const crashes = this.#scenario.happenings.crashes && !this.#finalAsked;
    const process = this.#run.process(name, { memory: 'separate', ...(crashes ? { crashCost: 1 } : {}) });
    this.#processes.set(name, process);
    this.#stopping.set(name, new AbortController());
    return process;
  }

  #request(api: string, entrance: Entrance, payment: Signed, name: string): Exchange {
    const process = this.#processOf(api);
    const landedBefore = new Set(this.landed().map(({ nonce }) => nonce));
    const claimedBefore = new Set(this.ledger.all().map(({ nonce }) => nonce));
    const purchase = purchaseOf(payment);
    const exchange = newExchange({ name, process: process.name, purchase, landedBefore, claimedBefore });
    this.#exchanges.push(exchange);
    this.#requests += 1;
    this.#run.start(process, name, async (task) => {
      const skewMs = this.#scenario.clocks?.[api] ?? 0;
      const deps = purchaseDeps(this.#backends(api), task, { terms: this.#termsOf(api), skewMs, owner: name });
      const shutdownSignal = this.#stopping.get(process.name)?.signal ?? new AbortController().signal;
      const search = searchPort(this.#backends(), task, payment.query);
      const told = await askBy(entrance, {
        payment,
        search,
        clientSignal: exchange.client.signal,
        terms: deps.terms,
        purchase: (request) => processPurchase({ ...request, shutdownSignal }, deps),
      });
      const { outcome } = told;
      exchange.outcome = outcome;
      this.#invariants.told(payment, told, exchange);
      if (exchange.broken && outcome.kind === 'served') outcome.done(exchange.unnoticed);
    });
    return exchange;
  }

  /** @param api the process that they serve, unless it is an observer */
  #backends(api = ''): Backends {
    return {
      run: this.#run,
      ledger: this.ledger,
      chain: this.chain,
      // In the end nothing fails any more, and what was promised must come true.
      faults: this.#finalAsked ? noFaults : this.#scenario.faults,
      network: this.#scenario.withoutNode?.includes(api) ? 'eip155:8453' : 'eip155:84532',
      now: () => epochMs + this.#run.now(),
      chainAway: (task) => this.#invariants.away(task),
      searchFails: (task) => this.#invariants.searchFails(task),
      claims: (claim, result) => this.#invariants.claims(claim, result),
      nodeBehind: (task) => this.#invariants.misled(task),
      asksToSettle: (task, spending, body) => {
        const exchange = this.#exchanges.find(({ name }) => name === task.name);
        if (exchange !== undefined) this.#invariants.asksToSettle(exchange, spending, body);
      },
      logLagBlocks: this.#finalAsked ? 0 : (this.#scenario.logLagBlocks ?? 0),
    };
  }

  /** Starts a process that does a pass again and again. */
  #repeat(name: string, everyMs: number, pass: (task: Task) => Promise<void>): void {
    const body = async (task: Task): Promise<void> => {
      for (;;) {
        await this.#run.sleep(task, everyMs);
        this.#run.forget(task);
        await pass(task);
      }
    };
    this.#run.start(this.#run.process(name, { memory: 'separate' }), name, body, { daemon: true });
  }

  #startObserver(name: string): void {
    const { observeMs: everyMs = observeMs, passMax = 10 } = this.#scenario;
    this.#repeat(name, everyMs, (task) => observePass(this.#backends(), task, passMax));
  }

  #startAuditor(): void {
    const [terms] = Object.values(this.#scenario.apis);
    this.#repeat('auditor', auditMs, async (task) => {
      const isLast = this.#finalAsked && this.#isDecided();
      const done = terms !== undefined && (await auditPass(this.#backends(), task, terms, this.findings));
      this.#audited = done && isLast && this.#isDecided();
    });
  }

  /** Each payer without an answer sends the same payment again, to a process that runs now. */
  #askAgain(): void {
    this.#finalAsked = true;
    this.#run.advanceTo(this.#run.now() + limits.leaseMs + 1);
    const able = Object.keys(this.#scenario.apis).filter((api) => !this.#scenario.withoutNode?.includes(api));
    const via = able.at(-1);
    const process = this.#run.process('payers-again', { memory: 'separate' });
    for (const payment of this.#invariants.unanswered()) {
      const name = `${payment.spending.nonce.slice(-3)} asks again`;
      this.#run.start(process, `${name}, payer`, async (task) => {
        await this.#answer(this.#request(via ?? '', payment.entrance, payment, name), payment, task);
      });
    }
  }
}
