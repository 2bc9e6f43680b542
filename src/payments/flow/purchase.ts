import type { PaymentRow } from '../ports.ts';
import { answerText } from '../protocol/answer.ts';
import { checkValidity } from '../protocol/checks.ts';
import { publicReason } from '../protocol/facilitator-answer.ts';
import { databaseLost, type Outcome, type PurchaseContext, refused, type SearchWork, type Step } from './context.ts';
import { facilitatorAway, type Held, logTrouble, settle, termsOf } from './settlement.ts';

/** A claimed purchase: verify, search, store the intent, settle. Until the intent is stored no settlement is asked for. */
export async function buy(row: Held, context: PurchaseContext): Promise<Step> {
  const { purchase, deps } = context;
  const unverified = await verify(row, context);
  if (unverified !== null) return giveBack(row, unverified, context);
  const found = await searchOrGiveBack(row, context);
  if (!found.ok) {
    const { reason, cause } = found;
    return giveBack(row, { kind: 'search-failed', reason, cause, paid: false }, context);
  }
  const late = lateNow(row, context);
  if (late !== null) return giveBack(row, late, context);
  const intendedAt = deps.clock.elapsed();
  const body = answerText(found.data, purchase.request, row);
  try {
    if (!(await deps.rows.advance(row, 'intended', { body, leaseMs: deps.limits.leaseMs }))) return 'again';
  } catch (error) {
    deps.log.error({ err: error, payment: row.id }, 'the database could not store an intent');
    // Whether or not it was stored, no settlement follows it.
    deps.retryInBackground('notSent', () => forget(row, context));
    return databaseLost();
  }
  const intended: Held = { ...row, status: 'settling', body };
  const outslept = deps.clock.elapsed() - intendedAt > deps.limits.leaseMs;
  const left = lateNow(row, context);
  if (outslept || left !== null) {
    deps.retryInBackground('notSent', () => deps.rows.advance(intended, 'notSent'));
    return left ?? databaseLost();
  }
  return settle(intended, context, { last: false });
}

async function searchOrGiveBack(row: Held, context: PurchaseContext): ReturnType<SearchWork> {
  try {
    return await context.purchase.search();
  } catch (bug) {
    await giveBack(row, { kind: 'gone' }, context);
    throw bug;
  }
}

async function verify(row: Held, { deps }: PurchaseContext): Promise<Outcome | null> {
  const reply = await deps.facilitator.verify(row.payment, termsOf(row, deps));
  if (reply.kind !== 'answered') {
    logTrouble(reply, row, deps);
    return facilitatorAway();
  }
  if (reply.answer.isValid) return null;
  return refused(publicReason(reply.answer.invalidReason), 'the facilitator does not accept the payment');
}

/** Settlement is begun only for a client that waits, and with time enough for it to land. */
function lateNow(row: Held, { purchase, deps }: PurchaseContext): Outcome | null {
  if (purchase.client.aborted) return { kind: 'gone' };
  if (purchase.hurry.aborted) {
    return { kind: 'uncharged', code: 'shutting_down', message: 'This server is about to stop.' };
  }
  const now = Math.floor(deps.clock.now() / 1000);
  const late = checkValidity(row.payment.authorization, deps.limits.validity, now);
  return late === null ? null : refused(late.code, late.message);
}

/** Gives a claim up before its settlement: after a 402 for good, else until the same payment is tried again. */
async function giveBack(row: PaymentRow, outcome: Outcome, { deps }: PurchaseContext): Promise<Step> {
  const event = outcome.kind === 'refused' ? 'refused' : 'released';
  try {
    const ours = await deps.rows.advance(row, event);
    // Another request with this payment has taken the row over, and may be settling it: only its holder may refuse it.
    if (!ours && event === 'refused') return 'again';
  } catch (error) {
    // Left to its lease: a row that only processes never charges.
    deps.log.error({ err: error, payment: row.id }, 'the database could not take a claim back');
    deps.retryInBackground(event, () => deps.rows.advance(row, event));
  }
  return outcome;
}

/** Gives a claim back of which nobody knows whether its intent was stored; no settlement was asked for. */
async function forget(row: Held, { deps }: PurchaseContext): Promise<void> {
  if (await deps.rows.advance(row, 'released')) return;
  await deps.rows.advance({ ...row, status: 'settling' }, 'notSent');
}
