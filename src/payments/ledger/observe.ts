import type { PaymentLog } from '../flow/context.ts';
import type { ChainReads, PaymentRow, PaymentRows, PaymentUpkeep } from '../ports.ts';
import type { FindingKind } from './audit.ts';
import { findEvidence, judge, type Verdict } from './evidence.ts';

/** The dependencies of the observer. */
export interface ObserveDeps {
  readonly rows: PaymentRows;
  readonly upkeep: PaymentUpkeep;
  readonly chain: ChainReads;
  readonly newOwner: () => string;
  readonly leaseMs: number;
  /** Rows checked in one pass; the next pass checks the rest. */
  readonly passMax: number;
  readonly log: PaymentLog;
}

/** Counts of a pass, by result. */
export interface Observation {
  readonly landed: number;
  readonly voided: number;
  /** Still unknown: checked again later, or settled when the payer retries. */
  readonly open: number;
  /** Settled rows whose transfer the chain now shows, and will not take back. */
  readonly confirmed: number;
  /** Settled rows whose money never arrived. */
  readonly denied: number;
}

type Found = keyof Observation | 'nothing';

/** Questions in a row that the node does not answer, after which the pass ends: each may take its whole time-out. */
const unansweredMax = 5;

/**
 * Asks the chain about every payment of open outcome that no request works on. It only observes: settlements are
 * requested while the payer waits, never here.
 */
export async function observeOnce(deps: ObserveDeps, signal: AbortSignal): Promise<Observation> {
  const count = { landed: 0, voided: 0, open: 0, confirmed: 0, denied: 0 };
  let unanswered = 0;
  for (const row of await deps.upkeep.due(deps.passMax)) {
    if (signal.aborted || unanswered >= unansweredMax) return count;
    const verdict = await judgeRow(row, deps);
    unanswered = verdict === null ? unanswered + 1 : 0;
    const found = row.status === 'settled' ? await checkSettled(row, verdict, deps) : await decide(row, verdict, deps);
    await deps.upkeep.looked(row.id);
    if (found !== 'nothing') count[found] += 1;
  }
  return count;
}

/** Applies the verdict to a row that is open or was given up. Returns `nothing` if another process works on it now. */
async function decide(row: PaymentRow, verdict: Verdict | null, deps: ObserveDeps): Promise<Found> {
  const open = row.status === 'settling' || row.status === 'unknown';
  const none = open ? 'open' : 'nothing';
  const held = await deps.rows.take(row, deps.newOwner(), deps.leaseMs);
  if (held === null) return 'nothing';
  if (verdict?.kind === 'landed') {
    const { transaction, block, final } = verdict;
    if (!(await deps.rows.advance(held, 'landed', { transaction, block, final, confirmed: true }))) return 'nothing';
    deps.log.info({ payment: row.id, transaction, was: row.status }, 'a payment left behind had landed');
    return 'landed';
  }
  const event = verdict?.kind === 'void' ? eventOfVoid(held, verdict.final) : null;
  if (verdict?.kind !== 'void' || event === null) {
    await deps.rows.release(held);
    return none;
  }
  if (!(await deps.rows.advance(held, event))) return 'nothing';
  if (event === 'denied') logDenied(row, verdict.why, deps);
  else deps.log.info({ payment: row.id, why: verdict.why, event }, 'a payment left behind can take nothing any more');
  return open ? 'voided' : 'nothing';
}

/**
 * Returns the event for a row whose payment is void; null while it must wait for final blocks. A row whose answer was
 * served is kept as denied.
 */
function eventOfVoid(row: PaymentRow, final: boolean): 'voided' | 'denied' | 'pruned' | null {
  if (row.deliveredAtMs !== null) return final ? 'denied' : null;
  if (row.status === 'unknown') return 'voided';
  return final ? 'pruned' : null;
}

/** Checks a settled row until its transfer is final. The facilitator may have lied, and young blocks may be undone. */
async function checkSettled(row: PaymentRow, verdict: Verdict | null, deps: ObserveDeps): Promise<Found> {
  if (verdict?.kind === 'landed') {
    const { transaction, block, final } = verdict;
    const noted = await deps.rows.advance(row, 'landed', { transaction, block, final, confirmed: true });
    return noted && final ? 'confirmed' : 'nothing';
  }
  if (verdict?.kind === 'void' && verdict.final) {
    if (!(await deps.rows.advance(row, 'denied'))) return 'nothing';
    logDenied(row, verdict.why, deps);
    return 'denied';
  }
  if (verdict !== null) deps.log.warn({ payment: row.id }, 'the chain does not show a payment that was settled');
  return 'nothing';
}

function logDenied(row: PaymentRow, why: string, { log }: ObserveDeps): void {
  log.error(
    { payment: row.id, transaction: row.transaction, why },
    'an answer was served on a payment that never arrived: the chain contradicts the facilitator',
  );
}

async function judgeRow(row: PaymentRow, deps: ObserveDeps): Promise<Verdict | null> {
  try {
    return judge(await findEvidence(deps.chain, row, { finality: true }), row);
  } catch (error) {
    deps.log.warn({ err: error, payment: row.id, network: row.network }, 'the chain gave no answer about a payment');
    return null;
  }
}

/** The current figures of the ledger for operators. */
export interface PaymentFigures {
  /** Rows by concern; one row may be counted under several. */
  readonly payments: Readonly<Record<PaymentConcern, number>>;
  /** Findings of the audit that are not acknowledged. */
  readonly findings: Readonly<Record<FindingKind, number>>;
  /** Seconds since the audit finished for every recipient; null if there is no recipient. */
  readonly auditAgeSeconds: number | null;
}

/**
 * Concerns about rows:
 * - `unknown`: the outcome of a settlement is not known
 * - `overdue`: the same, or settling, for longer than an hour
 * - `unconfirmed`: settled, and the chain has not shown it
 * - `denied`: settled once, and the money never arrived
 * - `undelivered`: paid, and the answer waits for its payer
 * - `released`, `refused`: given up, and may still land
 * - `no_node`: open, on a network without a configured node
 */
export const paymentConcerns = [
  'unknown',
  'overdue',
  'unconfirmed',
  'denied',
  'undelivered',
  'released',
  'refused',
  'no_node',
] as const;
export type PaymentConcern = (typeof paymentConcerns)[number];
