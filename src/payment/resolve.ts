import { refusalHeader } from './answer.ts';
import { serve } from './delivery.ts';
import type { Hex } from './networks.ts';
import type { ChargeDeps, Outcome, Purchase, Step } from './outcome.ts';
import type { Change, PaymentRow } from './ports.ts';
import { judge, type Verdict } from './reconcile.ts';
import { type FacilitatorReply, meaningOf, type SettleAnswer } from './settlement.ts';
import type { SentPayment } from './wire.ts';

// From the stored intent on: what is asked of the facilitator, what the chain shows, and what follows for the row.
// Every row here is leased by this request; if it changes hands all the same, the new holder decides.

/** A row under way with what its settlement needs. */
export type Held = PaymentRow & { readonly payment: SentPayment };

const notHurried = Symbol('not hurried');

/** Settles a row whose intent was just stored. */
export async function settleFirst(row: Held, purchase: Purchase, deps: ChargeDeps): Promise<Step> {
  return settle(row, purchase, deps, { first: true, retried: false });
}

/** Finds out what became of a row that was left behind, and settles it if that is still to be done. */
export async function resolveLeft(row: Held, purchase: Purchase, deps: ChargeDeps): Promise<Step> {
  const verdict = await watch(row, row.transaction, purchase, deps, { untilDecided: false });
  if (verdict.kind === 'landed') return land(row, verdict.transaction, true, purchase, deps, { replayed: true });
  if (verdict.kind === 'void') return voided(row, verdict.why, deps);
  const secondsLeft = Number(row.validBefore) - deps.clock.now() / 1000;
  const maySettle = verdict.kind === 'open' && secondsLeft >= deps.limits.validity.minLeftSeconds;
  if (!maySettle || purchase.client.aborted || purchase.hurry.aborted) {
    return giveUp(row, row.transaction, deps);
  }
  return settle(row, purchase, deps, { first: false, retried: false });
}

interface Attempt {
  /** No earlier settlement of this authorization can be under way. */
  readonly first: boolean;
  readonly retried: boolean;
}

async function settle(row: Held, purchase: Purchase, deps: ChargeDeps, attempt: Attempt): Promise<Step> {
  const reply = await unlessHurried(deps.facilitator.settle(row.payment), purchase.hurry);
  if (reply === notHurried) return giveUp(row, row.transaction, deps);
  if (reply.kind !== 'answered') logTrouble(reply, row, deps);
  if (reply.kind === 'not-sent') return notSent(row, deps, attempt);
  if (reply.kind === 'unclear') return find(row, row.transaction, purchase, deps, attempt);
  const meaning = meaningOf(reply.answer);
  switch (meaning.kind) {
    case 'success':
      return confirm(row, meaning.transaction, purchase, deps, attempt);
    case 'pending':
      return find(row, meaning.transaction ?? row.transaction, purchase, deps, attempt);
    case 'refused':
      return refusedBySettle(row, meaning.reason, null, purchase, deps, attempt);
    case 'vague':
      return refusedBySettle(row, meaning.reason, meaning.transaction, purchase, deps, attempt);
    default:
      return meaning satisfies never;
  }
}

async function notSent(row: Held, deps: ChargeDeps, attempt: Attempt): Promise<Step> {
  if ((await note(row, 'notSent', deps)) === 'lost') return 'again';
  return attempt.first ? facilitatorAway() : { kind: 'unknown' };
}

/** "Success" is believed when the chain shows it, and only where the chain can't be asked on the facilitator's word. */
async function confirm(
  row: Held,
  transaction: Hex | null,
  purchase: Purchase,
  deps: ChargeDeps,
  attempt: Attempt,
): Promise<Step> {
  const verdict = await watch(row, transaction, purchase, deps, { untilDecided: true });
  if (verdict.kind === 'landed') {
    return land(row, verdict.transaction, true, purchase, deps, { replayed: !attempt.first });
  }
  if (verdict.kind === 'no-answer' && transaction !== null) {
    deps.log.warn({ payment: row.id, transaction }, 'settled on the word of the facilitator: the chain gave no answer');
    return land(row, transaction, false, purchase, deps, { replayed: !attempt.first });
  }
  if (verdict.kind === 'void') return voided(row, verdict.why, deps);
  deps.log.error({ payment: row.id, transaction }, 'the facilitator says settled, the chain does not show it');
  // The hash may be made up: nothing is kept of it, and a retry settles again.
  return giveUp(row, row.transaction, deps);
}

/** Looks on the chain for a settlement without a usable answer. */
async function find(
  row: Held,
  named: Hex | null,
  purchase: Purchase,
  deps: ChargeDeps,
  attempt: Attempt,
): Promise<Step> {
  const verdict = await watch(row, named, purchase, deps, { untilDecided: true });
  if (verdict.kind === 'landed') {
    return land(row, verdict.transaction, true, purchase, deps, { replayed: !attempt.first });
  }
  if (verdict.kind === 'void') return voided(row, verdict.why, deps);
  return giveUp(row, named, deps);
}

/**
 * The facilitator says no. That is final only where no transaction of this authorization can be on its way: the
 * reason leaves none behind, or the transaction it names has failed; and the chain says unused.
 */
async function refusedBySettle(
  row: Held,
  reason: string,
  named: Hex | null,
  purchase: Purchase,
  deps: ChargeDeps,
  attempt: Attempt,
): Promise<Step> {
  deps.log.info({ payment: row.id, reason }, 'settlement refused');
  const facts = await factsOf(row, named, deps);
  if (facts === null || facts.spent) return find(row, named, purchase, deps, attempt);
  const vague = meaningOf({ success: false, transaction: named, errorReason: reason }).kind === 'vague';
  if (vague && !attempt.retried && facts.named !== 'waiting' && !purchase.client.aborted) {
    return settle(row, purchase, deps, { ...attempt, retried: true });
  }
  const final = !vague || facts.named === 'failed';
  if (!final) return find(row, named, purchase, deps, attempt);
  // Whoever holds the row now may be settling it: only the holder may say that nothing was taken.
  if ((await note(row, 'refused', deps)) === 'lost') return 'again';
  if (!attempt.first) return { kind: 'unknown' };
  return {
    kind: 'refused',
    code: reason,
    message: 'the payment could not be settled',
    receipt: refusalHeader({ reason, network: row.network, payer: row.payer }),
  };
}

/** The money has moved: the payer gets the answer even if the database can't note it now. */
async function land(
  row: Held,
  transaction: Hex,
  confirmed: boolean,
  purchase: Purchase,
  deps: ChargeDeps,
  options: { readonly replayed: boolean },
): Promise<Outcome> {
  const waiting = !purchase.client.aborted;
  const change = { transaction, confirmed, leaseMs: waiting ? deps.limits.leaseMs : 0 };
  const settled: PaymentRow = { ...row, status: 'settled', transaction, confirmed };
  try {
    const ours = await deps.rows.advance(row, 'landed', change);
    return serve(settled, { ...options, held: ours }, deps);
  } catch (error) {
    deps.log.error({ err: error, payment: row.id, transaction }, 'settled, but the database could not note it yet');
    deps.keep('landed', () => deps.rows.advance(row, 'landed', change));
    return serve(settled, { ...options, held: true }, deps);
  }
}

const voidTexts = {
  cancelled: ['authorization_cancelled', 'the payer has cancelled this authorization'],
  expired: ['invalid_exact_evm_payload_authorization_valid_before', 'the authorization has expired unused'],
  spent_elsewhere: ['invalid_exact_evm_nonce_already_used', 'the authorization was used before'],
} as const;

async function voided(row: Held, why: keyof typeof voidTexts, deps: ChargeDeps): Promise<Outcome> {
  await note(row, 'voided', deps);
  const [code, message] = voidTexts[why];
  return {
    kind: 'refused',
    code,
    message,
    receipt: refusalHeader({ reason: code, network: row.network, payer: row.payer }),
  };
}

async function giveUp(row: Held, named: Hex | null, deps: ChargeDeps): Promise<Outcome> {
  const change = { transaction: named };
  deps.log.warn({ payment: row.id, transaction: named }, 'the outcome of a settlement is unknown');
  await note(row, 'unclear', deps, change);
  return { kind: 'unknown' };
}

/** Writes an event; where the database is away the row's lease lapses, and whoever comes next finds the same on the chain. */
async function note(
  row: Held,
  event: 'notSent' | 'refused' | 'voided' | 'unclear',
  deps: ChargeDeps,
  change: Change = {},
): Promise<'noted' | 'lost' | 'away'> {
  try {
    return (await deps.rows.advance(row, event, change)) ? 'noted' : 'lost';
  } catch (error) {
    deps.log.error({ err: error, payment: row.id }, 'the database could not note how a payment went');
    deps.keep(event, () => deps.rows.advance(row, event, change));
    return 'away';
  }
}

type Watched = Verdict | { readonly kind: 'no-answer' };

/** Asks the chain, again and again until the matter is decided or the time is over. */
async function watch(
  row: Held,
  named: Hex | null,
  purchase: Purchase,
  deps: ChargeDeps,
  options: { readonly untilDecided: boolean },
): Promise<Watched> {
  const deadline = deps.clock.elapsed() + deps.limits.reconcileMs;
  let pauseMs = 10;
  for (;;) {
    const facts = await factsOf(row, named, deps);
    const verdict: Watched = facts === null ? { kind: 'no-answer' } : judge(facts, row);
    const decided = verdict.kind === 'landed' || verdict.kind === 'void';
    const enough = decided || (!options.untilDecided && verdict.kind === 'open');
    if (enough || purchase.hurry.aborted || deps.clock.elapsed() + pauseMs > deadline) return verdict;
    await deps.sleep(pauseMs, purchase.hurry);
    pauseMs = Math.min(pauseMs * 2, 250);
  }
}

async function factsOf(row: Held, named: Hex | null, deps: ChargeDeps) {
  try {
    return await deps.chain.facts({
      from: row.payer,
      nonce: row.nonce,
      value: row.amount,
      fromBlock: row.fromBlock,
      sinceSeconds: Math.floor(row.createdAtMs / 1000),
      named,
    });
  } catch (error) {
    deps.log.warn({ err: error, payment: row.id }, 'the chain gave no answer');
    return null;
  }
}

export function facilitatorAway(): Outcome {
  return {
    kind: 'uncharged',
    code: 'facilitator_unavailable',
    message: 'The payment facilitator can not be reached just now.',
  };
}

export function logTrouble(
  reply: Exclude<FacilitatorReply<SettleAnswer | unknown>, { kind: 'answered' }>,
  row: PaymentRow,
  deps: ChargeDeps,
): void {
  deps.log.warn({ err: reply.cause, payment: row.id, sent: reply.kind }, 'the facilitator gave no answer');
}

async function unlessHurried<T>(work: Promise<T>, hurry: AbortSignal): Promise<T | typeof notHurried> {
  if (hurry.aborted) return notHurried;
  let stop = (): void => undefined;
  const hurried = new Promise<typeof notHurried>((resolve) => {
    stop = () => resolve(notHurried);
    hurry.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, hurried]);
  } finally {
    hurry.removeEventListener('abort', stop);
  }
}
