import { checkValidity, type Refusal } from './checks.ts';
import { answerLater, serve, usedUp } from './delivery.ts';
import { whileLeased } from './lease.ts';
import { chainAway, type PurchaseContext, refused, type Step } from './outcome.ts';
import type { PaymentRow } from './ports.ts';
import { buy } from './purchase.ts';
import { type Held, isHeld, land, rebound, resolveUnknown, voided, watchChain } from './settle.ts';
import type { SentPayment } from './wire.ts';

// A payment meets a purchase that is there already: its own, an earlier one of its payer for the same search, or one
// of the same name.

/** This very authorization again: the same answer for the same request, and nothing for any other. */
export async function resumeKnown(row: PaymentRow, context: PurchaseContext, misfit: Refusal | null): Promise<Step> {
  const { proven, deps } = context;
  if (row.signatureHash !== proven.signatureHash) return usedUp();
  const givenUp = row.status === 'released' || row.status === 'refused';
  const same = row.requestHash === proven.requestHash && row.paymentId === proven.sent.paymentId;
  // What was given up has bought nothing yet, so it may buy something else.
  if (!same && !givenUp) return usedUp();
  if (row.status === 'settled') return row.claimable ? answerPaid(row, context) : usedUp();
  if (row.status === 'denied') return usedUp();
  if (row.leased) return waitFor(row, context);
  const taken = await deps.rows.take(row, proven.owner, deps.limits.leaseMs);
  if (taken === null || !isHeld(taken)) return 'again';
  return whileLeased(taken, deps, () =>
    taken.status === 'unknown' ? resolveUnknown(taken, context) : reopen(taken, proven.sent, context, misfit),
  );
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
async function reopen(row: Held, sent: SentPayment, context: PurchaseContext, misfit: Refusal | null): Promise<Step> {
  const { deps, purchase, proven } = context;
  const rebind = { request: purchase.request, requestHash: proven.requestHash, sent };
  const verdict = await watchChain(row, row.transaction, context, { untilDecided: false });
  if (verdict.kind === 'landed') {
    // What the payer asks for now is what he has paid for.
    const other = row.requestHash === proven.requestHash ? {} : { purchase: rebind };
    return land(row, verdict, context, { replayed: true, ...other });
  }
  if (verdict.kind === 'void') return voided(row, verdict.why, context);
  if (verdict.kind === 'wait' || misfit !== null) {
    await deps.rows.release(row);
    return misfit === null || verdict.kind !== 'open' ? { kind: 'unknown' } : refused(misfit.code, misfit.message);
  }
  const change = { leaseMs: deps.limits.leaseMs, purchase: rebind };
  if (!(await deps.rows.advance(row, 'reopened', change))) {
    // Another purchase of the same search was opened meanwhile.
    await deps.rows.release(row);
    return 'again';
  }
  return buy(rebound({ ...row, status: 'processing' }, rebind), context);
}

/** While an earlier authorization can still land, no new one is taken: the earlier one pays, or has expired. */
async function reopenEarlier(row: Held, context: PurchaseContext): Promise<Step> {
  const { clock, limits } = context.deps;
  const late = checkValidity(row.payment.authorization, limits.validity, Math.floor(clock.now() / 1000));
  // It is tried again under its own name, whatever the new one is called.
  const step = await reopen(row, row.payment, context, late);
  const waits = late !== null && step !== 'again' && step.kind === 'refused' && !step.void;
  return waits ? { kind: 'in-progress' } : step;
}

/** Refused with a 402, so that a new one may pay, unless it has landed all the same. */
async function lookAtRefused(row: Held, context: PurchaseContext): Promise<Step> {
  context.looked.add(row.id);
  const verdict = await watchChain(row, row.transaction, context, { untilDecided: false });
  if (verdict.kind === 'landed') return land(row, verdict, context, { replayed: true });
  await context.deps.rows.release(row);
  return 'again';
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
