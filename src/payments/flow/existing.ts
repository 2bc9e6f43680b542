import type { PaymentRow } from '../ports.ts';
import { checkValidity, type Refusal } from '../protocol/checks.ts';
import { chainAway, type Outcome, type PurchaseContext, refused, type Step } from './context.ts';
import { answerLater, serve, usedUp } from './delivery.ts';
import { whileLeased } from './lease.ts';
import { buy } from './purchase.ts';
import { isSamePayment } from './same-payment.ts';
import { type Held, isHeld, land, resolveUnknown, voided, watchChain } from './settlement.ts';

// A payment meets a purchase that is there already: its own, an earlier one of its payer for the same search, or one
// of the same name.

/**
 * This very authorization again: the same answer for the same request, and nothing for any other. The first request that
 * shows it binds it for good: once it may have been sent to the chain, everybody can show it.
 */
export async function resumeKnown(row: PaymentRow, context: PurchaseContext, misfit: Refusal | null): Promise<Step> {
  const { proven, deps } = context;
  const same = row.requestHash === proven.requestHash && row.paymentId === proven.sent.paymentId;
  if (!isSamePayment(row, proven) || !same) return boundElsewhere();
  if (row.status === 'settled') return row.claimable ? answerPaid(row, context) : usedUp();
  if (row.leased) return waitFor(row, context);
  const taken = await deps.rows.take(row, proven.owner, deps.limits.leaseMs);
  if (taken === null) return 'again';
  return whileLeased(taken, deps, () => {
    // What was denied may be shown by the chain after all; it is not settled again.
    if (!isHeld(taken)) return lookAgain(taken, context);
    return taken.status === 'unknown' ? resolveUnknown(taken, context) : reopen(taken, context, misfit);
  });
}

function boundElsewhere(): Outcome {
  return refused('payment_already_used', 'this authorization came with another search or signature before');
}

/**
 * A payer who asks again with a new authorization while the first one is open, was given up and can still land, or is
 * paid and was not delivered for certain.
 */
export async function resumeEarlier(row: PaymentRow, context: PurchaseContext): Promise<Step> {
  const { proven, deps, seen } = context;
  if (row.leased && row.status !== 'settled') return waitFor(row, context);
  // Only an authorization that is still unused shows that its bearer can sign.
  if (seen === null) return chainAway('An earlier payment for the same search can not be looked up just now.');
  if (row.status === 'settled') return answerPaid(row, context);
  const taken = await deps.rows.take(row, proven.owner, deps.limits.leaseMs);
  if (taken === null || !isHeld(taken)) return 'again';
  const step = await whileLeased(taken, deps, () => {
    if (taken.status === 'unknown') return resolveUnknown(taken, context);
    return taken.status === 'refused' ? lookAtRefused(taken, context) : reopenEarlier(taken, context);
  });
  // The chain says that the earlier one comes to nothing: now the new one may pay. On anybody else's word it is refused
  // with a 402, and may land all the same: only a payment that was signed after that 402 is the payer's wish to pay again.
  return step !== 'again' && step.kind === 'refused' && step.void ? 'again' : step;
}

export async function resumeIdentified(row: PaymentRow, context: PurchaseContext): Promise<Step> {
  if (row.requestHash !== context.proven.requestHash) {
    return { kind: 'conflict', message: 'The payment identifier belongs to another search: use a new one.' };
  }
  if (row.status !== 'settled' || !row.claimable) {
    return { kind: 'conflict', message: 'The payment identifier was used before: use a new one.' };
  }
  if (context.seen === null) return chainAway('The payment of that identifier can not be looked up just now.');
  return answerPaid(row, context);
}

/** The answer of a settled row, made now where the money arrived after the row was given up. */
async function answerPaid(row: PaymentRow, context: PurchaseContext): Promise<Step> {
  const { proven, deps } = context;
  if (row.body !== null) return serve(row, { replayed: true }, deps);
  if (row.leased) return waitFor(row, context);
  const taken = await deps.rows.take(row, proven.owner, deps.limits.leaseMs);
  return taken === null ? 'again' : whileLeased(taken, deps, () => answerLater(taken, context));
}

/** A payment that was given up, tried again. It may have landed meanwhile: whoever saw it could bring it to the chain. */
async function reopen(row: Held, context: PurchaseContext, misfit: Refusal | null): Promise<Step> {
  const { deps } = context;
  const verdict = await watchChain(row, row.transaction, context, { untilDecided: false });
  if (verdict.kind === 'landed') return land(row, verdict, context, { replayed: true });
  if (verdict.kind === 'void') return voided(row, verdict.why, context);
  const refusal = misfit ?? refusalForGood(row);
  if (verdict.kind === 'wait' || refusal !== null) {
    await deps.rows.release(row);
    return refusal === null || verdict.kind !== 'open' ? { kind: 'unknown' } : refused(refusal.code, refusal.message);
  }
  if (!(await deps.rows.advance(row, 'reopened', { leaseMs: deps.limits.leaseMs }))) {
    // Another purchase of the same search was opened meanwhile.
    await deps.rows.release(row);
    return 'again';
  }
  return buy({ ...row, status: 'processing' }, context);
}

/**
 * After a settlement was refused, its authorization may be known to everybody, and its payer was told to sign a new one:
 * it is not settled any more, whoever shows it.
 */
function refusalForGood({ status, body }: PaymentRow): Refusal | null {
  if (status !== 'refused' || body === null) return null;
  return { code: 'payment_already_refused', message: 'this authorization was refused before: sign a new payment' };
}

/** While an earlier authorization can still land, no new one is taken: the earlier one pays, or has expired. */
async function reopenEarlier(row: Held, context: PurchaseContext): Promise<Step> {
  const { clock, limits } = context.deps;
  const late = checkValidity(row.payment.authorization, limits.validity, Math.floor(clock.now() / 1000));
  const step = await reopen(row, context, late);
  const waits = late !== null && step !== 'again' && step.kind === 'refused' && !step.void;
  return waits ? { kind: 'in-progress' } : step;
}

/** Refused with a 402, so that a new one may pay, unless it has landed all the same. */
async function lookAtRefused(row: Held, context: PurchaseContext): Promise<Step> {
  context.looked.add(row.id);
  const step = await lookAgain(row, context);
  return step !== 'again' && step.kind === 'refused' ? 'again' : step;
}

/** Whether a payment that is given up for good has landed all the same. */
async function lookAgain(row: PaymentRow, context: PurchaseContext): Promise<Step> {
  const verdict = await watchChain(row, row.transaction, context, { untilDecided: false });
  if (verdict.kind === 'landed') return land(row, verdict, context, { replayed: true });
  await context.deps.rows.release(row);
  return usedUp();
}

const firstPauseMs = 10;
const longestPauseMs = 150;

/** Waits until nobody works on the row any more, or it is gone. */
async function waitFor(row: PaymentRow, { purchase, deps, deadline }: PurchaseContext): Promise<Step> {
  const stop = AbortSignal.any([purchase.client, purchase.hurry]);
  let pauseMs = firstPauseMs;
  for (;;) {
    if (purchase.client.aborted) return { kind: 'gone' };
    if (purchase.hurry.aborted || deps.clock.elapsed() >= deadline) return { kind: 'in-progress' };
    await deps.sleep(pauseMs, stop);
    pauseMs = Math.min(pauseMs * 1.5, longestPauseMs);
    const now = await deps.rows.read(row.id);
    if (now === null || !now.leased || now.status === 'settled') return 'again';
  }
}
