import { type Event, nextState } from '../../../src/payments/ledger/states.ts';
import type {
  AuthorizationKey,
  Change,
  Claim,
  ClaimResult,
  PayerHistory,
  PaymentRow,
} from '../../../src/payments/ports.ts';
import type { Hex } from '../../../src/payments/protocol/networks.ts';
import { BrokenCheckError, brokenCheck, isOpen, newRow, printRows, rank, type StoredRow } from './ledger-row.ts';

// The ledger of payments in memory, each call at once and whole: what src/postgres/payments/payments.ts does in one statement.
// test/services/payments/audit/payments-ledger-model.test.ts holds the two together.

export interface LedgerSettings {
  readonly openMax: number;
  readonly unsettledMax: number;
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
  /** Rows that were lost by a database that went back. */
  losses = 0;
  /** Every address that was configured. */
  recipients: ReadonlySet<Hex> = new Set();
  onDelete: (row: PaymentRow) => void = () => undefined;

  constructor(settings: LedgerSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  all(): readonly PaymentRow[] {
    return [...this.#rows.values()].map((row) => this.#shown(row));
  }

  /** Every row with all that is kept of it. */
  stored(): readonly Readonly<StoredRow>[] {
    return [...this.#rows.values()];
  }

  claim(claim: Claim): ClaimResult {
    const { authorization } = claim.payment;
    const now = this.#now();
    const asset = claim.terms.asset.address.toLowerCase();
    const mine = [...this.#rows.values()].filter(
      ({ base }) =>
        base.network === claim.terms.asset.network && base.asset === asset && base.payer === authorization.from,
    );
    for (const row of mine) this.#releaseLapsed(row, now);
    const known = mine.find(({ base }) => base.nonce === authorization.nonce);
    if (known !== undefined && known.status !== 'released') return { kind: 'known', row: this.#shown(known) };
    const { onChain } = claim;
    const other = onChain === null || onChain.spent ? null : this.#other(claim, mine, known, now);
    if (other !== null) return other;
    const open = mine.filter((row) => isOpen(row) && (row.leaseUntilMs ?? 0) > now).length;
    const unsettled = mine.filter(({ status }) => status !== 'settled').length;
    if (open >= this.#settings.openMax || (known === undefined && unsettled >= this.#settings.unsettledMax)) {
      return { kind: 'capped' };
    }
    if (known !== undefined) return { kind: 'known', row: this.#shown(known) };
    if (onChain === null) return { kind: 'barred' };
    const { block } = onChain;
    const hasLanded = (row: StoredRow) => row.status === 'settled' && row.block !== null && row.block > block;
    const reserved = mine
      .filter((row) => isOpen(row) || hasLanded(row))
      .reduce((sum, { base }) => sum + base.amount, 0n);
    if (!onChain.spent && onChain.balance < reserved + authorization.value) return { kind: 'barred' };
    return { kind: 'claimed', row: this.#shown(this.#insert(claim, now)) };
  }

  /** Another row that decides: of the same purchase, or of the same name. */
  #other(
    { requestHash, payment: { paymentId } }: Claim,
    mine: readonly StoredRow[],
    known: StoredRow | undefined,
    now: number,
  ): ClaimResult | null {
    const earlier = mine
      .filter((row) => row !== known && row.requestHash === requestHash && this.#isEarlier(row, now))
      .sort((a, b) => rank(a) - rank(b) || a.id - b.id)[0];
    if (earlier !== undefined) {
      const { settledAtMs, deliveredAtMs } = earlier;
      const isLate = settledAtMs !== null && settledAtMs < now - this.#settings.repeatMs && deliveredAtMs === null;
      const found = isLate ? { ...earlier, body: null } : earlier;
      this.#rows.set(found.id, found);
      return { kind: 'earlier', row: this.#shown(found) };
    }
    const identified = mine.find((row) => row !== known && paymentId !== null && row.paymentId === paymentId);
    return identified === undefined ? null : { kind: 'identified', row: this.#shown(identified) };
  }

  history(key: AuthorizationKey): PayerHistory {
    const mine = this.#rowsOf(key);
    return { row: this.find(key), seen: mine.length > 0, paid: mine.some(({ status }) => status === 'settled') };
  }

  find(key: AuthorizationKey): PaymentRow | null {
    const row = this.#rowsOf(key).find(({ base }) => base.nonce === key.nonce);
    return row === undefined ? null : this.#shown(row);
  }

  #rowsOf({ network, asset, payer }: AuthorizationKey): readonly StoredRow[] {
    return [...this.#rows.values()].filter(
      ({ base }) => base.network === network && base.asset === asset && base.payer === payer,
    );
  }

  advance(held: PaymentRow, event: Event, change: Change = {}): boolean {
    const next = nextState(held.status, event);
    const row = this.#held(held);
    if (row === null) return false;
    if (next === 'absent') {
      this.#delete(row);
      return true;
    }
    const changed = this.#changed(row, next, change);
    const broken = brokenCheck(changed);
    if (broken !== null) throw new BrokenCheckError(broken);
    if (this.#isDuplicate(changed)) return false;
    this.#rows.set(row.id, changed);
    return true;
  }

  take(held: PaymentRow, owner: string, leaseMs: number): PaymentRow | null {
    const next = nextState(held.status, 'dropped');
    const row = this.#held(held);
    if (row === null || next === 'absent' || !this.#hasLapsed(row)) return null;
    const now = this.#now();
    Object.assign(row, { status: next, leaseOwner: owner, leaseUntilMs: now + leaseMs, updatedAtMs: now });
    return this.#shown(row);
  }

  renew(held: PaymentRow, leaseMs: number): boolean {
    const row = this.#rows.get(held.id);
    if (row === undefined || held.leaseOwner === null || row.leaseOwner !== held.leaseOwner) return false;
    row.leaseUntilMs = this.#now() + leaseMs;
    return true;
  }

  delivered(id: number): void {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    row.updatedAtMs = this.#now();
    row.deliveredAtMs ??= row.updatedAtMs;
  }

  due(max: number): readonly PaymentRow[] {
    return [...this.#rows.values()]
      .filter((row) => this.#hasLapsed(row) && row.status !== 'processing' && !row.final)
      .filter((row) => row.status !== 'released' || Number(row.base.validBefore) * 1_000 < this.#now())
      .sort((a, b) => a.looked - b.looked || a.id - b.id)
      .slice(0, max)
      .map((row) => this.#shown(row));
  }

  looked(id: number): void {
    const row = this.#rows.get(id);
    this.#looks += 1;
    if (row !== undefined) row.looked = this.#looks;
  }

  clear(keepMs: number): void {
    const now = this.#now();
    const { replayMs, repeatMs, claimableMs } = this.#settings;
    for (const row of this.#rows.values()) {
      this.#releaseLapsed(row, now);
      if (row.status !== 'settled') continue;
      const since = row.deliveredAtMs ?? row.settledAtMs;
      const fetchableMs = row.deliveredAtMs === null ? claimableMs : Math.max(replayMs, repeatMs);
      if (since !== null && since < now - fetchableMs) row.body = null;
      if (row.settledAtMs !== null && row.settledAtMs < now - keepMs) this.#delete(row);
    }
  }

  lose(id: number): void {
    this.losses += 1;
    this.#rows.delete(id);
  }

  /** Moments at which a lease lapses, in milliseconds. */
  leaseEnds(): readonly number[] {
    const ends = [...this.#rows.values()].map(({ leaseUntilMs }) => leaseUntilMs);
    return ends.filter((end): end is number => end !== null && end > this.#now());
  }

  fingerprint(): string {
    return printRows(this.stored(), this.#now());
  }

  #held({ id, status, leaseOwner }: PaymentRow): StoredRow | null {
    const row = this.#rows.get(id);
    return row !== undefined && row.status === status && row.leaseOwner === leaseOwner ? row : null;
  }

  /** It has no holder: at the very end of its lease it is neither leased nor free. */
  #hasLapsed({ leaseUntilMs }: StoredRow): boolean {
    return leaseUntilMs === null || leaseUntilMs < this.#now();
  }

  #isLeased({ leaseUntilMs }: StoredRow): boolean {
    return leaseUntilMs !== null && leaseUntilMs > this.#now();
  }

  #delete(row: StoredRow): void {
    this.onDelete(this.#shown(row));
    this.#rows.delete(row.id);
  }

  /** The row as a change leaves it. */
  #changed(row: StoredRow, status: StoredRow['status'], change: Change): StoredRow {
    const { leaseMs, body, transaction, final, block } = change;
    const now = this.#now();
    const changed: StoredRow = {
      ...row,
      status,
      body: body ?? row.body,
      transaction: transaction ?? row.transaction,
      final: final ?? row.final,
      block: block ?? row.block,
      updatedAtMs: now,
    };
    this.#setLease(changed, leaseMs);
    if (status === 'settled') changed.payment = null;
    if (status === 'settled') changed.settledAtMs ??= now;
    return changed;
  }

  #setLease(row: StoredRow, leaseMs: number | undefined): void {
    const held = leaseMs !== undefined && leaseMs > 0;
    row.leaseUntilMs = held ? this.#now() + leaseMs : null;
    if (!held) row.leaseOwner = null;
  }

  #releaseLapsed(row: StoredRow, now: number): void {
    if (row.status !== 'processing' || row.leaseUntilMs === null || row.leaseUntilMs >= now) return;
    row.status = 'released';
    row.updatedAtMs = now;
    this.#setLease(row, undefined);
  }

  /** Another row of the payer is open for the same purchase, or has the same name. */
  #isDuplicate(changed: StoredRow): boolean {
    return [...this.#rows.values()].some(({ id, base, status, requestHash, paymentId }) => {
      if (id === changed.id || base.network !== changed.base.network || base.payer !== changed.base.payer) return false;
      const sameName = paymentId !== null && paymentId === changed.paymentId;
      const bothOpen = isOpen({ status }) && isOpen(changed);
      return sameName || (bothOpen && base.asset === changed.base.asset && requestHash === changed.requestHash);
    });
  }

  #isEarlier(row: StoredRow, now: number): boolean {
    if (row.status !== 'settled') return true;
    const { claimableMs, repeatMs } = this.#settings;
    if (row.deliveredAtMs === null) return row.settledAtMs !== null && row.settledAtMs > now - claimableMs;
    return row.body !== null && row.deliveredAtMs > now - repeatMs;
  }

  #insert(claim: Claim, now: number): StoredRow {
    this.#lastId += 1;
    const row = newRow(this.#lastId, claim, now);
    const names = [...this.#rows.values()].filter(({ base }) => base.payer === row.base.payer);
    if (names.some(({ paymentId }) => paymentId === row.paymentId)) row.paymentId = null;
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
      requestHash: row.requestHash,
      paymentId: row.paymentId,
      payment: row.payment,
      body: row.body,
      transaction: row.transaction,
      final: row.final,
      deliveredAtMs: row.deliveredAtMs,
      leased: this.#isLeased(row),
      leaseOwner: row.leaseOwner,
      claimable: row.status === 'settled' && since > now - kept,
    };
  }
}
