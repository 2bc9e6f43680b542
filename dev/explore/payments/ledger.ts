import type {
  AuthorizationKey,
  Change,
  Claim,
  ClaimResult,
  PayerHistory,
  PaymentRow,
} from '../../../src/payment/ports.ts';
import { type Event, nextState } from '../../../src/payment/states.ts';
import type { SentPayment } from '../../../src/payment/wire.ts';

// The ledger of payments in memory, each call at once and whole: what src/clients/payments.ts does in one statement.
// test/services/payments-ledger-model.test.ts holds the two together.

/** A row as it is kept: `PaymentRow` without what depends on the time of asking. */
interface StoredRow {
  readonly id: number;
  readonly base: Pick<
    PaymentRow,
    | 'network'
    | 'asset'
    | 'payTo'
    | 'payer'
    | 'nonce'
    | 'amount'
    | 'signatureHash'
    | 'fromBlock'
    | 'validBefore'
    | 'createdAtMs'
  >;
  status: PaymentRow['status'];
  request: PaymentRow['request'];
  requestHash: string;
  paymentId: string | null;
  payment: SentPayment | null;
  body: string | null;
  transaction: PaymentRow['transaction'];
  confirmed: boolean;
  final: boolean;
  block: number | null;
  settledAtMs: number | null;
  deliveredAtMs: number | null;
  leaseOwner: string | null;
  leaseUntilMs: number | null;
  /** The order in which rows were looked at; 0 before. */
  looked: number;
}

export interface LedgerSettings {
  readonly openMax: number;
  readonly givenUpMax: number;
  readonly replayMs: number;
  readonly claimableMs: number;
  readonly repeatMs: number;
}

export class Ledger {
  readonly #rows = new Map<number, StoredRow>();
  readonly #settings: LedgerSettings;
  readonly #now: () => number;
  #lastId = 0;
  #looks = 0;
  /** Told of every row that goes, before it goes. */
  onDelete: (row: PaymentRow) => void = () => undefined;

  constructor(settings: LedgerSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  all(): readonly PaymentRow[] {
    return [...this.#rows.values()].map((row) => this.#shown(row));
  }

  claim(claim: Claim): ClaimResult {
    const { authorization } = claim.sent;
    const now = this.#now();
    const asset = claim.terms.network.asset.toLowerCase();
    const mine = [...this.#rows.values()].filter(
      ({ base }) =>
        base.network === claim.terms.network.name && base.asset === asset && base.payer === authorization.from,
    );
    for (const row of mine) this.#releaseLapsed(row, now);
    const known = mine.find(({ base }) => base.nonce === authorization.nonce);
    if (known !== undefined && !isGivenUp(known)) return { kind: 'known', row: this.#shown(known) };
    const earlier = mine
      .filter((row) => row !== known && row.requestHash === claim.requestHash && this.#isEarlier(row, claim, now))
      .sort((a, b) => rank(a) - rank(b) || a.id - b.id)[0];
    if (earlier !== undefined) return { kind: 'earlier', row: this.#shown(earlier) };
    const { paymentId } = claim.sent;
    const identified = mine.find((row) => row !== known && paymentId !== null && row.paymentId === paymentId);
    if (identified !== undefined) return { kind: 'identified', row: this.#shown(identified) };
    const open = mine.filter((row) => isOpen(row) && (row.leaseUntilMs ?? 0) > now).length;
    const givenUp = mine.filter(isGivenUp).length;
    if (open >= this.#settings.openMax || (known === undefined && givenUp >= this.#settings.givenUpMax)) {
      return { kind: 'capped' };
    }
    if (known !== undefined) return { kind: 'known', row: this.#shown(known) };
    return claim.mayOpen ? { kind: 'claimed', row: this.#shown(this.#insert(claim, now)) } : { kind: 'barred' };
  }

  history({ network, asset, from, nonce }: AuthorizationKey): PayerHistory {
    const mine = [...this.#rows.values()].filter(
      ({ base }) => base.network === network && base.asset === asset && base.payer === from,
    );
    const row = mine.find(({ base }) => base.nonce === nonce);
    return {
      row: row === undefined ? null : this.#shown(row),
      seen: mine.length > 0,
      paid: mine.some(({ status }) => status === 'settled'),
    };
  }

  read(id: number): PaymentRow | null {
    const row = this.#rows.get(id);
    return row === undefined ? null : this.#shown(row);
  }

  advance(held: PaymentRow, event: Event, change: Change = {}): boolean {
    const next = nextState(held.status, event);
    const row = this.#held(held);
    if (row === null) return false;
    if (next === 'absent') {
      this.onDelete(this.#shown(row));
      this.#rows.delete(row.id);
      return true;
    }
    const requestHash = change.purchase?.requestHash ?? row.requestHash;
    if (isOpen({ status: next }) && this.#openElsewhere(row, requestHash)) return false;
    row.status = next;
    this.#setLease(row, change.leaseMs);
    if (change.purchase !== undefined) {
      const { request, sent } = change.purchase;
      Object.assign(row, { request, requestHash, paymentId: sent.paymentId, payment: sent, body: null });
    }
    row.body = change.body ?? row.body;
    row.transaction = change.transaction ?? row.transaction;
    row.confirmed = change.confirmed ?? row.confirmed;
    row.final = change.final ?? row.final;
    row.block = change.block ?? row.block;
    if (next === 'settled') {
      row.payment = null;
      row.settledAtMs ??= this.#now();
    } else if (next !== 'denied') row.settledAtMs = null;
    return true;
  }

  take(held: PaymentRow, owner: string, leaseMs: number): PaymentRow | null {
    const next = nextState(held.status, 'lapsed');
    const row = this.#held(held);
    if (row === null || next === 'absent' || this.#isLeased(row)) return null;
    row.status = next;
    row.leaseOwner = owner;
    row.leaseUntilMs = this.#now() + leaseMs;
    return this.#shown(row);
  }

  renew(held: PaymentRow, leaseMs: number): boolean {
    const row = this.#rows.get(held.id);
    if (row === undefined || row.leaseOwner !== held.leaseOwner) return false;
    row.leaseUntilMs = this.#now() + leaseMs;
    return true;
  }

  release(held: PaymentRow): void {
    const row = this.#held(held);
    if (row !== null) this.#setLease(row, undefined);
  }

  delivered(id: number): void {
    const row = this.#rows.get(id);
    if (row !== undefined) row.deliveredAtMs ??= this.#now();
  }

  due(max: number): readonly PaymentRow[] {
    return [...this.#rows.values()]
      .filter((row) => !this.#isLeased(row) && row.status !== 'processing' && row.status !== 'denied' && !row.final)
      .sort((a, b) => a.looked - b.looked || a.id - b.id)
      .slice(0, max)
      .map((row) => this.#shown(row));
  }

  looked(id: number): void {
    const row = this.#rows.get(id);
    this.#looks += 1;
    if (row !== undefined) row.looked = this.#looks;
  }

  clear(): void {
    const now = this.#now();
    for (const row of this.#rows.values()) {
      this.#releaseLapsed(row, now);
    }
  }

  /** Moments at which a lease lapses, in milliseconds. */
  leaseEnds(): readonly number[] {
    const ends = [...this.#rows.values()].map(({ leaseUntilMs }) => leaseUntilMs);
    return ends.filter((end): end is number => end !== null && end > this.#now());
  }

  /** All that can matter later, times relative to now. */
  fingerprint(): string {
    const now = this.#now();
    const ago = (ms: number | null): string => (ms === null ? '-' : String(ms - now));
    const order = [...this.#rows.values()].map(({ looked }) => looked).sort((a, b) => a - b);
    return [...this.#rows.values()]
      .map(
        (row) =>
          `${row.id}${row.base.nonce.slice(-4)}${row.base.payTo.slice(-2)} ${row.status} ${row.requestHash.slice(0, 6)} ${row.leaseOwner ?? '-'} ${ago(
            row.leaseUntilMs !== null && row.leaseUntilMs < now ? 0 : row.leaseUntilMs,
          )} ${row.body === null ? 0 : 1}${row.confirmed ? 1 : 0}${row.final ? 1 : 0} ${row.transaction?.slice(-4) ?? '-'} ${ago(
            row.deliveredAtMs,
          )} ${ago(row.settledAtMs)} ${order.indexOf(row.looked)}`,
      )
      .join('|');
  }

  #held({ id, status, leaseOwner }: PaymentRow): StoredRow | null {
    const row = this.#rows.get(id);
    return row !== undefined && row.status === status && row.leaseOwner === leaseOwner ? row : null;
  }

  #isLeased({ leaseUntilMs }: StoredRow): boolean {
    return leaseUntilMs !== null && leaseUntilMs > this.#now();
  }

  #setLease(row: StoredRow, leaseMs: number | undefined): void {
    const held = leaseMs !== undefined && leaseMs > 0;
    row.leaseUntilMs = held ? this.#now() + leaseMs : null;
    if (!held) row.leaseOwner = null;
  }

  #releaseLapsed(row: StoredRow, now: number): void {
    if (row.status !== 'processing' || row.leaseUntilMs === null || row.leaseUntilMs >= now) return;
    row.status = 'released';
    this.#setLease(row, undefined);
  }

  #openElsewhere({ id, base }: StoredRow, requestHash: string): boolean {
    return [...this.#rows.values()].some(
      (row) =>
        row.id !== id &&
        isOpen(row) &&
        row.base.network === base.network &&
        row.base.asset === base.asset &&
        row.base.payer === base.payer &&
        row.requestHash === requestHash,
    );
  }

  #isEarlier(row: StoredRow, claim: Claim, now: number): boolean {
    if (row.status === 'denied') return false;
    if (row.status === 'refused') return !claim.looked.includes(row.id);
    if (row.status !== 'settled') return true;
    const { claimableMs, repeatMs } = this.#settings;
    if (row.deliveredAtMs === null) return row.settledAtMs !== null && row.settledAtMs > now - claimableMs;
    return row.body !== null && row.deliveredAtMs > now - repeatMs;
  }

  #insert(claim: Claim, now: number): StoredRow {
    const { authorization } = claim.sent;
    this.#lastId += 1;
    const row: StoredRow = {
      id: this.#lastId,
      base: {
        network: claim.terms.network.name,
        asset: lower(claim.terms.network.asset),
        payTo: lower(claim.terms.payTo),
        payer: authorization.from,
        nonce: authorization.nonce,
        amount: authorization.value,
        signatureHash: claim.signatureHash,
        fromBlock: claim.fromBlock,
        validBefore: authorization.validBefore,
        createdAtMs: now,
      },
      status: 'processing',
      request: claim.request,
      requestHash: claim.requestHash,
      paymentId: claim.sent.paymentId,
      payment: claim.sent,
      body: null,
      transaction: null,
      confirmed: false,
      final: false,
      block: null,
      settledAtMs: null,
      deliveredAtMs: null,
      leaseOwner: claim.owner,
      leaseUntilMs: now + claim.leaseMs,
      looked: 0,
    };
    this.#rows.set(row.id, row);
    return row;
  }

  #shown(row: StoredRow): PaymentRow {
    const { replayMs, claimableMs } = this.#settings;
    const now = this.#now();
    const since = row.deliveredAtMs ?? row.settledAtMs ?? 0;
    const kept = row.deliveredAtMs === null ? claimableMs : row.body === null ? 0 : replayMs;
    return {
      id: row.id,
      ...row.base,
      status: row.status,
      request: row.request,
      requestHash: row.requestHash,
      paymentId: row.paymentId,
      payment: row.payment,
      body: row.body,
      transaction: row.transaction,
      confirmed: row.confirmed,
      final: row.final,
      deliveredAtMs: row.deliveredAtMs,
      leased: this.#isLeased(row),
      leaseOwner: row.leaseOwner,
      claimable: row.status === 'settled' && since > now - kept,
    };
  }
}

function lower(address: string): `0x${string}` {
  return `0x${address.slice(2).toLowerCase()}`;
}

function isOpen({ status }: Pick<StoredRow, 'status'>): boolean {
  return status === 'processing' || status === 'settling' || status === 'unknown';
}

function isGivenUp({ status }: StoredRow): boolean {
  return status === 'released' || status === 'refused';
}

/** The open one first, then what is paid, then what was given up. */
function rank({ status }: StoredRow): number {
  return { settled: 1, released: 2, refused: 3 }[status as 'settled' | 'released' | 'refused'] ?? 0;
}
