import type { ClaimResult, PaymentRow } from '../ports.ts';
import {
  again,
  alreadyUsed,
  chainUnavailable,
  insufficientFunds,
  isOpenPayment,
  type Outcome,
  type PaymentAttempt,
  type PurchaseContext,
  refused,
  type Step,
  served,
} from './context.ts';
import type { Held } from './execution.ts';

// The cases in which a purchase exists already: with this authorization, of this payer for the same search, or with the
// same payment identifier.

/** Returns the row to continue with after a claim, or the outcome of the request. */
export async function resolveClaim(found: ClaimResult, context: PurchaseContext): Promise<Step | Held> {
  switch (found.kind) {
    case 'claimed':
      return held(found.row);
    case 'known':
      return resolveSame(found.row, context);
    case 'earlier':
      return resolveEarlier(found.row, context);
    case 'identified':
      return resolveIdentified(found.row, context);
    case 'capped':
      return { kind: 'capped', openMax: context.deps.limits.openMax };
    case 'barred':
      return context.onChain === null ? payerUnknown() : insufficientFunds();
    default:
      return found satisfies never;
  }
}

export function payerUnknown(): Outcome {
  return chainUnavailable('The payer cannot be looked up on the chain right now.');
}

/**
 * The same authorization returns the same answer for the same request, and is refused for any other. The first request
 * binds it for good, because everyone can read an authorization once it is on the chain.
 */
async function resolveSame(row: PaymentRow, context: PurchaseContext): Promise<Step | Held> {
  const sameName = row.paymentId === null || row.paymentId === context.payment.paymentId;
  if (!isSamePayment(row, context) || !sameName || row.requestHash !== context.requestHash) {
    return refused('payment_already_used', 'this authorization came with another search or signature before');
  }
  if (row.status === 'settled') return row.claimable ? resolveSettled(row, context) : alreadyUsed();
  return row.leased ? waitFor(row, context) : takeOver(row, context);
}

/** Returns true if signature and signed content are the same. The bytes of a signature alone prove nothing. */
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
 * The payer repeats a search with a new authorization while the first one is open, was released but can still land, or
 * is paid and perhaps not delivered. The first one pays: the facilitator never gets two payments for the same search
 * while both can land.
 */
async function resolveEarlier(row: PaymentRow, context: PurchaseContext): Promise<Step | Held> {
  if (row.status === 'settled') return resolveSettled(row, context);
  return row.leased ? waitFor(row, context) : takeOver(row, context);
}

async function resolveIdentified(row: PaymentRow, context: PurchaseContext): Promise<Step | Held> {
  if (row.requestHash !== context.requestHash) {
    return { kind: 'conflict', message: 'The payment identifier belongs to another search: use a new one.' };
  }
  if (row.status !== 'settled' || !row.claimable) {
    return { kind: 'conflict', message: 'The payment identifier was used before: use a new one.' };
  }
  return resolveSettled(row, context);
}

/** Returns the answer of a settled row. It has none if the money arrived after the row was given up. */
async function resolveSettled(row: PaymentRow, context: PurchaseContext): Promise<Step | Held> {
  // Everyone can read a settled authorization. Only its signer has another, unused one.
  const provesPayer = row.nonce !== context.key.nonce;
  if (row.body !== null) return served(row, { replayed: true, provesPayer }, context.deps);
  return row.leased ? waitFor(row, context) : takeOver(row, context);
}

/** Takes the lease of a row that no request works on. */
async function takeOver(row: PaymentRow, { owner, deps }: PurchaseContext): Promise<Step | Held> {
  const taken = await deps.rows.take(row, owner, deps.limits.leaseMs);
  return taken === null ? again : held(taken);
}

function held(row: PaymentRow): Held {
  if (row.status === 'settled') return { kind: 'search-paid', row };
  if (!isOpenPayment(row)) throw new Error(`Payment ${row.id} is not settled and has lost what it was claimed with.`);
  return { kind: row.status === 'processing' ? 'execute' : 'resume', row };
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
    if (now === null || !now.leased) return again;
  }
}
