import { type ClaimResult, DatabaseLostError } from '../ports.ts';
import { checkValidity, type Refusal } from '../protocol/checks.ts';
import { decodePayment } from '../protocol/payload.ts';
import { requestHash } from '../protocol/request.ts';
import { signatureHash } from '../protocol/signature.ts';
import { type Admission, admit, overloaded, spentBefore, unfunded } from './admission.ts';
import {
  type ChargeDeps,
  databaseLost,
  type Outcome,
  type Proven,
  type Purchase,
  type PurchaseContext,
  refused,
  type Step,
} from './context.ts';
import { resumeEarlier, resumeIdentified, resumeKnown } from './existing.ts';
import { whileLeased } from './lease.ts';
import { buy } from './purchase.ts';
import { isHeld } from './settlement.ts';

/**
 * Charges for one search at most once and never for an error: local checks, the payer's purse, claim, verification,
 * search, stored intent, settlement, stored receipt. Never rejects for anything that the facilitator, the chain, the
 * database or the payer may do.
 */
export async function charge(purchase: Purchase, deps: ChargeDeps): Promise<Outcome> {
  const decoded = decodePayment(purchase.header);
  if (!decoded.ok) return refused(decoded.code, decoded.message);
  const { payment: sent } = decoded;
  const proven: Proven = {
    sent,
    requestHash: requestHash(purchase.request),
    signatureHash: signatureHash(sent.signature),
    owner: deps.newOwner(),
  };
  try {
    const admitted = await admit(proven, deps);
    if (!admitted.ok) return admitted.outcome;
    const { admission } = admitted;
    const place = deps.places.forPayment(sent.authorization.from, admission.paidBefore);
    if (!place.ok) return place.payerMax === null ? overloaded : { kind: 'capped', openMax: place.payerMax };
    try {
      const deadline = deps.clock.elapsed() + deps.limits.followMs;
      return await follow({ purchase, proven, deps, deadline, seen: admission.seen, looked: new Set() }, admission);
    } finally {
      place.leave();
    }
  } catch (error) {
    // Everything that rejects with the database's absence does so before a settlement is asked for.
    if (!(error instanceof DatabaseLostError)) throw error;
    deps.log.error({ err: error }, 'the database could not be asked for a payment');
    return databaseLost();
  }
}

/** Claims the purchase, or resumes the one that is there, until there is an outcome. */
async function follow(context: PurchaseContext, admission: Admission): Promise<Outcome> {
  const { purchase, proven, deps, deadline } = context;
  for (let first = true; ; first = false) {
    if (purchase.client.aborted) return { kind: 'gone' };
    if (!first && deps.clock.elapsed() >= deadline) return { kind: 'in-progress' };
    const misfit = admission.misfit ?? lateness(proven, deps);
    const found = misfit === null ? await claim(context) : await known(admission, deps);
    if (found === null) return refused(misfit?.code ?? '', misfit?.message ?? '');
    const step = await resume(found, context, misfit);
    if (step !== 'again') return step;
  }
}

function lateness({ sent }: Proven, { limits, clock }: ChargeDeps): Refusal | null {
  return checkValidity(sent.authorization, limits.validity, Math.floor(clock.now() / 1000));
}

function claim({ proven, purchase, deps, seen, looked }: PurchaseContext): Promise<ClaimResult> {
  return deps.rows.claim({
    ...proven,
    terms: deps.terms,
    request: purchase.request,
    leaseMs: deps.limits.leaseMs,
    mayOpen: seen === null || (seen.funded && !seen.spent),
    // Unused in that block, it may still get into one that replaces blocks before it.
    fromBlock: seen === null ? null : Math.max(0, seen.block + 1 - deps.chain.reorgBlocks),
    looked: [...looked],
  });
}

/** An authorization for which no row may be made now may have paid before. */
async function known({ key }: Admission, deps: ChargeDeps): Promise<ClaimResult | null> {
  const { row } = await deps.rows.history(key);
  return row === null ? null : { kind: 'known', row };
}

async function resume(found: ClaimResult, context: PurchaseContext, misfit: Refusal | null): Promise<Step> {
  const { deps } = context;
  switch (found.kind) {
    case 'claimed': {
      const { row } = found;
      if (!isHeld(row)) throw new Error('A claimed payment has lost what it was claimed with.');
      return whileLeased(row, deps, () => buy(row, context));
    }
    case 'known':
      return resumeKnown(found.row, context, misfit);
    case 'earlier':
      return resumeEarlier(found.row, context);
    case 'identified':
      return resumeIdentified(found.row, context);
    case 'capped':
      return { kind: 'capped', openMax: deps.limits.openMax };
    case 'barred':
      return context.seen?.spent ? spentBefore() : unfunded();
    default:
      return found satisfies never;
  }
}
