import { checkTerms, checkValidity } from './checks.ts';
import { serve, usedUp } from './delivery.ts';
import { whileLeased } from './lease.ts';
import {
  type ChargeDeps,
  databaseLost,
  type Outcome,
  type Proven,
  type Purchase,
  refused,
  type Step,
} from './outcome.ts';
import { type ClaimResult, DatabaseLostError, type PaymentRow } from './ports.ts';
import { buy } from './purchase.ts';
import { requestHash } from './request.ts';
import { type Held, resolveLeft } from './resolve.ts';
import { signatureHash, signedByKey } from './signature.ts';
import { decodePayment } from './wire.ts';

/**
 * Charges for one search at most once and never for an error: local checks, claim, verification, search, stored
 * intent, settlement, stored receipt. Never rejects for anything that the facilitator, the chain, the database or the
 * payer may do.
 */
export async function charge(purchase: Purchase, deps: ChargeDeps): Promise<Outcome> {
  const decoded = decodePayment(purchase.header);
  if (!decoded.ok) return refused(decoded.code, decoded.message);
  const { payment: sent } = decoded;
  const wrong = checkTerms(sent, deps.terms);
  if (wrong !== null) return refused(wrong.code, wrong.message);
  const proven: Proven = {
    sent,
    requestHash: requestHash(purchase.request),
    signatureHash: signatureHash(sent.signature),
    owner: deps.newOwner(),
  };
  const unproven = await prove(proven, deps);
  return unproven ?? follow(proven, purchase, deps);
}

/** Only a proven payer may touch rows: a stranger can use up neither a victim's limit nor a victim's purchase. */
async function prove({ sent, signatureHash: hash }: Proven, deps: ChargeDeps): Promise<Outcome | null> {
  if (await signedByKey(sent, deps.terms.network)) return null;
  try {
    const known = await deps.rows.find(sent.authorization);
    if (known?.signatureHash === hash) return null;
  } catch (error) {
    return lost(error, deps);
  }
  try {
    if (await deps.chain.signatureHolds(sent)) return null;
  } catch (error) {
    deps.log.warn({ err: error }, 'a contract wallet could not be asked about its signature');
    return {
      kind: 'uncharged',
      code: 'chain_unavailable',
      message: 'The signature of a contract wallet can not be checked just now.',
    };
  }
  return refused('invalid_exact_evm_payload_signature', 'the signature is not of the payer, over these terms');
}

/** Claims the purchase, or meets the one that is there, until there is an outcome. */
async function follow(proven: Proven, purchase: Purchase, deps: ChargeDeps): Promise<Outcome> {
  const deadline = deps.clock.elapsed() + deps.limits.followMs;
  for (;;) {
    if (purchase.client.aborted) return { kind: 'gone' };
    const now = Math.floor(deps.clock.now() / 1000);
    const late = checkValidity(proven.sent.authorization, deps.limits.validity, now);
    let found: ClaimResult | null;
    try {
      found = late === null ? await claim(proven, purchase, deps) : await known(proven, deps);
      if (found === null) return late === null ? databaseLost() : refused(late.code, late.message);
      const step = await meet(found, proven, purchase, deps, deadline);
      if (step !== 'again') return step;
    } catch (error) {
      return lost(error, deps);
    }
  }
}

/** Everything that rejects with the database's absence does so before a settlement is asked for. */
function lost(error: unknown, deps: ChargeDeps): Outcome {
  if (!(error instanceof DatabaseLostError)) throw error;
  deps.log.error({ err: error }, 'the database could not be asked for a payment');
  return databaseLost();
}

function claim(proven: Proven, purchase: Purchase, deps: ChargeDeps): Promise<ClaimResult> {
  return deps.rows.claim({ ...proven, request: purchase.request, leaseMs: deps.limits.leaseMs });
}

/** An authorization that is too old or too young to begin with may have paid before. */
async function known(proven: Proven, deps: ChargeDeps): Promise<ClaimResult | null> {
  const row = await deps.rows.find(proven.sent.authorization);
  return row === null ? null : { kind: 'known', row };
}

async function meet(
  found: ClaimResult,
  proven: Proven,
  purchase: Purchase,
  deps: ChargeDeps,
  deadline: number,
): Promise<Step> {
  switch (found.kind) {
    case 'claimed':
      return whileLeased(found.row, deps, () => buy(found.row, proven, purchase, deps));
    case 'known':
      return meetKnown(found.row, proven, purchase, deps, deadline);
    case 'earlier':
      return meetEarlier(found.row, proven, purchase, deps, deadline);
    case 'identified':
      return meetIdentified(found.row, proven, deps);
    case 'capped':
      return { kind: 'capped' };
    default:
      return found satisfies never;
  }
}

/** This very authorization again: the same answer for the same request, and nothing for any other. */
async function meetKnown(
  row: PaymentRow,
  proven: Proven,
  purchase: Purchase,
  deps: ChargeDeps,
  deadline: number,
): Promise<Step> {
  const same =
    row.requestHash === proven.requestHash &&
    row.signatureHash === proven.signatureHash &&
    row.paymentId === proven.sent.paymentId;
  if (!same) return usedUp();
  if (row.status === 'settled') {
    if (row.deliveredAtMs !== null && !row.replayable) return usedUp();
    // Undelivered and nobody is at it: the delivery is ours to note.
    const open = row.deliveredAtMs === null && !row.leased;
    const taken = open ? await deps.rows.take(row, proven.owner, deps.limits.leaseMs) : null;
    return serve(taken ?? row, { replayed: true, held: taken !== null }, deps);
  }
  if (row.leased) return waitFor(row, purchase, deps, deadline, (now) => now.status === 'settled');
  const taken = await deps.rows.take(row, proven.owner, deps.limits.leaseMs);
  if (taken === null) return 'again';
  if (!isHeld(taken)) return 'again';
  return whileLeased(taken, deps, () => resolveLeft(taken, purchase, deps));
}

/** A payer who asks again with a new authorization while the first one is open, or paid and never delivered. */
async function meetEarlier(
  row: PaymentRow,
  proven: Proven,
  purchase: Purchase,
  deps: ChargeDeps,
  deadline: number,
): Promise<Step> {
  if (row.leased) return waitFor(row, purchase, deps, deadline, () => false);
  const spent = await refuseSpent(proven, deps);
  if (spent !== null) return spent;
  const taken = await deps.rows.take(row, proven.owner, deps.limits.leaseMs);
  if (taken === null) return 'again';
  if (taken.status === 'settled') return serve(taken, { replayed: true, held: true }, deps);
  if (!isHeld(taken)) return 'again';
  const step = await whileLeased(taken, deps, () => resolveLeft(taken, purchase, deps));
  // The earlier authorization has come to nothing: now the new one may pay.
  return step !== 'again' && step.kind === 'refused' ? 'again' : step;
}

async function meetIdentified(row: PaymentRow, proven: Proven, deps: ChargeDeps): Promise<Step> {
  if (row.requestHash !== proven.requestHash) {
    return { kind: 'conflict', message: 'The payment identifier belongs to another search: use a new one.' };
  }
  if (row.status !== 'settled' || (row.deliveredAtMs !== null && !row.replayable)) {
    return { kind: 'conflict', message: 'The payment identifier was used before: use a new one.' };
  }
  const spent = await refuseSpent(proven, deps);
  return spent ?? serve(row, { replayed: true, held: false }, deps);
}

/** A used authorization is public: whoever shows it proves nothing, least of all a right to another one's result. */
async function refuseSpent(proven: Proven, deps: ChargeDeps): Promise<Outcome | null> {
  try {
    if (!(await deps.chain.isSpent(proven.sent.authorization))) return null;
    return refused('invalid_exact_evm_nonce_already_used', 'the authorization was used before');
  } catch (error) {
    deps.log.warn({ err: error }, 'the chain gave no answer');
    return {
      kind: 'uncharged',
      code: 'chain_unavailable',
      message: 'An earlier payment for the same search can not be looked up just now.',
    };
  }
}

const firstPauseMs = 10;
const longestPauseMs = 150;

/** Waits until nobody works on the row any more, it is gone, or it is as wanted. */
async function waitFor(
  row: PaymentRow,
  purchase: Purchase,
  deps: ChargeDeps,
  deadline: number,
  wanted: (now: PaymentRow) => boolean,
): Promise<Step> {
  const stop = AbortSignal.any([purchase.client, purchase.hurry]);
  let pauseMs = firstPauseMs;
  for (;;) {
    if (purchase.client.aborted) return { kind: 'gone' };
    if (purchase.hurry.aborted || deps.clock.elapsed() >= deadline) return { kind: 'in-progress' };
    await deps.sleep(pauseMs, stop);
    pauseMs = Math.min(pauseMs * 1.5, longestPauseMs);
    const now = await deps.rows.read(row.id);
    if (now === null || !now.leased || wanted(now)) return 'again';
  }
}

function isHeld(row: PaymentRow): row is Held {
  return row.payment !== null;
}
