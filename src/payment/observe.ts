import type { ChargeLog } from './outcome.ts';
import type { ChainPort, PaymentRow, PaymentRows, PaymentUpkeep } from './ports.ts';
import { judge, type Verdict } from './reconcile.ts';

/** What the observer needs. */
export interface ObserveDeps {
  readonly rows: PaymentRows;
  readonly upkeep: PaymentUpkeep;
  readonly chain: Pick<ChainPort, 'facts'>;
  readonly newOwner: () => string;
  readonly leaseMs: number;
  readonly log: ChargeLog;
}

/** How many rows were looked at, and what came of them. */
export interface Observation {
  readonly landed: number;
  readonly voided: number;
  /** Still unknown: to be looked at again, or settled by a payer who retries. */
  readonly open: number;
  /** Settlements taken on the facilitator's word that the chain now shows. */
  readonly confirmed: number;
}

/** Rows looked at in one pass; the next pass sees the rest. */
const passMax = 200;

/**
 * Asks the chain about every payment that nobody works on and whose outcome is open. It only looks: a settlement is
 * asked for while its payer waits, and never here.
 */
export async function observeOnce(deps: ObserveDeps, signal: AbortSignal): Promise<Observation> {
  const count = { landed: 0, voided: 0, open: 0, confirmed: 0 };
  for (const row of await deps.upkeep.leftBehind(passMax)) {
    if (signal.aborted) return count;
    const found = await resolveLeftBehind(row, deps);
    if (found !== null) count[found] += 1;
  }
  for (const row of await deps.upkeep.unconfirmed(passMax)) {
    if (signal.aborted) return count;
    const verdict = await judgeRow(row, deps);
    if (verdict?.kind !== 'landed') continue;
    const change = { transaction: verdict.transaction, confirmed: true };
    if (await deps.rows.advance(row, 'landed', change)) count.confirmed += 1;
  }
  return count;
}

/** Null when somebody else works on the row now. */
async function resolveLeftBehind(row: PaymentRow, deps: ObserveDeps): Promise<'landed' | 'voided' | 'open' | null> {
  const held = await deps.rows.take(row, deps.newOwner(), deps.leaseMs);
  if (held === null) return null;
  const verdict = await judgeRow(held, deps);
  if (verdict?.kind === 'landed') {
    const { transaction } = verdict;
    if (!(await deps.rows.advance(held, 'landed', { transaction, confirmed: true }))) return null;
    deps.log.info({ payment: row.id, transaction }, 'a payment left behind had landed');
    return 'landed';
  }
  if (verdict?.kind === 'void') {
    if (!(await deps.rows.advance(held, 'voided'))) return null;
    deps.log.info({ payment: row.id, why: verdict.why }, 'a payment left behind can take nothing any more');
    return 'voided';
  }
  await deps.rows.advance(held, 'unclear');
  return 'open';
}

async function judgeRow(row: PaymentRow, deps: ObserveDeps): Promise<Verdict | null> {
  try {
    const facts = await deps.chain.facts({
      from: row.payer,
      nonce: row.nonce,
      value: row.amount,
      fromBlock: row.fromBlock,
      sinceSeconds: Math.floor(row.createdAtMs / 1000),
      named: row.transaction,
    });
    return judge(facts, row);
  } catch (error) {
    deps.log.warn({ err: error, payment: row.id }, 'the chain gave no answer about a payment left behind');
    return null;
  }
}
