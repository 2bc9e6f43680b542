import { getAddress } from 'viem/utils';
import { readVerdict, type Verdict } from '../ledger/evidence.ts';
import type { PaymentRow } from '../ports.ts';
import { assetOf } from '../protocol/assets.ts';
import { type FacilitatorReply, publicReason } from '../protocol/facilitator-answer.ts';
import type { Terms } from '../protocol/terms.ts';
import {
  checkValidityNow,
  facilitatorUnavailable,
  type OpenPayment,
  type Outcome,
  type PurchaseContext,
  type PurchaseDeps,
  refused,
} from './context.ts';

// Requests to the facilitator about a payment, and the chain's verdict on it. This file changes no row.

/** The chain's verdict; `wait` also if the node gave no answer. */
export type SettlementResult =
  | { readonly kind: 'not-sent' }
  /** `row` has the transaction that the facilitator named. */
  | { readonly kind: 'requested'; readonly row: OpenPayment; readonly verdict: Verdict };

/** Asks the facilitator to verify the payment. Returns null if it accepts, else the outcome of the request. */
export async function requestVerification(row: OpenPayment, { deps }: PurchaseContext): Promise<Outcome | null> {
  const reply = await deps.facilitator.verify(row.payment, termsOf(row, deps));
  logNoAnswer('verify', reply, row, deps);
  if (reply.kind !== 'answered') return facilitatorUnavailable();
  if (reply.answer.isValid) return null;
  return refused(publicReason(reply.answer.invalidReason), 'the facilitator does not accept the payment');
}

/**
 * Requests a settlement, and watches the chain for its result. The facilitator's answer decides nothing; it may only
 * name the transaction to check first.
 */
export async function requestSettlement(row: OpenPayment, context: PurchaseContext): Promise<SettlementResult> {
  const { purchase, deps } = context;
  const reply = await untilAborted(deps.facilitator.settle(row.payment, termsOf(row, deps)), purchase.shutdownSignal);
  if (reply === null) return { kind: 'requested', row, verdict: { kind: 'wait' } };
  logNoAnswer('settle', reply, row, deps);
  if (reply.kind === 'not-sent') return reply;
  const named = reply.kind === 'answered' ? reply.answer.transaction : null;
  if (reply.kind === 'answered' && !reply.answer.success) {
    deps.log.info({ payment: row.id, reason: publicReason(reply.answer.errorReason) }, 'settlement refused');
  }
  const requested = { ...row, transaction: named ?? row.transaction };
  return { kind: 'requested', row: requested, verdict: await watchChain(requested, context, isDecided) };
}

/** Returns the terms that the payer of the row signed, whatever is configured today. */
function termsOf(row: PaymentRow, { terms }: PurchaseDeps): Terms {
  const { maxTimeoutSeconds } = terms;
  return { asset: assetOf(row), payTo: getAddress(row.payTo), amount: row.amount, maxTimeoutSeconds };
}

function logNoAnswer(
  call: 'verify' | 'settle',
  reply: FacilitatorReply<unknown>,
  row: PaymentRow,
  { log }: PurchaseDeps,
): void {
  if (reply.kind === 'answered') return;
  log.warn({ err: reply.cause, payment: row.id, sent: reply.kind }, `the facilitator gave no answer to ${call}`);
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  if (signal.aborted) return null;
  const aborted = Promise.withResolvers<null>();
  const stop = (): void => aborted.resolve(null);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Returns true if the client still waits, and enough time is left for a settlement to land. */
export function maySettle(row: OpenPayment, { purchase, deps }: PurchaseContext): boolean {
  if (purchase.clientSignal.aborted || purchase.shutdownSignal.aborted) return false;
  return checkValidityNow(row.payment, deps) === null;
}

function isDecided({ kind }: Verdict): boolean {
  return kind === 'landed' || kind === 'void';
}

/** Asks the chain until it gives any answer, even that nothing has happened, or the time is over. */
export function firstVerdict(row: PaymentRow, context: PurchaseContext): Promise<Verdict> {
  return watchChain(row, context, (verdict) => isDecided(verdict) || verdict.kind === 'open');
}

async function watchChain(
  row: PaymentRow,
  context: PurchaseContext,
  isEnough: (verdict: Verdict) => boolean,
): Promise<Verdict> {
  const { purchase, deps } = context;
  const deadline = deps.clock.elapsed() + deps.limits.reconcileMs;
  let pauseMs = 10;
  for (;;) {
    const verdict = await askChain(row, deps);
    if (isEnough(verdict) || purchase.shutdownSignal.aborted) return verdict;
    if (deps.clock.elapsed() + pauseMs > deadline) return verdict;
    await deps.sleep(pauseMs, purchase.shutdownSignal);
    pauseMs = Math.min(pauseMs * 2, 250);
  }
}

async function askChain(row: PaymentRow, { chain, log }: PurchaseDeps): Promise<Verdict> {
  try {
    return await readVerdict(chain, row);
  } catch (error) {
    log.warn({ err: error, payment: row.id }, 'the chain gave no answer');
    return { kind: 'wait' };
  }
}
