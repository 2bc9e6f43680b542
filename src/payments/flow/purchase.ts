import { type ClaimResult, DatabaseLostError, type PaymentRow } from '../ports.ts';
import type { Refusal } from '../protocol/checks.ts';
import type { Hex } from '../protocol/networks.ts';
import { answerText, refusalHeader, requestHash } from '../protocol/paid-search.ts';
import { decodePayment } from '../protocol/payload.ts';
import { signatureHash } from '../protocol/signature.ts';
import { admit } from './admission.ts';
import { checkValidityNow, type Resumption, resolveClaim } from './existing.ts';
import {
  again,
  databaseUnavailable,
  facilitatorUnavailable,
  type Outcome,
  overloaded,
  refused,
  type Step,
  served,
  uncharged,
} from './outcome.ts';
import type {
  OpenPayment,
  PaymentAttempt,
  PurchaseContext,
  PurchaseDeps,
  PurchaseRequest,
  SearchWork,
} from './purchase-types.ts';
import { releaseLease, transition, withLease } from './row-changes.ts';
import { maySettleAgain, requestSettlement, requestVerification, type SettlementResult } from './settlement.ts';

// One payment from its header to its row. admission.ts says who may go on, settlement.ts what the chain shows. existing.ts
// takes, gives back and reopens rows that are there; all other changes of the row that a request makes are here.

/**
 * Sells one search, charged at most once and never for an error: local checks, the payer's balance, claim, verification,
 * search, stored intent, settlement, stored receipt. Never rejects for anything that the facilitator, the chain, the
 * database or the payer may do.
 */
export async function processPurchase(purchase: PurchaseRequest, deps: PurchaseDeps): Promise<Outcome> {
  const decoded = decodePayment(purchase.header);
  if (!decoded.ok) return refused(decoded.code, decoded.message);
  const { payment } = decoded;
  const attempt: PaymentAttempt = {
    purchase,
    payment,
    requestHash: requestHash(purchase.request),
    signatureHash: signatureHash(payment.signature),
    owner: deps.newOwner(),
    deps,
  };
  try {
    const admission = await admit(attempt);
    if (admission.kind !== 'admitted') return admission;
    const slot = deps.slots.acquirePayment(payment.authorization.from, admission.paidBefore);
    if (slot.release === null) {
      return slot.payerMax === null ? overloaded() : { kind: 'capped', openMax: slot.payerMax };
    }
    try {
      const deadline = deps.clock.elapsed() + deps.limits.followMs;
      return await claimUntilDecided({ ...attempt, ...admission, deadline, checkedRefusals: new Set() });
    } finally {
      slot.release();
    }
  } catch (error) {
    // Everything that rejects with the database's absence does so before a settlement is asked for.
    if (!(error instanceof DatabaseLostError)) throw error;
    deps.log.error({ err: error }, 'the database could not be asked for a payment');
    return databaseUnavailable();
  }
}

/** Claims the purchase, or goes on with the one that is there, until there is an outcome. */
async function claimUntilDecided(admitted: PurchaseContext): Promise<Outcome> {
  const { purchase, deps, deadline } = admitted;
  for (let first = true; ; first = false) {
    if (purchase.clientSignal.aborted) return { kind: 'gone' };
    if (!first && deps.clock.elapsed() >= deadline) return { kind: 'in-progress' };
    const refusal = admitted.refusal ?? checkValidityNow(admitted.payment, deps);
    const context = { ...admitted, refusal };
    // An authorization for which no row may be made now may have paid before.
    const known = refusal === null ? null : await deps.rows.find(context.key);
    if (refusal !== null && known === null) return refused(refusal.code, refusal.message);
    const found: ClaimResult = known === null ? await claim(context) : { kind: 'known', row: known };
    const next = await resolveClaim(found, context);
    const step = 'row' in next ? await withLease(next.row, deps, () => proceed(next, context)) : next;
    // The chain says that an earlier one comes to nothing: now the new one may pay. On anybody else's word it is refused
    // with a 402, and may land all the same: only a payment signed after that 402 is the payer's wish to pay again.
    const mayPayAnew = step.kind === 'refused' && step.void && found.kind === 'earlier';
    if (step.kind !== 'again' && !mayPayAnew) return step;
  }
}

function claim({ payment, requestHash, signatureHash, owner, ...context }: PurchaseContext): Promise<ClaimResult> {
  const { purchase, deps, onChain, checkedRefusals } = context;
  return deps.rows.claim({
    payment,
    requestHash,
    signatureHash,
    owner,
    terms: deps.terms,
    request: purchase.request,
    leaseMs: deps.limits.leaseMs,
    mayOpen: onChain === null || (onChain.funded && !onChain.spent),
    // Unused in that block, it may still get into one that replaces blocks before it.
    fromBlock: onChain === null ? null : Math.max(0, onChain.block + 1 - deps.chain.reorgBlocks),
    checkedRefusals: [...checkedRefusals],
  });
}

/** Does what is to be done with a row that this request holds. */
async function proceed(next: Resumption, context: PurchaseContext): Promise<Step> {
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

/** A claimed purchase: verify, search, store the intent, settle. Until the intent is stored no settlement is asked for. */
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
    // Whether or not it was stored, no settlement follows it.
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

/** Gives a claim up before its settlement: after a 402 for good, else until the same payment is tried again. */
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

/** Writes what came of a settlement, and answers it. */
async function conclude(row: OpenPayment, result: SettlementResult, context: PurchaseContext): Promise<Step> {
  const { deps } = context;
  switch (result.kind) {
    case 'landed':
      return markSettled(row, result, context);
    case 'void': {
      // The row stays until the chain can't take that back any more.
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
    // Before anything more is asked of the facilitator, the row says that its outcome is not known.
    const written = await transition(row, 'unclear', deps, { transaction, leaseMs: deps.limits.leaseMs });
    if (written !== 'written') return written === 'lost' ? again : { kind: 'unknown' };
  }
  if (!maySettleAgain(unknown, context)) return conclude(unknown, { kind: 'unknown', transaction }, context);
  return settlePayment(unknown, context);
}

/** Whoever holds the row now may be settling it: only the holder may say that nothing was taken. */
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

/** The money has moved: the payer gets the answer even if the database can't note it now. */
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

/** Makes the answer of a payment that landed after it was given up, when there was none yet. */
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
