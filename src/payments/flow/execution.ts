import type { Event } from '../ledger/states.ts';
import { type Change, DatabaseLostError, type PaymentRow } from '../ports.ts';
import type { Refusal } from '../protocol/checks.ts';
import type { Hex } from '../protocol/networks.ts';
import { answerText, refusalHeader } from '../protocol/paid-search.ts';
import {
  again,
  checkValidityNow,
  databaseUnavailable,
  facilitatorUnavailable,
  type OpenPayment,
  type Outcome,
  type PurchaseContext,
  type PurchaseDeps,
  refused,
  type SearchWork,
  type Step,
  served,
  uncharged,
} from './context.ts';
import { maySettleAgain, requestSettlement, requestVerification, type SettlementResult } from './settlement.ts';

// The work on a row that a request holds, from the verification to the stored receipt. Each change compares status and
// lease, so a request that has lost the row changes nothing. If the database is unavailable, the lease lapses, and a
// later request reads the outcome from the chain.

/** A row that this request holds now, and the next step for it. */
export type Resumption =
  /** Verify, search and settle, as for a new one. */
  | { readonly kind: 'execute'; readonly row: OpenPayment }
  /** A settlement has come to something. */
  | { readonly kind: 'conclude'; readonly row: OpenPayment; readonly result: SettlementResult }
  | {
      readonly kind: 'landed';
      readonly row: PaymentRow;
      readonly result: { readonly transaction: Hex; readonly block: number };
    }
  /** It is paid: search now. */
  | { readonly kind: 'search-paid'; readonly row: PaymentRow };

/** Runs the next step for a row that this request holds. */
export async function proceed(next: Resumption, context: PurchaseContext): Promise<Step> {
  switch (next.kind) {
    case 'execute':
      return execute(next.row, context);
    case 'conclude':
      return conclude(next.row, next.result, context);
    case 'landed':
      return markSettled(next.row, next.result, context);
    case 'search-paid':
      return searchAfterPayment(next.row, context);
    default:
      return next satisfies never;
  }
}

/** Verifies, searches, stores the intent, and settles. No settlement is requested before the intent is stored. */
async function execute(row: OpenPayment, context: PurchaseContext): Promise<Step> {
  const { purchase, deps } = context;
  const unverified = await requestVerification(row, context);
  if (unverified !== null) return abandon(row, unverified, context);
  const found = await search(row, context);
  if (!found.ok) {
    const { reason, cause } = found;
    return abandon(row, { kind: 'search-failed', reason, cause, paid: false }, context);
  }
  const unwanted = reasonNotToSettle(row, context);
  if (unwanted !== null) return abandon(row, unwanted, context);
  const intendedAt = deps.clock.elapsed();
  const body = answerText(found.data, purchase.request, row);
  const intended: OpenPayment = { ...row, status: 'settling', body };
  try {
    if (!(await deps.rows.advance(row, 'intended', { body, leaseMs: deps.limits.leaseMs }))) return again;
  } catch (error) {
    deps.log.error({ err: error, payment: row.id }, 'the database could not store an intent');
    // The intent may have been stored, but no settlement follows it.
    deps.retryInBackground('notSent', async () => {
      if (!(await deps.rows.advance(row, 'released'))) await deps.rows.advance(intended, 'notSent');
    });
    return databaseUnavailable();
  }
  const outslept = deps.clock.elapsed() - intendedAt > deps.limits.leaseMs;
  const late = reasonNotToSettle(row, context);
  if (outslept || late !== null) {
    deps.retryInBackground('notSent', () => deps.rows.advance(intended, 'notSent'));
    return late ?? databaseUnavailable();
  }
  return settlePayment(intended, context);
}

async function search(row: OpenPayment, context: PurchaseContext): ReturnType<SearchWork> {
  try {
    return await context.purchase.search();
  } catch (bug) {
    await abandon(row, { kind: 'gone' }, context);
    throw bug;
  }
}

/** Settlement is begun only for a client that waits, and with time enough for it to land. */
function reasonNotToSettle(row: OpenPayment, { purchase, deps }: PurchaseContext): Outcome | null {
  if (purchase.clientSignal.aborted) return { kind: 'gone' };
  if (purchase.shutdownSignal.aborted) return uncharged('shutting_down', 'This server is about to stop.');
  const late = checkValidityNow(row.payment, deps);
  return late === null ? null : refused(late.code, late.message);
}

/** Gives up a claim before its settlement: for good after a 402, else until the same payment is tried again. */
async function abandon(row: OpenPayment, outcome: Outcome, { deps }: PurchaseContext): Promise<Step> {
  const event = outcome.kind === 'refused' ? 'refused' : 'released';
  const written = await transition(row, event, deps);
  // Another request with this payment has taken the row over, and may be settling it: only its holder may refuse it.
  return written === 'lost' && event === 'refused' ? again : outcome;
}

async function settlePayment(row: OpenPayment, context: PurchaseContext): Promise<Step> {
  return conclude(row, await requestSettlement(row, context), context);
}

const voidTexts = {
  cancelled: ['authorization_cancelled', 'the payer has cancelled this authorization'],
  expired: ['invalid_exact_evm_payload_authorization_valid_before', 'the authorization has expired unused'],
  spent_elsewhere: ['invalid_exact_evm_nonce_already_used', 'the authorization was used before'],
} as const;

/** Writes the result of a settlement and returns the next step. */
async function conclude(row: OpenPayment, result: SettlementResult, context: PurchaseContext): Promise<Step> {
  const { deps } = context;
  switch (result.kind) {
    case 'landed':
      return markSettled(row, result, context);
    case 'void': {
      // The row stays until that is final on the chain.
      const [code, message] = voidTexts[result.why];
      return markRefused(row, 'voided', { code, message }, deps);
    }
    case 'refused':
      return markRefused(row, 'refused', { code: result.reason, message: 'the payment could not be settled' }, deps);
    case 'not-sent':
      return (await transition(row, 'notSent', deps)) === 'lost' ? again : facilitatorUnavailable();
    case 'unused':
      return settleAgain(row, result.transaction, context);
    case 'unknown':
      deps.log.warn({ payment: row.id, transaction: result.transaction }, 'the outcome of a settlement is unknown');
      await transition(row, 'unclear', deps, { transaction: result.transaction });
      return { kind: 'unknown' };
    default:
      return result satisfies never;
  }
}

async function settleAgain(row: OpenPayment, transaction: Hex | null, context: PurchaseContext): Promise<Step> {
  const { deps } = context;
  const unknown: OpenPayment = { ...row, status: 'unknown', transaction };
  if (row.status === 'settling') {
    // The row is marked as unknown before the next request to the facilitator.
    const written = await transition(row, 'unclear', deps, { transaction, leaseMs: deps.limits.leaseMs });
    if (written !== 'written') return written === 'lost' ? again : { kind: 'unknown' };
  }
  if (!maySettleAgain(unknown, context)) return conclude(unknown, { kind: 'unknown', transaction }, context);
  return settlePayment(unknown, context);
}

/** Refuses the payment, if this request still holds the row: another holder may be settling it. */
async function markRefused(
  row: PaymentRow,
  event: 'refused' | 'voided',
  { code, message }: Refusal,
  deps: PurchaseDeps,
): Promise<Step> {
  if ((await transition(row, event, deps)) === 'lost') return again;
  const receipt = refusalHeader({ reason: code, network: row.network, payer: row.payer });
  return { kind: 'refused', code, message, receipt, ...(event === 'voided' ? { void: true } : {}) };
}

/** Marks the row as settled. The payer gets the answer even if the database can't record that now. */
async function markSettled(
  row: PaymentRow,
  { transaction, block }: { readonly transaction: Hex; readonly block: number | null },
  context: PurchaseContext,
): Promise<Step> {
  const { deps } = context;
  const confirmed = block !== null;
  const settled: PaymentRow = { ...row, status: 'settled', transaction, confirmed };
  const written = await transition(row, 'landed', deps, {
    transaction,
    confirmed,
    ...(confirmed ? { block } : {}),
    ...(row.body === null ? { leaseMs: deps.limits.leaseMs } : {}),
  });
  if (row.body !== null) return served(settled, { replayed: row.status !== 'settling' }, deps);
  if (written !== 'written') return written === 'lost' ? again : { kind: 'unknown' };
  return searchAfterPayment(settled, context);
}

/** Creates the answer of a payment that landed after it was given up without one. */
async function searchAfterPayment(row: PaymentRow, context: PurchaseContext): Promise<Step> {
  const { purchase, deps } = context;
  const found = await purchase.search().catch(async (bug: unknown) => {
    await releaseLease(row, deps);
    throw bug;
  });
  if (!found.ok) {
    await releaseLease(row, deps);
    return { kind: 'search-failed', reason: found.reason, cause: found.cause, paid: true };
  }
  const body = answerText(found.data, purchase.request, row);
  if ((await transition(row, 'landed', deps, { body })) === 'lost') return again;
  return served({ ...row, body }, { replayed: true }, deps);
}

/** Writes an event now or, if the database is away, later in the background. `lost`: the row has changed hands. */
export async function transition(
  row: PaymentRow,
  event: Event,
  deps: PurchaseDeps,
  change: Change = {},
): Promise<'written' | 'lost' | 'away'> {
  try {
    return (await deps.rows.advance(row, event, change)) ? 'written' : 'lost';
  } catch (error) {
    deps.log.error({ err: error, payment: row.id, event }, 'the database could not record a change of a payment yet');
    // No request holds the row when the retry writes it.
    deps.retryInBackground(event, () => deps.rows.advance(row, event, { ...change, leaseMs: 0 }));
    return 'away';
  }
}

/** Does the work and renews the row's lease meanwhile. If the lease is lost, the row's next change reports it. */
export async function withLease<T>(row: PaymentRow, deps: PurchaseDeps, work: () => Promise<T>): Promise<T> {
  const ended = new AbortController();
  // Never rejects; it ends with the work.
  void renewUntil(ended.signal, row, deps);
  try {
    return await work();
  } finally {
    ended.abort();
  }
}

async function renewUntil(ended: AbortSignal, row: PaymentRow, deps: PurchaseDeps): Promise<void> {
  for (;;) {
    await deps.sleep(deps.limits.leaseMs / 3, ended);
    if (ended.aborted) return;
    try {
      if (!(await deps.rows.renew(row, deps.limits.leaseMs))) return;
    } catch (error) {
      deps.log.warn({ err: error, payment: row.id }, 'a lease could not be renewed');
    }
  }
}

/**
 * Releases the row so that a later request need not wait for its lease. If the database is unavailable, the caller
 * still answers with the result of the search. In existing.ts, where nothing was searched yet, that error ends the
 * request.
 */
export async function releaseLease(row: PaymentRow, deps: PurchaseDeps): Promise<void> {
  try {
    await deps.rows.release(row);
  } catch (error) {
    if (!(error instanceof DatabaseLostError)) throw error;
    deps.log.warn({ err: error, payment: row.id }, 'a lease could not be given back');
  }
}
