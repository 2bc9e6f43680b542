import type { Verdict } from '../ledger/evidence.ts';
import type { Event } from '../ledger/states.ts';
import { type Change, DatabaseLostError, type PaymentRow } from '../ports.ts';
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
import { firstVerdict, maySettle, requestSettlement, requestVerification } from './settlement.ts';

// The work on a row that a request holds, from the verification to the stored transfer. Each change compares status and
// lease, so a request that has lost the row changes nothing. If the database is unavailable, the lease lapses, and a
// later request reads the outcome from the chain.

/** A row that this request holds now, and the next step for it. */
export type Held =
  /** Verify, search and settle, as for a new payment. */
  | { readonly kind: 'execute'; readonly row: OpenPayment }
  /** Its earlier request ended without a result: continue from the state of the chain. */
  | { readonly kind: 'resume'; readonly row: OpenPayment }
  /** It is paid: search now. */
  | { readonly kind: 'search-paid'; readonly row: PaymentRow };

/** Runs the next step for a row that this request holds. */
export async function proceed(held: Held, context: PurchaseContext): Promise<Step> {
  switch (held.kind) {
    case 'execute':
      return execute(held.row, context);
    case 'resume':
      return resume(held.row, context);
    case 'search-paid':
      return searchAfterPayment(held.row, context);
    default:
      return held satisfies never;
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
  const written = await transition(row, 'intended', deps, { body, leaseMs: deps.limits.leaseMs });
  if (written === 'lost') return again;
  // The intent may have been stored. Then a later request or the observer completes the payment.
  if (written === 'away') return databaseUnavailable();
  const intended: OpenPayment = { ...row, status: 'settling', body };
  const outslept = deps.clock.elapsed() - intendedAt > deps.limits.leaseMs;
  if (outslept || !maySettle(intended, context)) return conclude(intended, { kind: 'wait' }, context);
  return settle(intended, context, 'first');
}

async function search(row: PaymentRow, context: PurchaseContext): ReturnType<SearchWork> {
  try {
    return await context.purchase.search();
  } catch (bug) {
    await transition(row, 'dropped', context.deps);
    throw bug;
  }
}

/** Settle only if the client still waits, and there is time for the settlement to land. */
function reasonNotToSettle(row: OpenPayment, { purchase, deps }: PurchaseContext): Outcome | null {
  if (purchase.clientSignal.aborted) return { kind: 'gone' };
  if (purchase.shutdownSignal.aborted) return uncharged('shutting_down', 'This server is shutting down.');
  const late = checkValidityNow(row.payment, deps);
  return late === null ? null : refused(late.code, late.message);
}

/**
 * Gives up a claim before its settlement. A 402 is sent only if the chain shows that the authorization is unused. The
 * chain is read while the lease is held: after the release, another request with this payment may settle it.
 */
async function abandon(row: OpenPayment, outcome: Outcome, context: PurchaseContext): Promise<Step> {
  const { kind } = outcome.kind === 'refused' ? await firstVerdict(row, context) : { kind: 'not-asked' };
  const written = await transition(row, 'dropped', context.deps);
  if (outcome.kind !== 'refused') return outcome;
  if (written === 'lost') return again;
  if (written === 'away' || kind === 'wait') return { kind: 'unknown' };
  return kind === 'open' ? outcome : again;
}

/**
 * Continues with a row whose earlier request ended without a result. Anyone who saw the signature could have sent it to
 * the chain, so the chain is asked first.
 */
async function resume(row: OpenPayment, context: PurchaseContext): Promise<Step> {
  const verdict = await firstVerdict(row, context);
  if (verdict.kind !== 'open' || !maySettle(row, context)) return conclude(row, verdict, context);
  if (row.status === 'settling') return settle(row, context, 'again');
  const { deps } = context;
  if (await deps.rows.advance(row, 'reopened', { leaseMs: deps.limits.leaseMs })) {
    return execute({ ...row, status: 'processing' }, context);
  }
  // Another purchase of the same search was opened meanwhile.
  await transition(row, 'dropped', deps);
  return again;
}

/** This request's part in the settlement: it requested the first one, another one, or none. */
type Asked = 'first' | 'again' | 'not';

async function settle(row: OpenPayment, context: PurchaseContext, asked: Asked): Promise<Step> {
  const result = await requestSettlement(row, context);
  if (result.kind === 'requested') return conclude(result.row, result.verdict, context, asked);
  await transition(row, 'dropped', context.deps);
  return asked === 'first' ? facilitatorUnavailable() : { kind: 'unknown' };
}

const voidTexts = {
  cancelled: ['authorization_cancelled', 'the payer has cancelled this authorization'],
  expired: ['invalid_exact_evm_payload_authorization_valid_before', 'the authorization has expired unused'],
  spent_elsewhere: ['invalid_exact_evm_nonce_already_used', 'the authorization was used before'],
} as const;

/** Writes the chain's verdict and returns the next step. */
async function conclude(
  row: OpenPayment,
  verdict: Verdict,
  context: PurchaseContext,
  asked: Asked = 'not',
): Promise<Step> {
  const { deps, purchase, key } = context;
  if (verdict.kind === 'landed') return markSettled(row, verdict, context, asked);
  if (verdict.kind === 'void') {
    if ((await transition(row, 'voided', deps)) === 'lost') return again;
    // The earlier payment can't move money any more, so the new one may be used.
    if (row.nonce !== key.nonce) return again;
    const [code, message] = voidTexts[verdict.why];
    return { kind: 'refused', code, message, receipt: refusalHeader({ ...row, reason: code }) };
  }
  if (row.status === 'settling') {
    deps.log.warn({ payment: row.id, transaction: row.transaction }, 'the outcome of a settlement is unknown');
  }
  await transition(row, 'dropped', deps, { transaction: row.transaction });
  return purchase.clientSignal.aborted ? { kind: 'gone' } : { kind: 'unknown' };
}

/** Marks the row as settled. The payer gets the answer even if the database can't record that now. */
async function markSettled(
  row: PaymentRow,
  { transaction, block, final }: Extract<Verdict, { readonly kind: 'landed' }>,
  context: PurchaseContext,
  asked: Asked,
): Promise<Step> {
  const { deps } = context;
  const settled: PaymentRow = { ...row, status: 'settled', transaction };
  const lease = row.body === null ? { leaseMs: deps.limits.leaseMs } : {};
  const written = await transition(row, 'landed', deps, { transaction, block, final, ...lease });
  // Everyone can read the authorization of a transfer. Only its signer has another, unused one.
  const provesPayer = asked !== 'not' || row.nonce !== context.key.nonce;
  if (row.body !== null) return served(settled, { replayed: asked !== 'first', provesPayer }, deps);
  if (written !== 'written') return written === 'lost' ? again : { kind: 'unknown' };
  return searchAfterPayment(settled, context);
}

/** Creates the answer of a payment that landed after it was given up without one. */
async function searchAfterPayment(row: PaymentRow, context: PurchaseContext): Promise<Step> {
  const { purchase, deps } = context;
  const found = await search(row, context);
  if (!found.ok) {
    await transition(row, 'dropped', deps);
    return { kind: 'search-failed', reason: found.reason, cause: found.cause, paid: true };
  }
  const body = answerText(found.data, purchase.request, row);
  if ((await transition(row, 'dropped', deps, { body })) === 'lost') return again;
  return served({ ...row, body }, { replayed: true, provesPayer: row.nonce !== context.key.nonce }, deps);
}

/**
 * Writes an event. Returns `lost` if another request has taken the row, and `away` if the database gave no answer. Then
 * the lease lapses, and a later request or the observer reads the outcome from the chain.
 */
async function transition(
  row: PaymentRow,
  event: Event,
  deps: PurchaseDeps,
  change: Change = {},
): Promise<'written' | 'lost' | 'away'> {
  try {
    return (await deps.rows.advance(row, event, change)) ? 'written' : 'lost';
  } catch (error) {
    if (!(error instanceof DatabaseLostError)) throw error;
    deps.log.error({ err: error, payment: row.id, event }, 'the database could not record a change of a payment');
    return 'away';
  }
}

/** Does the work and renews the row's lease meanwhile. If the lease is lost, the row's next change reports it. */
export async function withLease<T>(row: PaymentRow, deps: PurchaseDeps, work: () => Promise<T>): Promise<T> {
  const ended = new AbortController();
  // Never rejects, and ends with the work.
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
