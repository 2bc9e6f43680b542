import { getAddress } from 'viem';
import { findEvidence, judge, type Verdict } from '../ledger/evidence.ts';
import type { PaymentRow } from '../ports.ts';
import { assetOf } from '../protocol/assets.ts';
import { type FacilitatorReply, meaningOf, publicReason } from '../protocol/facilitator-answer.ts';
import type { Hex } from '../protocol/networks.ts';
import type { Terms } from '../protocol/terms.ts';
import {
  facilitatorUnavailable,
  type OpenPayment,
  type Outcome,
  type PurchaseContext,
  type PurchaseDeps,
  refused,
} from './context.ts';

// Requests to the facilitator about a payment, and the chain's evidence of it. Nothing is written here.
//
// A row is `settling` during its first settlement, and `unknown` after an answer that decided nothing. From then on
// only the chain can end it as unpaid, whatever a facilitator answers.

export type SettlementResult =
  /** The money has moved. `block` is null if the chain gave no answer and only the facilitator reports it. */
  | { readonly kind: 'landed'; readonly transaction: Hex; readonly block: number | null }
  /** The chain shows that it moves no money. */
  | { readonly kind: 'void'; readonly why: 'cancelled' | 'expired' | 'spent_elsewhere' }
  /** The facilitator refused the first settlement, and it is not on the chain. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The facilitator certainly did not get the request. */
  | { readonly kind: 'not-sent' }
  /** Unused on the chain: it may be settled (again). */
  | { readonly kind: 'unused'; readonly transaction: Hex | null }
  /** Undecided. `transaction` is the one that the facilitator named. */
  | { readonly kind: 'unknown'; readonly transaction: Hex | null };

/** Asks the facilitator to verify the payment. Returns null if it accepts, else the outcome of the request. */
export async function requestVerification(row: OpenPayment, { deps }: PurchaseContext): Promise<Outcome | null> {
  const reply = await deps.facilitator.verify(row.payment, termsOf(row, deps));
  logNoAnswer(reply, row, deps);
  if (reply.kind !== 'answered') return facilitatorUnavailable();
  if (reply.answer.isValid) return null;
  return refused(publicReason(reply.answer.invalidReason), 'the facilitator does not accept the payment');
}

/** Asks for a settlement and finds out its result. */
export async function requestSettlement(row: OpenPayment, context: PurchaseContext): Promise<SettlementResult> {
  const { purchase, deps } = context;
  const reply = await untilAborted(deps.facilitator.settle(row.payment, termsOf(row, deps)), purchase.shutdownSignal);
  if (reply === null) return unknown(row);
  logNoAnswer(reply, row, deps);
  if (reply.kind === 'not-sent') return row.status === 'settling' ? { kind: 'not-sent' } : unknown(row);
  if (reply.kind === 'unclear') return searchChain(row, context);
  const meaning = meaningOf(reply.answer);
  switch (meaning.kind) {
    case 'success':
      return confirmOnChain(row, meaning.transaction, context);
    case 'pending':
      return searchChain({ ...row, transaction: meaning.transaction ?? row.transaction }, context);
    case 'refused':
      return checkRefusal(row, meaning.reason, context);
    case 'vague':
      return checkVagueRefusal(
        { ...row, transaction: meaning.transaction ?? row.transaction },
        meaning.reason,
        context,
      );
    default:
      return meaning satisfies never;
  }
}

/** Returns the terms that the payer of the row signed, whatever is configured today. */
function termsOf(row: PaymentRow, { terms }: PurchaseDeps): Terms {
  const { maxTimeoutSeconds } = terms;
  return { asset: assetOf(row), payTo: getAddress(row.payTo), amount: row.amount, maxTimeoutSeconds };
}

function logNoAnswer(reply: FacilitatorReply<unknown>, row: PaymentRow, { log }: PurchaseDeps): void {
  if (reply.kind === 'answered') return;
  log.warn({ err: reply.cause, payment: row.id, sent: reply.kind }, 'the facilitator gave no answer');
}

/** Returns null if the signal is aborted before the work is done. */
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

/** Finds out the result of a row of unknown outcome. */
export async function unknownResult(row: OpenPayment, context: PurchaseContext): Promise<SettlementResult> {
  const verdict = await firstVerdict(row, context);
  if (isDecided(verdict)) return verdict;
  return verdict.kind === 'open' && maySettleAgain(row, context) ? { ...unknown(row), kind: 'unused' } : unknown(row);
}

/** Returns true if the client still waits, and enough time is left for a settlement to land. */
export function maySettleAgain(row: PaymentRow, { purchase, deps }: PurchaseContext): boolean {
  if (purchase.clientSignal.aborted || purchase.shutdownSignal.aborted) return false;
  return Number(row.validBefore) - deps.clock.now() / 1000 >= deps.limits.validity.minLeftSeconds;
}

/** Confirms a reported success on the chain. The facilitator's word is trusted only if the chain gives no answer. */
async function confirmOnChain(
  row: OpenPayment,
  transaction: Hex | null,
  context: PurchaseContext,
): Promise<SettlementResult> {
  const { log } = context.deps;
  const verdict = await watchChain({ ...row, transaction }, context, isDecided);
  if (isDecided(verdict)) return verdict;
  if (verdict.kind === 'no-answer' && transaction !== null) {
    log.warn({ payment: row.id, transaction }, 'settled on the word of the facilitator: the chain gave no answer');
    return { kind: 'landed', transaction, block: null };
  }
  log.error({ payment: row.id, transaction }, 'the facilitator reports a settlement that the chain does not show');
  // The hash may be made up, so it is not stored, and a retry settles again.
  return unknown(row);
}

/** Looks on the chain for a settlement without a usable answer. */
async function searchChain(row: OpenPayment, context: PurchaseContext): Promise<SettlementResult> {
  const verdict = await watchChain(row, context, isDecided);
  return isDecided(verdict) ? verdict : unknown(row);
}

/**
 * Checks a refusal whose reason leaves no transaction behind. It decides the first settlement if the authorization is
 * unused on the chain. It decides nothing about an earlier settlement of unknown outcome.
 */
async function checkRefusal(row: OpenPayment, reason: string, context: PurchaseContext): Promise<SettlementResult> {
  context.deps.log.info({ payment: row.id, reason }, 'settlement refused');
  if (row.status !== 'settling') return searchChain(row, context);
  const verdict = await askChain(row, context);
  return verdict.kind === 'open' ? { kind: 'refused', reason } : searchChain(row, context);
}

/**
 * Checks a refusal after which a transaction may exist. Only the chain decides. If the named transaction of a first
 * settlement has failed, the payment is refused. If the authorization is unused, it is settled once more.
 */
async function checkVagueRefusal(
  row: OpenPayment,
  reason: string,
  context: PurchaseContext,
): Promise<SettlementResult> {
  const isFirst = row.status === 'settling';
  context.deps.log.info({ payment: row.id, reason }, 'settlement refused, and something may be on its way');
  const verdict = await askChain(row, context);
  if (verdict.kind === 'open' && verdict.failed && isFirst) return { kind: 'refused', reason };
  const settleAgain = isFirst && verdict.kind === 'open' && maySettleAgain(row, context);
  return settleAgain ? { ...unknown(row), kind: 'unused' } : searchChain(row, context);
}

function unknown({ transaction }: PaymentRow): Extract<SettlementResult, { readonly kind: 'unknown' }> {
  return { kind: 'unknown', transaction };
}

type ChainVerdict = Verdict | { readonly kind: 'no-answer' };

function isDecided(verdict: ChainVerdict): verdict is Extract<Verdict, { readonly kind: 'landed' | 'void' }> {
  return verdict.kind === 'landed' || verdict.kind === 'void';
}

/** Asks the chain until it gives any answer, even that nothing has happened, or until the time is over. */
export function firstVerdict(row: PaymentRow, context: PurchaseContext): Promise<ChainVerdict> {
  return watchChain(row, context, (verdict) => isDecided(verdict) || verdict.kind === 'open');
}

async function watchChain(
  row: PaymentRow,
  context: PurchaseContext,
  isEnough: (verdict: ChainVerdict) => boolean,
): Promise<ChainVerdict> {
  const { purchase, deps } = context;
  const deadline = deps.clock.elapsed() + deps.limits.reconcileMs;
  let pauseMs = 10;
  for (;;) {
    const verdict = await askChain(row, context);
    if (isEnough(verdict) || purchase.shutdownSignal.aborted) return verdict;
    if (deps.clock.elapsed() + pauseMs > deadline) return verdict;
    await deps.sleep(pauseMs, purchase.shutdownSignal);
    pauseMs = Math.min(pauseMs * 2, 250);
  }
}

async function askChain(row: PaymentRow, { deps }: PurchaseContext): Promise<ChainVerdict> {
  try {
    return judge(await findEvidence(deps.chain, row, { finality: false }), row);
  } catch (error) {
    deps.log.warn({ err: error, payment: row.id }, 'the chain gave no answer');
    return { kind: 'no-answer' };
  }
}
