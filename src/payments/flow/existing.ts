import type { ClaimResult, PaymentRow } from '../ports.ts';
import type { Refusal } from '../protocol/checks.ts';
import {
  again,
  alreadyUsed,
  chainUnavailable,
  checkValidityNow,
  insufficientFunds,
  isOpenPayment,
  type OpenPayment,
  type PaymentAttempt,
  type PurchaseContext,
  refused,
  type Step,
  served,
  spentBefore,
} from './context.ts';
import { type Resumption, withLease } from './execution.ts';
import { firstVerdict, unknownResult } from './settlement.ts';

// A payment meets a purchase that is there already: its own, an earlier one of its payer for the same search, or one
// of the same name.

type Resolution = Step | Resumption;

/** Returns the consequence of a claim: a row to go on with, or the end of the request. */
export async function resolveClaim(found: ClaimResult, context: PurchaseContext): Promise<Resolution> {
  switch (found.kind) {
    case 'claimed':
      if (!isOpenPayment(found.row)) throw new Error('A claimed payment has lost what it was claimed with.');
      return { kind: 'execute', row: found.row };
    case 'known':
      return resolveSame(found.row, context);
    case 'earlier':
      return resolveEarlier(found.row, context);
    case 'identified':
      return resolveIdentified(found.row, context);
    case 'capped':
      return { kind: 'capped', openMax: context.deps.limits.openMax };
    case 'barred':
      return context.onChain?.spent ? spentBefore() : insufficientFunds();
    default:
      return found satisfies never;
  }
}

/**
 * This very authorization again: the same answer for the same request, and nothing for any other. The first request
 * that shows it binds it for good: once it may have been sent to the chain, everybody can show it.
 */
async function resolveSame(row: PaymentRow, context: PurchaseContext): Promise<Resolution> {
  const same = row.requestHash === context.requestHash && row.paymentId === context.payment.paymentId;
  if (!isSamePayment(row, context) || !same) {
    return refused('payment_already_used', 'this authorization came with another search or signature before');
  }
  if (row.status === 'settled') return row.claimable ? resolveSettled(row, context) : alreadyUsed();
  if (row.leased) return waitFor(row, context);
  return takeOver(row, context, async (taken) => {
    // A denied payment may be on the chain after all; it is not settled again.
    if (!isOpenPayment(taken)) return checkLanded(taken, context);
    return taken.status === 'unknown' ? concludeUnknown(taken, context) : reopen(taken, context);
  });
}

/** Returns true if the signed content is the same, too: equal bytes of a signature prove nothing with other content. */
export function isSamePayment(row: PaymentRow, { payment, signatureHash }: PaymentAttempt): boolean {
  const { to, value, validBefore, validAfter } = payment.authorization;
  return (
    row.signatureHash === signatureHash &&
    row.payTo === to &&
    row.amount === value &&
    row.validBefore === validBefore &&
    (row.payment === null || row.payment.authorization.validAfter === validAfter)
  );
}

/**
 * A payer who asks again with a new authorization while the first one is open, was given up and can still land, or is
 * paid and was not delivered for certain.
 */
async function resolveEarlier(row: PaymentRow, context: PurchaseContext): Promise<Resolution> {
  if (row.leased && row.status !== 'settled') return waitFor(row, context);
  // Only an authorization that is still unused shows that its bearer can sign.
  if (context.onChain === null) {
    return chainUnavailable('An earlier payment for the same search can not be looked up just now.');
  }
  if (row.status === 'settled') return resolveSettled(row, context);
  return takeOver(row, context, async (taken) => {
    if (!isOpenPayment(taken)) return again;
    if (taken.status === 'unknown') return concludeUnknown(taken, context);
    return taken.status === 'refused' ? checkRefused(taken, context) : reopenEarlier(taken, context);
  });
}

async function resolveIdentified(row: PaymentRow, context: PurchaseContext): Promise<Resolution> {
  if (row.requestHash !== context.requestHash) {
    return { kind: 'conflict', message: 'The payment identifier belongs to another search: use a new one.' };
  }
  if (row.status !== 'settled' || !row.claimable) {
    return { kind: 'conflict', message: 'The payment identifier was used before: use a new one.' };
  }
  if (context.onChain === null) {
    return chainUnavailable('The payment of that identifier can not be looked up just now.');
  }
  return resolveSettled(row, context);
}

/** Returns the answer of a settled row. It has none if the money arrived after the row was given up. */
async function resolveSettled(row: PaymentRow, context: PurchaseContext): Promise<Resolution> {
  if (row.body !== null) return served(row, { replayed: true }, context.deps);
  if (row.leased) return waitFor(row, context);
  const taken = await context.deps.rows.take(row, context.owner, context.deps.limits.leaseMs);
  return taken === null ? again : { kind: 'search-paid', row: taken };
}

/** Takes the lease of a row that no request works on. */
async function takeOver(
  row: PaymentRow,
  { owner, deps }: PurchaseContext,
  work: (taken: PaymentRow) => Promise<Resolution>,
): Promise<Resolution> {
  const taken = await deps.rows.take(row, owner, deps.limits.leaseMs);
  return taken === null ? again : withLease(taken, deps, () => work(taken));
}

async function concludeUnknown(row: OpenPayment, context: PurchaseContext): Promise<Resumption> {
  return { kind: 'conclude', row, result: await unknownResult(row, context) };
}

/** Retries a payment that was given up. It may have landed: anyone who saw the signature could send it to the chain. */
async function reopen(row: OpenPayment, context: PurchaseContext): Promise<Resolution> {
  const { deps } = context;
  const result = await firstVerdict(row, context);
  if (result.kind === 'landed' || result.kind === 'void') return { kind: 'conclude', row, result };
  const refusal = context.refusal ?? refusalForGood(row);
  if (result.kind === 'wait' || refusal !== null) {
    await deps.rows.release(row);
    return refusal === null || result.kind !== 'open' ? { kind: 'unknown' } : refused(refusal.code, refusal.message);
  }
  if (!(await deps.rows.advance(row, 'reopened', { leaseMs: deps.limits.leaseMs }))) {
    // Another purchase of the same search was opened meanwhile.
    await deps.rows.release(row);
    return again;
  }
  return { kind: 'execute', row: { ...row, status: 'processing' } };
}

/**
 * Refuses an authorization whose settlement was refused. It may be public, and its payer was asked to sign a new one,
 * so it is never settled again.
 */
function refusalForGood({ status, body }: PaymentRow): Refusal | null {
  if (status !== 'refused' || body === null) return null;
  return { code: 'payment_already_refused', message: 'this authorization was refused before: sign a new payment' };
}

/** Reopens an earlier authorization. While it can still land, it pays and no new one is accepted. */
async function reopenEarlier(row: OpenPayment, context: PurchaseContext): Promise<Resolution> {
  const late = checkValidityNow(row.payment, context.deps);
  const step = await reopen(row, { ...context, refusal: late });
  return late !== null && step.kind === 'refused' ? { kind: 'in-progress' } : step;
}

/** Lets a new payment replace one that was refused with a 402, unless the refused one has landed nevertheless. */
async function checkRefused(row: OpenPayment, context: PurchaseContext): Promise<Resolution> {
  context.checkedRefusals.add(row.id);
  const step = await checkLanded(row, context);
  return step.kind === 'refused' ? again : step;
}

/** Checks if a payment that is given up for good has landed nevertheless. */
async function checkLanded(row: PaymentRow, context: PurchaseContext): Promise<Resolution> {
  const result = await firstVerdict(row, context);
  if (result.kind === 'landed') return { kind: 'landed', row, result };
  await context.deps.rows.release(row);
  return alreadyUsed();
}

const firstPauseMs = 10;
const longestPauseMs = 150;

/** Waits until no request works on the row, or the row is gone. */
async function waitFor(row: PaymentRow, { purchase, deps, deadline }: PurchaseContext): Promise<Step> {
  const { clientSignal, shutdownSignal } = purchase;
  const stop = AbortSignal.any([clientSignal, shutdownSignal]);
  let pauseMs = firstPauseMs;
  for (;;) {
    if (clientSignal.aborted) return { kind: 'gone' };
    if (shutdownSignal.aborted || deps.clock.elapsed() >= deadline) return { kind: 'in-progress' };
    await deps.sleep(pauseMs, stop);
    pauseMs = Math.min(pauseMs * 1.5, longestPauseMs);
    const now = await deps.rows.find(row);
    if (now === null || !now.leased || now.status === 'settled') return again;
  }
}
