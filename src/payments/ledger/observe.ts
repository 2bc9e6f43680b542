import type { PaymentLog } from '../flow/context.ts';
import type { ChainReads, PaymentRow, PaymentRows, PaymentUpkeep } from '../ports.ts';
import type { FindingKind } from './audit.ts';
import { readVerdict, type Verdict } from './evidence.ts';

export interface ObserveDeps {
  readonly rows: Pick<PaymentRows, 'advance'>;
  readonly upkeep: PaymentUpkeep;
  readonly chain: ChainReads;
  /** Rows checked in one pass; the next pass checks the rest. */
  readonly passMax: number;
  readonly log: PaymentLog;
}

/** Counts of a pass, by result. */
export interface Observation {
  /** Payments left behind that the chain shows. */
  readonly landed: number;
  /** Rows that were removed because their authorization can move no money any more. */
  readonly voided: number;
  /** Still settling: checked again later, or settled when the payer retries. */
  readonly open: number;
  /** Settled rows whose transfer is now in a final block. */
  readonly final: number;
}

/** Consecutive failures of the node after which a pass ends, because each may take the whole timeout. */
const unansweredMax = 5;

/**
 * Asks the chain about every undecided row that no request works on. It only observes: settlements are requested only
 * while the payer waits.
 */
export async function observeOnce(deps: ObserveDeps, signal: AbortSignal): Promise<Observation> {
  const count = { landed: 0, voided: 0, open: 0, final: 0 };
  let unanswered = 0;
  for (const row of await deps.upkeep.due(deps.passMax)) {
    if (signal.aborted || unanswered >= unansweredMax) return count;
    const verdict = await judgeRow(row, deps);
    unanswered = verdict === null ? unanswered + 1 : 0;
    const found = verdict === null ? null : await record(row, verdict, deps);
    await deps.upkeep.looked(row.id);
    if (found !== null) count[found] += 1;
    else if (row.status === 'settling') count.open += 1;
  }
  return count;
}

/** Records the chain's decision. Returns null if there is none yet, or if another process was quicker. */
async function record(
  row: PaymentRow,
  verdict: Verdict,
  { rows, log }: ObserveDeps,
): Promise<keyof Observation | null> {
  const wasSettled = row.status === 'settled';
  if (verdict.kind === 'landed') {
    const { transaction, block, final } = verdict;
    if (!(await rows.advance(row, 'landed', { transaction, block, final }))) return null;
    if (wasSettled) return final ? 'final' : null;
    log.info({ payment: row.id, transaction, was: row.status }, 'a payment left behind had landed');
    return 'landed';
  }
  if (verdict.kind === 'void') {
    if (!(await rows.advance(row, 'voided'))) return null;
    const fields = { payment: row.id, nonce: row.nonce, transaction: row.transaction, why: verdict.why };
    if (wasSettled) log.error(fields, 'the transfer of a settled payment was taken back by a reorganisation');
    else log.info(fields, 'a payment left behind can take nothing any more');
    return 'voided';
  }
  if (wasSettled) log.warn({ payment: row.id }, 'the chain does not show a payment that was settled');
  return null;
}

async function judgeRow(row: PaymentRow, deps: ObserveDeps): Promise<Verdict | null> {
  try {
    return await readVerdict(deps.chain, row);
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
 * - `settling`: a settlement may be under way
 * - `overdue`: the same for longer than an hour
 * - `undelivered`: paid, and the answer waits for its payer
 * - `released`: given up, and may still land
 * - `no_node`: open, on a network without a configured node
 */
export type PaymentConcern = 'settling' | 'overdue' | 'undelivered' | 'released' | 'no_node';
