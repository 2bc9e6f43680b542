import type { PaymentLog } from '../flow/context.ts';
import type { ChainReads, PaymentRow, PaymentRows, PaymentUpkeep } from '../ports.ts';
import type { FindingKind } from './audit.ts';
import { readVerdict, type Verdict } from './evidence.ts';

/** The dependencies of the observer. */
export interface ObserveDeps {
  readonly rows: Pick<PaymentRows, 'advance'>;
  readonly upkeep: PaymentUpkeep;
  readonly chain: ChainReads;
  /** Rows checked in one pass; the next pass checks the rest. */
  readonly passMax: number;
  readonly log: PaymentLog;
}

/** Questions in a row that the node does not answer, after which the pass ends: each may take its whole time-out. */
const unansweredMax = 5;

/**
 * Asks the chain about every row that it can still decide and that no request works on. It only observes: settlements
 * are requested while the payer waits, never here.
 */
export async function observeOnce(deps: ObserveDeps, signal: AbortSignal): Promise<void> {
  let unanswered = 0;
  for (const row of await deps.upkeep.due(deps.passMax)) {
    if (signal.aborted || unanswered >= unansweredMax) return;
    const verdict = await judgeRow(row, deps);
    unanswered = verdict === null ? unanswered + 1 : 0;
    if (verdict !== null) await record(row, verdict, deps);
    await deps.upkeep.looked(row.id);
  }
}

/** Records and logs the chain's decision, unless another process was quicker. */
async function record(row: PaymentRow, verdict: Verdict, { rows, log }: ObserveDeps): Promise<void> {
  const wasSettled = row.status === 'settled';
  if (verdict.kind === 'landed') {
    const { transaction, block, final } = verdict;
    const written = await rows.advance(row, 'landed', { transaction, block, final });
    if (written && !wasSettled) {
      log.info({ payment: row.id, transaction, was: row.status }, 'a payment left behind had landed');
    }
    return;
  }
  if (verdict.kind === 'void') {
    if (!(await rows.advance(row, 'voided'))) return;
    const fields = { payment: row.id, nonce: row.nonce, transaction: row.transaction, why: verdict.why };
    if (wasSettled) log.error(fields, 'the transfer of a settled payment was taken back by a reorganisation');
    else log.info(fields, 'a payment left behind can take nothing any more');
    return;
  }
  if (wasSettled) log.warn({ payment: row.id }, 'the chain does not show a payment that was settled');
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
