import { answerText } from './answer.ts';
import { checkValidity } from './checks.ts';
import {
  type ChargeDeps,
  databaseLost,
  type Outcome,
  type Proven,
  type Purchase,
  refused,
  type SearchWork,
  type Step,
} from './outcome.ts';
import type { PaymentRow } from './ports.ts';
import { facilitatorAway, logTrouble, settleFirst } from './resolve.ts';
import { publicReason } from './settlement.ts';

/** A claimed purchase: verify, search, store the intent, settle. Until the intent is stored nothing can be taken. */
export async function buy(row: PaymentRow, proven: Proven, purchase: Purchase, deps: ChargeDeps): Promise<Step> {
  // From here on the authorization may be used on the chain, by us or by somebody who has seen it.
  const fromBlock = deps.chain.blockNumber().catch(() => null);
  const unverified = await verify(row, proven, deps);
  if (unverified !== null) return drop(row, unverified, deps);
  const found = await searchOrDrop(row, purchase, deps);
  if (!found.ok) return drop(row, { kind: 'search-failed', reason: found.reason, cause: found.cause }, deps);
  const late = lateNow(proven, purchase, deps);
  if (late !== null) return drop(row, late, deps);
  const intendedAt = deps.clock.elapsed();
  const body = answerText(found.data, purchase.request, deps.terms, row.payer);
  const change = { body, fromBlock: await fromBlock, leaseMs: deps.limits.leaseMs };
  try {
    if (!(await deps.rows.advance(row, 'intended', change))) return 'again';
  } catch (error) {
    deps.log.error({ err: error, payment: row.id }, 'the database could not store an intent');
    // Whether or not it was stored, no settlement follows it.
    deps.keep('notSent', () => forget(row, deps));
    return databaseLost();
  }
  const intended: PaymentRow = { ...row, status: 'settling', body, fromBlock: change.fromBlock };
  const outslept = deps.clock.elapsed() - intendedAt > deps.limits.leaseMs;
  const left = lateNow(proven, purchase, deps);
  if (outslept || left !== null) {
    deps.keep('notSent', () => deps.rows.advance(intended, 'notSent'));
    return left ?? databaseLost();
  }
  return settleFirst({ ...intended, payment: proven.sent }, purchase, deps);
}

async function searchOrDrop(row: PaymentRow, purchase: Purchase, deps: ChargeDeps): ReturnType<SearchWork> {
  try {
    return await purchase.search();
  } catch (bug) {
    await drop(row, { kind: 'gone' }, deps);
    throw bug;
  }
}

async function verify(row: PaymentRow, proven: Proven, deps: ChargeDeps): Promise<Outcome | null> {
  const reply = await deps.facilitator.verify(proven.sent);
  if (reply.kind !== 'answered') {
    logTrouble(reply, row, deps);
    return facilitatorAway();
  }
  if (reply.answer.isValid) return null;
  return refused(publicReason(reply.answer.invalidReason), 'the facilitator does not accept the payment');
}

/** Settlement is begun only for a client that waits, and with time enough for it to land. */
function lateNow(proven: Proven, purchase: Purchase, deps: ChargeDeps): Outcome | null {
  if (purchase.client.aborted) return { kind: 'gone' };
  if (purchase.hurry.aborted) {
    return { kind: 'uncharged', code: 'shutting_down', message: 'This server is about to stop.' };
  }
  const now = Math.floor(deps.clock.now() / 1000);
  const late = checkValidity(proven.sent.authorization, deps.limits.validity, now);
  return late === null ? null : refused(late.code, late.message);
}

async function drop(row: PaymentRow, outcome: Outcome, deps: ChargeDeps): Promise<Outcome> {
  try {
    await deps.rows.advance(row, 'dropped');
  } catch (error) {
    // Left to its lease: a row that only processes never charges.
    deps.log.error({ err: error, payment: row.id }, 'the database could not drop a claim');
    deps.keep('dropped', () => deps.rows.advance(row, 'dropped'));
  }
  return outcome;
}

/** Gives a claim back of which nobody knows whether its intent was stored; no settlement was asked for. */
async function forget(row: PaymentRow, deps: ChargeDeps): Promise<void> {
  if (await deps.rows.advance(row, 'dropped')) return;
  await deps.rows.advance({ ...row, status: 'settling' }, 'notSent');
}
