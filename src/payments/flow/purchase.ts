import { getAddress } from 'viem/utils';
import { guessBlock } from '../ledger/evidence.ts';
import {
  type AuthorizationKey,
  type AuthorizationState,
  type ClaimResult,
  DatabaseLostError,
  type PayerHistory,
} from '../ports.ts';
import { checkTerms, type Refusal } from '../protocol/checks.ts';
import { type NetworkName, networkNames } from '../protocol/networks.ts';
import { requestHash } from '../protocol/paid-search.ts';
import { decodePayment, lowerHex, type PaymentPayload } from '../protocol/payload.ts';
import { signatureHash } from '../protocol/signature.ts';
import type { Terms } from '../protocol/terms.ts';
import {
  type Admission,
  chainUnavailable,
  checkValidityNow,
  databaseUnavailable,
  insufficientFunds,
  type Outcome,
  overloaded,
  type PaymentAttempt,
  type PurchaseContext,
  type PurchaseDeps,
  type PurchaseRequest,
  refused,
} from './context.ts';
import { proceed, withLease } from './execution.ts';
import { isSamePayment, payerUnknown, resolveClaim } from './existing.ts';

// From a payment's header to its row. existing.ts handles payments that have a row already; execution.ts
// verifies, searches and settles.

/**
 * Sells one search, charged at most once and never for an error: local checks, the payer's balance, claim,
 * verification, search, stored intent, settlement, stored receipt. Never rejects, whatever the facilitator, the chain,
 * the database or the payer does.
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
      // A request with a public authorization may come from a stranger, so it doesn't count as the payer's attempt.
      const counted = admission.isPublic ? null : payment.authorization.from;
      const uncount = deps.slots.countAttempt(counted, purchase.caller);
      if (uncount === null) return { kind: 'capped', openMax: deps.limits.openMax };
      const deadline = deps.clock.elapsed() + deps.limits.followMs;
      const outcome = await claimUntilDecided({ ...attempt, ...admission, deadline });
      if (outcome.kind === 'served') uncount();
      return outcome;
    } finally {
      slot.release();
    }
  } catch (error) {
    // `DatabaseLostError` is only thrown before a settlement is requested.
    if (!(error instanceof DatabaseLostError)) throw error;
    deps.log.error({ err: error }, 'the database could not be asked for a payment');
    return databaseUnavailable();
  }
}

async function claimUntilDecided(context: PurchaseContext): Promise<Outcome> {
  const { purchase, deps, deadline } = context;
  for (let first = true; ; first = false) {
    if (purchase.clientSignal.aborted) return { kind: 'gone' };
    if (!first && deps.clock.elapsed() >= deadline) return { kind: 'in-progress' };
    const refusal = refusalNow(context);
    // An authorization that is refused for a new row may already have paid.
    const known = refusal === null ? null : await deps.rows.find(context.key);
    // The row existed a moment ago and may have been lost. The next request asks the chain.
    if (refusal !== null && known === null && context.hadRow) return { kind: 'unknown' };
    if (refusal !== null && known === null) return refused(refusal.code, refusal.message);
    const found: ClaimResult = known === null ? await claim(context) : { kind: 'known', row: known };
    const next = await resolveClaim(found, context);
    const step = 'row' in next ? await withLease(next.row, deps, () => proceed(next, context)) : next;
    if (step.kind !== 'again') return step;
  }
}

/** Returns the reason for which no row may be inserted now; null if there is none. */
function refusalNow(context: PurchaseContext): Refusal | null {
  return context.refusal ?? (isLost(context) ? null : checkValidityNow(context.payment, context.deps));
}

/** Returns true if the authorization was used so recently that its row can't have been removed as old. */
function isLost({ payment: { authorization }, onChain, deps }: PurchaseContext): boolean {
  const { clock, limits } = deps;
  const leftMs = Number(authorization.validBefore) * 1_000 - clock.now();
  return onChain?.spent === true && leftMs > -limits.recoverMs && leftMs <= limits.validity.maxLeftSeconds * 1_000;
}

function claim({
  payment,
  requestHash,
  signatureHash,
  owner,
  terms,
  ...context
}: PurchaseContext): Promise<ClaimResult> {
  const { purchase, deps, onChain } = context;
  return deps.rows.claim({
    payment,
    requestHash,
    signatureHash,
    owner,
    terms,
    request: purchase.request,
    leaseMs: deps.limits.leaseMs,
    onChain,
  });
}

// The checks before any work on a payment, the cheapest first: the signature is computed here, then the node returns
// the payer's balance. For a payer without money, no row is inserted and the facilitator is not called.

type Admitted = Admission & { readonly kind: 'admitted' };

/**
 * Returns the findings about an admitted payment, or the outcome of another one. Rejects only with `DatabaseLostError`.
 */
async function admit(attempt: PaymentAttempt): Promise<Admitted | Outcome> {
  const { payment, deps } = attempt;
  const refusal = checkTerms(payment, deps.terms);
  const key = keyOf(payment);
  if (key === null) {
    return refused(refusal?.code ?? 'invalid_payload', refusal?.message ?? 'the payment names no token');
  }
  const history = await deps.rows.history(key);
  const known = history.row !== null && isSamePayment(history.row, attempt);
  const terms = refusal === null ? deps.terms : await formerTerms(payment, key, deps);
  const admission: Admission = {
    key,
    terms: terms ?? deps.terms,
    refusal: terms === null ? refusal : null,
    onChain: null,
    paidBefore: history.paid,
    hadRow: history.row !== null,
    isPublic: history.row?.status === 'settled',
  };
  if (refusal !== null && (known || terms === null)) {
    return known ? { kind: 'admitted', ...admission, refusal } : refused(refusal.code, refusal.message);
  }
  const byKey = await deps.signedByKey(payment, admission.terms.asset);
  const admitted = await admitByChain({ attempt, history, known, byKey }, admission);
  // New purchases are only sold under the current terms.
  const isNew = refusal !== null && admitted.kind === 'admitted' && !admitted.isPublic;
  return isNew ? refused(refusal.code, refusal.message) : admitted;
}

/** Returns the terms of a payment to an earlier recipient, whose row may have been lost; null for other payments. */
async function formerTerms(payment: PaymentPayload, key: AuthorizationKey, deps: PurchaseDeps): Promise<Terms | null> {
  const { to } = payment.authorization;
  const terms: Terms = { ...deps.terms, payTo: getAddress(to) };
  return checkTerms(payment, terms) === null && (await deps.rows.isRecipient(key, to)) ? terms : null;
}

/** A payment under our terms, with the findings so far, before the chain is asked. */
interface Candidate {
  readonly attempt: PaymentAttempt;
  readonly history: PayerHistory;
  /** There is a row with the same signature. */
  readonly known: boolean;
  /** The signature is from the payer's own key. */
  readonly byKey: boolean;
}

async function admitByChain(candidate: Candidate, admission: Admission): Promise<Admitted | Outcome> {
  const { attempt, history, known, byKey } = candidate;
  const { payment, deps } = attempt;
  const { key } = admission;
  // New payers and unproven signatures share a few slots, so that made-up payments do not block the node for others.
  const { caller } = attempt.purchase;
  const isKnown = history.seen && (byKey || known);
  const release = isKnown ? () => undefined : await deps.slots.acquireLookup(history.seen, caller);
  if (release === null) return overloaded();
  try {
    const unproven = byKey || known ? null : await checkContractSignature(payment, deps);
    if (unproven !== null) return unproven;
    if (hasOpenRow(history)) return { kind: 'admitted', ...admission };
    const uncount = history.seen ? deps.slots.countAttempt(key.payer, caller) : () => undefined;
    if (uncount === null) return { kind: 'capped', openMax: deps.limits.openMax };
    uncount();
    const onChain = await readAuthorization(key, payment, deps);
    // Only an unused authorization proves that the caller can sign, so the node's answer is required.
    if (onChain === null) return payerUnknown();
    // A balance that is too low may be due to this payer's own payments: those with rows, or this spent authorization.
    if (onChain.balance >= payment.authorization.value || onChain.spent || history.seen) {
      return { kind: 'admitted', ...admission, onChain, isPublic: onChain.spent };
    }
    return insufficientFunds();
  } finally {
    release();
  }
}

/** Returns the key of the authorization's row; null if its network never had rows. */
function keyOf({ accepted, authorization }: PaymentPayload): AuthorizationKey | null {
  const network = networkNames.find((name): name is NetworkName => name === accepted.network);
  if (network === undefined || !/^0x[0-9a-fA-F]{40}$/.test(accepted.asset)) return null;
  return { network, asset: lowerHex(accepted.asset), payer: authorization.from, nonce: authorization.nonce };
}

/** Returns true if the authorization's row decides alone, without the chain. */
function hasOpenRow({ row }: PayerHistory): boolean {
  return row !== null && row.status !== 'released';
}

async function readAuthorization(
  key: AuthorizationKey,
  { authorization: { validBefore } }: PaymentPayload,
  { chain, limits, log }: PurchaseDeps,
): Promise<AuthorizationState | null> {
  try {
    const head = await chain.block(key.network, 'latest');
    const [spent, balance] = await Promise.all([
      chain.isSpent(key, head.number),
      chain.balance(key, key.payer, head.number),
    ]);
    // If it is unused in that block, it may still land in a block that replaces an earlier one.
    const fromBlock = spent
      ? guessBlock(chain, Number(validBefore) - limits.validity.maxLeftSeconds, head)
      : Math.max(0, head.number + 1 - chain.reorgBlocks);
    return { block: head.number, spent, balance, fromBlock };
  } catch (error) {
    log.warn({ err: error }, 'the chain gave no answer about a payer');
    return null;
  }
}

/** Checks a contract wallet's signature. Without it, a stranger could use up another payer's limit or purchase. */
async function checkContractSignature(payment: PaymentPayload, deps: PurchaseDeps): Promise<Outcome | null> {
  try {
    if (await deps.chain.signatureHolds(payment, deps.terms)) return null;
  } catch (error) {
    deps.log.warn({ err: error }, 'a contract wallet could not be asked about its signature');
    return chainUnavailable('The signature of a contract wallet cannot be checked right now.');
  }
  return refused('invalid_exact_evm_payload_signature', 'the signature is not of the payer, over these terms');
}
