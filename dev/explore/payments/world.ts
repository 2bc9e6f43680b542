import { charge } from '../../../src/payment/charge.ts';
import { type Hex, type NetworkName, networks } from '../../../src/payment/networks.ts';
import { observeOnce } from '../../../src/payment/observe.ts';
import type { ChargeDeps, ChargeLimits, Outcome } from '../../../src/payment/outcome.ts';
import { DatabaseLostError } from '../../../src/payment/ports.ts';
import { requestHash } from '../../../src/payment/request.ts';
import { retryInBackground } from '../../../src/payment/retry.ts';
import { signatureHash } from '../../../src/payment/signature.ts';
import type { Terms } from '../../../src/payment/terms.ts';
import { decodePayment, encodeHeader, identifierName } from '../../../src/payment/wire.ts';
import type { EnvironmentAction, Process, Run, Task, World } from '../engine/types.ts';
import { Chain, type Spending } from './chain.ts';
import { Invariants, purchaseOf } from './invariants.ts';
import { Ledger } from './ledger.ts';
import {
  type Backends,
  chainPort,
  chainReads,
  type Faults,
  facilitatorPort,
  rowsPort,
  searchPort,
  upkeepPort,
} from './ports.ts';

// API processes that run the real payment code over one ledger, a facilitator, a chain, and payers who do what payers do.

export const price = 10_000n;
const epochMs = 1_800_000_000_000;
const validSeconds = 60;
const observeMs = 30_000;

/** Somebody who wants one answer. */
export interface PayerPlan {
  /** One hexadecimal digit: payers with the same one have the same key. */
  readonly key: string;
  readonly query: string;
  /**
   * `same`: sends the same payment again after anything but an answer or a 402; `fresh`: signs anew for every try, as
   * published clients do.
   */
  readonly style: 'same' | 'fresh';
  readonly attempts: number;
  /** The process whose terms are signed, whoever is asked. Default: the one that is asked. */
  readonly signsFor?: string;
  /** The client's own name of its purchase: 16 characters at least. */
  readonly paymentId?: string;
  /** The processes that the tries go to, one after the other. */
  readonly via: readonly string[];
}

/** What may happen around the service, each at the cost of one deviation. */
export interface Happenings {
  readonly crashes?: boolean;
  readonly leases?: boolean;
  readonly expiry?: boolean;
  readonly reorgs?: boolean;
  readonly drops?: boolean;
  /** The payer uses his authorizations otherwise: for himself, by his own transaction, or takes them back. */
  readonly payerSpends?: boolean;
  /** The payer spends all that he has signed in one transaction, and pays us with one of them only. */
  readonly payerBatches?: boolean;
  readonly leaving?: boolean;
  /** A payer takes a request for dead that goes on, and nobody notices: a proxy holds the connection. */
  readonly impatience?: boolean;
  readonly stopping?: boolean;
}

export interface PaymentScenario {
  readonly name: string;
  readonly description: string;
  /** Names of API processes, with the terms that each is configured with. */
  readonly apis: Readonly<Record<string, Terms>>;
  readonly payers: readonly PayerPlan[];
  /** How many searches each key has money for; default plenty. */
  readonly funds?: Readonly<Record<string, number>>;
  readonly faults: Faults;
  readonly happenings: Happenings;
  /** Rows of a network without a node, which nobody can decide. */
  readonly undecidable?: number;
  readonly passMax?: number;
  /** Pause of the observer; default 30 s. */
  readonly observeMs?: number;
  /** Processes with an observer; default 1. */
  readonly observers?: number;
  /** How far the clocks of API processes are ahead of the chain's, in milliseconds. */
  readonly clocks?: Readonly<Record<string, number>>;
  /** API processes whose node is of another network. */
  readonly withoutNode?: readonly string[];
}

export const recipients = { first: `0x${'11'.repeat(20)}`, second: `0x${'22'.repeat(20)}` } as const;

export function terms(payTo: Hex = recipients.first, network: NetworkName = 'eip155:84532'): Terms {
  return { network: networks[network], payTo, amount: price, maxTimeoutSeconds: validSeconds };
}

const limits: ChargeLimits = {
  validity: { minLeftSeconds: 15, maxLeftSeconds: 3_600 },
  leaseMs: 10_000,
  reconcileMs: 25,
  followMs: 60,
  openMax: 8,
};

const day = 86_400_000;
const keepMs = 365 * day;

/** A request under way, as its payer sees it. */
export interface Exchange {
  readonly name: string;
  /** Nonces that had moved money to us when it began. */
  readonly landedBefore: ReadonlySet<Hex>;
  readonly purchase: string;
  readonly process: string;
  readonly client: AbortController;
  outcome: Outcome | null;
  broken: boolean;
  /** Its process has crashed. */
  crashed: boolean;
  /** The service believes that its answer is delivered. */
  unnoticed: boolean;
  /** The payer waits no more. */
  over: boolean;
}

/** A signed payment and what it was for. */
export interface Signed {
  readonly header: string;
  readonly spending: Spending;
  readonly query: string;
  readonly key: string;
}

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
  #payersLeft: number;
  #finalAsked = false;
  #requests = 0;

  constructor(run: Run, scenario: PaymentScenario) {
    this.#run = run;
    this.#scenario = scenario;
    const now = (): number => epochMs + run.now();
    const windows = { replayMs: 900_000, claimableMs: 30 * day, repeatMs: 180_000 };
    this.ledger = new Ledger({ openMax: limits.openMax, givenUpMax: 64, ...windows }, now);
    const keys = [...new Set(scenario.payers.map(({ key }) => key))];
    this.chain = new Chain(
      now,
      new Map(keys.map((key) => [addressOf(key), price * BigInt(scenario.funds?.[key] ?? 9)])),
    );
    this.#invariants = new Invariants(this, scenario);
    this.chain.onMined = () => this.#invariants.noteLandings();
    this.ledger.onDelete = (row) => this.#invariants.removed(row);
    for (let n = 0; n < (scenario.undecidable ?? 0); n += 1) this.#seedUndecidable(n);
    this.#payersLeft = scenario.payers.length;
    const payers = run.process('payers', { memory: 'separate' });
    for (const [at, plan] of scenario.payers.entries()) {
      run.start(payers, `payer-${at + 1}`, (task) => this.#pay(plan, task));
    }
    for (let n = 1; n <= (scenario.observers ?? 1); n += 1) this.#startObserver(n === 1 ? 'observer' : `observer-${n}`);
  }

  fingerprint(): string {
    const exchanges = this.#exchanges.map(({ name, broken, crashed, unnoticed, over, outcome, landedBefore }) =>
      over && outcome !== null
        ? ''
        : `${name}${broken ? '!' : ''}${crashed ? 'x' : ''}${unnoticed ? '?' : ''}${outcome?.kind ?? ''} ${[...landedBefore].map((nonce) => nonce.slice(-3)).sort()}`,
    );
    const dead = [...this.#processes.values()].map(({ alive }) => (alive ? 1 : 0)).join('');
    const stopping = [...this.#stopping.values()].map(({ signal }) => (signal.aborted ? 1 : 0)).join('');
    return [
      this.ledger.fingerprint(),
      this.chain.fingerprint(),
      exchanges.join(),
      dead + stopping,
      `${this.#payersLeft}${this.#finalAsked ? 'f' : ''}${this.#requests} ${this.signed.length}`,
      this.#invariants.fingerprint(),
    ].join('\n');
  }

  check(): string | null {
    return this.#invariants.check();
  }

  atRest(): string | null {
    return this.#invariants.atRest();
  }

  /** Rows that can be decided are, and every payer had his last try. */
  settled(): boolean {
    return this.#finalAsked && this.#isDecided();
  }

  enabledActions(): readonly EnvironmentAction[] {
    const { happenings } = this.#scenario;
    const actions: EnvironmentAction[] = [];
    if (this.chain.waiting.length > 0) {
      actions.push({ label: 'a block is mined', cost: 1, idle: true, apply: () => this.chain.mine() });
      if (happenings.drops) actions.push(this.#action('what waits is dropped', () => this.chain.drop()));
    }
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
    if (happenings.reorgs && this.chain.canTakeBack && this.chain.reorgs < 1) {
      actions.push(
        this.#action('a block is taken back, what was in it waits', () => this.chain.takeBack(true)),
        this.#action('a block is taken back, what was in it is lost', () => this.chain.takeBack(false)),
      );
    }
    return [...actions, ...this.#timeActions(), ...this.#payerActions(), ...this.#processActions()];
  }

  crashed(process: Process): void {
    this.#invariants.crashed(process.name);
    for (const exchange of this.#exchanges) {
      if (exchange.process === process.name) Object.assign(exchange, { broken: true, crashed: true });
    }
  }

  describe(): string {
    const rows = this.ledger
      .all()
      .map(
        ({ id, nonce, status, payTo, confirmed, final, deliveredAtMs }) =>
          `row ${id}: nonce ${nonce.slice(-3)} ${status}${confirmed ? ' confirmed' : ''}${final ? ' final' : ''}${deliveredAtMs === null ? '' : ' delivered'} to ${payTo.slice(0, 4)}`,
      );
    const landed = this.landed().map(
      ({ nonce, transaction }) => `on the chain: ${nonce.slice(-3)} in ${transaction.slice(-3)}`,
    );
    return [...rows, ...landed].join('\n');
  }

  /** Transfers to any of our recipients on the chain as it is. */
  landed(): ReturnType<Chain['transfersTo']> {
    const payTos = new Set(Object.values(this.#scenario.apis).map(({ payTo }) => payTo.toLowerCase() as Hex));
    return [...payTos].flatMap((payTo) => this.chain.transfersTo(payTo));
  }

  #isDecided(): boolean {
    const undecided = this.ledger
      .all()
      .filter(({ network, status, final }) => network === 'eip155:84532' && status !== 'denied' && !final);
    return undecided.length === 0 && this.chain.waiting.length === 0;
  }

  /** A request that its payer has left may still work. */
  #isBusy(): boolean {
    return this.#exchanges.some(({ crashed, outcome }) => !crashed && outcome === null);
  }

  #action(label: string, apply: () => void): EnvironmentAction {
    return { label, cost: 1, apply };
  }

  #timeActions(): EnvironmentAction[] {
    const { happenings } = this.#scenario;
    const now = epochMs + this.#run.now();
    const to = (label: string, ms: number): EnvironmentAction =>
      this.#action(label, () => this.#run.advanceTo(ms - epochMs));
    const [lease] = happenings.leases ? [...this.ledger.leaseEnds()].sort((a, b) => a - b) : [];
    const ends = this.signed.map(({ spending }) => Number(spending.validBefore) * 1_000).filter((end) => end > now);
    const end = happenings.expiry && ends.length > 0 ? Math.min(...ends) : undefined;
    return [
      ...(lease === undefined ? [] : [to('a lease lapses', lease + 1)]),
      ...(end === undefined ? [] : [to('an authorization expires', end)]),
    ];
  }

  #payerActions(): EnvironmentAction[] {
    const { happenings } = this.#scenario;
    const usable = this.signed.filter(({ spending }) => !this.chain.spent(spending.from, spending.nonce, Infinity));
    const last = usable.at(-1)?.spending;
    const actions: EnvironmentAction[] = [];
    if (happenings.payerSpends && last !== undefined) {
      const name = last.nonce.slice(-3);
      actions.push(
        this.#action(`the payer brings ${name} to the chain himself`, () => void this.chain.send([last])),
        this.#action(`the payer uses ${name} for himself`, () => void this.chain.send([{ ...last, to: last.from }])),
        this.#action(`the payer cancels ${name}`, () => void this.chain.send([{ ...last, kind: 'cancel' }])),
      );
    }
    if (happenings.payerBatches && usable.length > 1) {
      const batch = usable.map(({ spending }, at) => (at === 0 ? spending : { ...spending, to: spending.from }));
      actions.push(
        this.#action('the payer spends all in one transaction, one of them on us', () => void this.chain.send(batch)),
      );
    }
    return actions;
  }

  #processActions(): EnvironmentAction[] {
    const { happenings } = this.#scenario;
    const open = this.#exchanges.filter(({ over, broken, outcome }) => !over && !broken && outcome === null);
    const leaving = open.map((exchange) =>
      this.#action(`${exchange.name} hangs up`, () => {
        exchange.broken = true;
        exchange.client.abort();
      }),
    );
    const stopping = [...this.#stopping]
      .filter(([, { signal }]) => !signal.aborted)
      .map(([name, controller]) => this.#action(`${name} must stop soon`, () => controller.abort()));
    const impatience = open.map((exchange) =>
      this.#action(`the payer takes ${exchange.name} for dead`, () => {
        exchange.broken = true;
        exchange.unnoticed = true;
      }),
    );
    return [
      ...(happenings.impatience ? impatience : []),
      ...(happenings.leaving ? leaving : []),
      ...(happenings.stopping ? stopping : []),
    ];
  }

  /** A payer from his first try to his answer, or to his last try. */
  async #pay(plan: PayerPlan, task: Task): Promise<void> {
    let payment: Signed | null = null;
    for (let attempt = 0; attempt < plan.attempts; attempt += 1) {
      if (attempt > 0) await this.#run.sleep(task, 1_000);
      const via = plan.via[attempt % plan.via.length] ?? '';
      if (payment === null || plan.style === 'fresh') payment = this.#sign(plan, this.#termsOf(plan.signsFor ?? via));
      const exchange = this.#request(via, payment, `${task.name} try ${attempt + 1}`);
      const got = await this.#answer(exchange, payment, task);
      if (got === 'served') break;
      if (got === 'refused') payment = null;
    }
    this.#payersLeft -= 1;
  }

  #answer(exchange: Exchange, payment: Signed, task: Task): Promise<'served' | 'refused' | 'again'> {
    const end = (delivered: boolean, got: boolean): 'served' | 'refused' | 'again' => {
      exchange.over = true;
      const { outcome } = exchange;
      if (outcome?.kind === 'served') outcome.done(delivered);
      if (outcome?.kind === 'served' && got) {
        const alive = this.#processes.get(exchange.process)?.alive === true;
        this.#invariants.received(payment, delivered && alive ? exchange.process : null);
      }
      if (!got) return 'again';
      return outcome?.kind === 'served' || outcome?.kind === 'refused' ? outcome.kind : 'again';
    };
    const faulty = this.#scenario.happenings.leaving && !this.#finalAsked;
    return this.#run.operation({
      task,
      name: 'answer',
      outcomes: () => {
        if (exchange.broken) return [{ label: 'connection broken', cost: 0, apply: () => end(false, false) }];
        if (exchange.outcome === null) return [];
        const { kind } = exchange.outcome;
        const got = { label: kind, cost: 0, apply: () => end(true, true) };
        if (!faulty || kind !== 'served') return [got];
        return [
          got,
          { label: 'lost behind a proxy', cost: 1, apply: () => end(true, false) },
          { label: 'lost on the way', cost: 1, apply: () => end(false, false) },
        ];
      },
    });
  }

  #sign({ key, query, paymentId }: Pick<PayerPlan, 'key' | 'query' | 'paymentId'>, { payTo, network }: Terms): Signed {
    const padded: Hex = `0x${`${key}${(this.signed.length + 1).toString(16).padStart(2, '0')}`.padStart(64, '0')}`;
    const validBefore = BigInt(Math.floor((epochMs + this.#run.now()) / 1_000) + validSeconds);
    const authorization = { from: addressOf(key), to: payTo, value: price, validAfter: 0n, validBefore, nonce: padded };
    const accepted = { scheme: 'exact', network: network.name, amount: `${price}`, asset: network.asset, payTo };
    const texts = Object.fromEntries(Object.entries(authorization).map(([name, value]) => [name, String(value)]));
    // The signature is proven by a port here; its bytes only tell payments apart.
    const signature = `0x${padded.slice(2)}${padded.slice(2)}1b`;
    const payload = { signature, authorization: texts };
    const extensions = paymentId === undefined ? undefined : { [identifierName]: { info: { id: paymentId } } };
    const header = encodeHeader({ x402Version: 2, accepted, payload, extensions });
    const to = payTo.toLowerCase() as Hex;
    const spending: Spending = {
      kind: 'transfer',
      from: authorization.from,
      to,
      value: price,
      nonce: padded,
      validBefore,
    };
    const signed = { header, spending, query, key };
    this.signed.push(signed);
    return signed;
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

  #request(api: string, payment: Signed, name: string): Exchange {
    const process = this.#processOf(api);
    const exchange: Exchange = {
      name,
      landedBefore: new Set(this.landed().map(({ nonce }) => nonce)),
      purchase: purchaseOf(payment),
      process: process.name,
      client: new AbortController(),
      outcome: null,
      broken: false,
      unnoticed: false,
      crashed: false,
      over: false,
    };
    this.#exchanges.push(exchange);
    this.#requests += 1;
    this.#run.start(process, name, async (task) => {
      const deps = this.#depsOf(api, task, name);
      const hurry = this.#stopping.get(process.name)?.signal ?? new AbortController().signal;
      const request = { q: payment.query, type: 'all', limit: 10, page: 1 } as const;
      const search = searchPort(this.#backends(), task, payment.query);
      const outcome = await charge(
        { header: payment.header, request, client: exchange.client.signal, hurry, search },
        deps,
      );
      exchange.outcome = outcome;
      this.#invariants.told(payment, outcome, exchange);
      if (exchange.broken && outcome.kind === 'served') outcome.done(exchange.unnoticed);
    });
    return exchange;
  }

  /** @param api the process that they serve, where it is none of the observers */
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
      landsOnWord: (row, task) => this.#invariants.landsOnWord(row, task),
      claims: (claim, result) => this.#invariants.claims(claim, result),
      nodeBehind: (task) => this.#invariants.misled(task),
      asksToSettle: (task, spending, body) => {
        const exchange = this.#exchanges.find(({ name }) => name === task.name);
        if (exchange !== undefined) this.#invariants.asksToSettle(exchange, spending, body);
      },
      facilitatorDid: (spending, label) => this.#invariants.facilitatorDid(spending, label),
    };
  }

  #depsOf(api: string, task: Task, owner: string): ChargeDeps {
    const backends = this.#backends(api);
    const skewMs = this.#scenario.clocks?.[api] ?? 0;
    const sleep = this.#sleeper(task);
    const closing = new AbortController().signal;
    const elapsed = (): number => this.#run.now();
    return {
      terms: this.#termsOf(api),
      limits,
      rows: rowsPort(backends, task),
      facilitator: facilitatorPort(backends, task),
      chain: chainPort(backends, task),
      clock: { now: () => backends.now() + skewMs, elapsed },
      sleep,
      newOwner: () => owner,
      signedByKey: async () => true,
      places: { forLook: async () => () => undefined, forPayment: () => () => undefined },
      retryInBackground: (what, action) =>
        void retryInBackground(what, action, { elapsed, sleep, closing, log: silent }),
      log: silent,
    };
  }

  #sleeper(task: Task) {
    return (ms: number, signal: AbortSignal): Promise<void> => this.#run.sleep(task, ms, signal).catch(() => undefined);
  }

  #startObserver(name: string): void {
    const process = this.#run.process(name, { memory: 'separate' });
    const body = async (task: Task): Promise<void> => {
      for (;;) {
        await this.#run.sleep(task, this.#scenario.observeMs ?? observeMs);
        this.#run.forget(task);
        await this.#observe(task);
      }
    };
    this.#run.start(process, name, body, { daemon: true });
  }

  async #observe(task: Task): Promise<void> {
    const backends = this.#backends();
    const upkeep = upkeepPort(backends, task);
    const deps = {
      rows: rowsPort(backends, task),
      upkeep,
      chain: chainReads(backends, task),
      newOwner: () => task.name,
      leaseMs: limits.leaseMs,
      passMax: this.#scenario.passMax ?? 10,
      log: silent,
    };
    try {
      await observeOnce(deps, new AbortController().signal);
      await upkeep.clear(keepMs);
    } catch (error) {
      if (!(error instanceof DatabaseLostError)) throw error;
    }
  }

  /** Whoever has paid and has no answer sends the same payment again, to a process that runs now. */
  #askAgain(): void {
    this.#finalAsked = true;
    // Nobody is at it any more.
    this.#run.advanceTo(this.#run.now() + limits.leaseMs + 1);
    const able = Object.keys(this.#scenario.apis).filter((api) => !this.#scenario.withoutNode?.includes(api));
    const via = able.at(-1);
    const process = this.#run.process('payers-again', { memory: 'separate' });
    for (const payment of this.#invariants.unanswered()) {
      const name = `${payment.spending.nonce.slice(-3)} asks again`;
      this.#run.start(process, `${name}, payer`, async (task) => {
        await this.#answer(this.#request(via ?? '', payment, name), payment, task);
      });
    }
  }

  #seedUndecidable(n: number): void {
    const foreign: Terms = { ...terms(), network: networks['eip155:8453'] };
    const request = { q: `elsewhere ${n}`, type: 'all', limit: 10, page: 1 } as const;
    const { header } = this.#sign({ key: 'f', query: request.q }, foreign);
    this.signed.pop();
    const decoded = decodePayment(header);
    if (!decoded.ok) throw new Error(decoded.message);
    const sent = {
      ...decoded.payment,
      authorization: { ...decoded.payment.authorization, nonce: `0x${`f${n}`.padStart(64, '0')}` as Hex },
    };
    const claimed = this.ledger.claim({
      sent,
      terms: foreign,
      request,
      requestHash: requestHash(request),
      signatureHash: signatureHash(sent.signature),
      owner: 'nobody',
      leaseMs: 1,
      mayOpen: true,
      fromBlock: null,
      looked: [],
    });
    if (claimed.kind !== 'claimed') throw new Error('A row of another network could not be made.');
    this.ledger.advance(claimed.row, 'intended', { body: 'kept' });
  }
}

const noFaults: Faults = { database: false, chain: false, facilitator: false, search: false };
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

export function addressOf(key: string): Hex {
  return `0x${key.repeat(40)}`;
}
