import { getAddress } from 'viem';
import { findEvidence, judge, type Verdict } from '../ledger/evidence.ts';
import type { AuthorizationOnChain, Change, PaymentRow } from '../ports.ts';
import { refusalHeader } from '../protocol/answer.ts';
import { type FacilitatorReply, meaningOf, type SettleAnswer } from '../protocol/facilitator-answer.ts';
import { type Hex, networks } from '../protocol/networks.ts';
import type { SentPayment } from '../protocol/payload.ts';
import type { Terms } from '../protocol/terms.ts';
import type { ChargeDeps, Outcome, PurchaseContext, Step } from './context.ts';
import { answerLater, serve } from './delivery.ts';

// From the stored intent on: what is asked of the facilitator, what the chain shows, and what follows for the row.
// Every row here is leased by this request; if it changes hands all the same, the new holder decides.
//
// A row is `settling` before its first settlement is asked for and while that one is under way, and `unknown` from the
// moment on at which the answer left something open. Whatever a facilitator says then, only the chain may say no.

/** A row under way with what its settlement needs. */
export type Held = PaymentRow & { readonly payment: SentPayment };

export function isHeld(row: PaymentRow): row is Held {
  return row.payment !== null;
}

const hurried = Symbol('the process must end');

/** Finds out what became of a row of unknown outcome, and settles it again if that is still to be done. */
export async function resolveUnknown(row: Held, context: PurchaseContext): Promise<Step> {
  const { purchase, deps } = context;
  const verdict = await watchChain(row, row.transaction, context, { untilDecided: false });
  if (verdict.kind === 'landed') return land(row, verdict, context, { replayed: true });
  if (verdict.kind === 'void') return voided(row, verdict.why, context);
  const maySettle = verdict.kind === 'open' && hasTime(row, deps);
  if (!maySettle || purchase.client.aborted || purchase.hurry.aborted) return giveUp(row, row.transaction, context);
  return settle(row, context, { last: true });
}

function hasTime(row: PaymentRow, { clock, limits }: ChargeDeps): boolean {
  return Number(row.validBefore) - clock.now() / 1000 >= limits.validity.minLeftSeconds;
}

/**
 * Asks for a settlement and finds out what came of it.
 * @param last whether a vague refusal may be followed by another settlement
 */
export async function settle(row: Held, context: PurchaseContext, options: { readonly last: boolean }): Promise<Step> {
  const { purchase, deps } = context;
  const asked = deps.facilitator.settle(row.payment, termsOf(row, deps));
  const reply = await unlessHurried(asked, purchase.hurry);
  if (reply === hurried) return giveUp(row, row.transaction, context);
  if (reply.kind !== 'answered') logTrouble(reply, row, deps);
  if (reply.kind === 'not-sent') return notSent(row, context);
  if (reply.kind === 'unclear') return find(row, row.transaction, context);
  const meaning = meaningOf(reply.answer);
  switch (meaning.kind) {
    case 'success':
      return confirm(row, meaning.transaction, context);
    case 'pending':
      return find(row, meaning.transaction ?? row.transaction, context);
    case 'refused':
      return refusedBySettle(row, meaning.reason, context);
    case 'vague':
      return vagueSettle(row, meaning, context, options);
    default:
      return meaning satisfies never;
  }
}

async function notSent(row: Held, context: PurchaseContext): Promise<Step> {
  if (row.status !== 'settling') return giveUp(row, row.transaction, context);
  return (await note(row, 'notSent', context)) === 'lost' ? 'again' : facilitatorAway();
}

/** "Success" is believed when the chain shows it, and only where the chain can't be asked on the facilitator's word. */
async function confirm(row: Held, transaction: Hex | null, context: PurchaseContext): Promise<Step> {
  const { log } = context.deps;
  const verdict = await watchChain(row, transaction, context, { untilDecided: true });
  const options = { replayed: row.status !== 'settling' };
  if (verdict.kind === 'landed') return land(row, verdict, context, options);
  if (verdict.kind === 'no-answer' && transaction !== null) {
    log.warn({ payment: row.id, transaction }, 'settled on the word of the facilitator: the chain gave no answer');
    return land(row, { transaction, block: null }, context, options);
  }
  if (verdict.kind === 'void') return voided(row, verdict.why, context);
  log.error({ payment: row.id, transaction }, 'the facilitator says settled, the chain does not show it');
  // The hash may be made up: nothing is kept of it, and a retry settles again.
  return giveUp(row, row.transaction, context);
}

/** Looks on the chain for a settlement without a usable answer. */
async function find(row: Held, named: Hex | null, context: PurchaseContext): Promise<Step> {
  const verdict = await watchChain(row, named, context, { untilDecided: true });
  if (verdict.kind === 'landed') return land(row, verdict, context, { replayed: row.status !== 'settling' });
  if (verdict.kind === 'void') return voided(row, verdict.why, context);
  return giveUp(row, named, context);
}

/**
 * The facilitator says no for a reason that leaves no transaction behind. That is believed of the first settlement,
 * where the chain says unused; after one whose outcome is unknown it says nothing about that one.
 */
async function refusedBySettle(row: Held, reason: string, context: PurchaseContext): Promise<Step> {
  context.deps.log.info({ payment: row.id, reason }, 'settlement refused');
  if (row.status !== 'settling') return find(row, row.transaction, context);
  const verdict = await lookOnce(row, null, context);
  return verdict.kind === 'open' ? giveRefusal(row, reason, context) : find(row, null, context);
}

async function giveRefusal(row: Held, reason: string, context: PurchaseContext): Promise<Step> {
  // Whoever holds the row now may be settling it: only the holder may say that nothing was taken.
  if ((await note(row, 'refused', context)) === 'lost') return 'again';
  return refusedOutcome(row, reason, 'the payment could not be settled');
}

/**
 * The facilitator says no, but a transaction may exist: only the chain tells. A first one that it names and that has
 * failed is a refusal; else, unused, it is settled once more.
 */
async function vagueSettle(
  row: Held,
  { reason, transaction }: { readonly reason: string; readonly transaction: Hex | null },
  context: PurchaseContext,
  { last }: { readonly last: boolean },
): Promise<Step> {
  const { purchase, deps } = context;
  const named = transaction ?? row.transaction;
  deps.log.info({ payment: row.id, reason }, 'settlement refused, and something may be on its way');
  const verdict = await lookOnce(row, named, context);
  if (verdict.kind === 'open' && verdict.failed && row.status === 'settling') return giveRefusal(row, reason, context);
  const again = !last && verdict.kind === 'open' && hasTime(row, deps);
  if (!again || purchase.client.aborted || purchase.hurry.aborted) return find(row, named, context);
  const unknown = await toUnknown(row, named, context);
  if (unknown === 'lost' || unknown === 'away') return unknown === 'lost' ? 'again' : { kind: 'unknown' };
  if (purchase.client.aborted || purchase.hurry.aborted) return giveUp(unknown, named, context);
  return settle(unknown, context, { last: true });
}

/** Before anything more is asked of the facilitator, the row says that its outcome is not known. */
async function toUnknown(row: Held, named: Hex | null, context: PurchaseContext): Promise<Held | 'lost' | 'away'> {
  const change = { transaction: named, leaseMs: context.deps.limits.leaseMs };
  const noted = await note(row, 'unclear', context, change);
  return noted === 'noted' ? { ...row, status: 'unknown', transaction: named } : noted;
}

/** The money has moved: the payer gets the answer even if the database can't note it now. */
export async function land(
  row: PaymentRow,
  { transaction, block }: { readonly transaction: Hex; readonly block: number | null },
  context: PurchaseContext,
  options: { readonly replayed: boolean },
): Promise<Step> {
  const { deps } = context;
  const confirmed = block !== null;
  const settled: PaymentRow = { ...row, status: 'settled', transaction, confirmed };
  const change: Change = {
    transaction,
    confirmed,
    ...(confirmed ? { block } : {}),
    ...(row.body === null ? { leaseMs: deps.limits.leaseMs } : {}),
  };
  try {
    const ours = await deps.rows.advance(row, 'landed', change);
    if (row.body === null) return ours ? answerLater(settled, context) : 'again';
  } catch (error) {
    deps.log.error({ err: error, payment: row.id, transaction }, 'settled, but the database could not note it yet');
    deps.retryInBackground('landed', () => deps.rows.advance(row, 'landed', { ...change, leaseMs: 0 }));
    if (row.body === null) return { kind: 'unknown' };
  }
  return serve(settled, options, deps);
}

const voidTexts = {
  cancelled: ['authorization_cancelled', 'the payer has cancelled this authorization'],
  expired: ['invalid_exact_evm_payload_authorization_valid_before', 'the authorization has expired unused'],
  spent_elsewhere: ['invalid_exact_evm_nonce_already_used', 'the authorization was used before'],
} as const;

/** The chain says no. The row stays until that can't be taken back any more. */
export async function voided(row: Held, why: keyof typeof voidTexts, context: PurchaseContext): Promise<Step> {
  if ((await note(row, 'voided', context)) === 'lost') return 'again';
  const [code, message] = voidTexts[why];
  return { ...refusedOutcome(row, code, message), void: true };
}

function refusedOutcome(row: PaymentRow, code: string, message: string) {
  const receipt = refusalHeader({ reason: code, network: row.network, payer: row.payer });
  return { kind: 'refused', code, message, receipt } as const;
}

async function giveUp(row: Held, named: Hex | null, context: PurchaseContext): Promise<Outcome> {
  context.deps.log.warn({ payment: row.id, transaction: named }, 'the outcome of a settlement is unknown');
  await note(row, 'unclear', context, { transaction: named });
  return { kind: 'unknown' };
}

/** Writes an event; where the database is away the row's lease lapses, and whoever comes next finds the same on the chain. */
async function note(
  row: Held,
  event: 'notSent' | 'refused' | 'voided' | 'unclear',
  { deps }: PurchaseContext,
  change: Change = {},
): Promise<'noted' | 'lost' | 'away'> {
  try {
    return (await deps.rows.advance(row, event, change)) ? 'noted' : 'lost';
  } catch (error) {
    deps.log.error({ err: error, payment: row.id }, 'the database could not note how a payment went');
    deps.retryInBackground(event, () => deps.rows.advance(row, event, { ...change, leaseMs: 0 }));
    return 'away';
  }
}

type Watched = Verdict | { readonly kind: 'no-answer' };

/** Asks the chain, again and again until the matter is decided or the time is over. */
export async function watchChain(
  row: PaymentRow,
  named: Hex | null,
  context: PurchaseContext,
  options: { readonly untilDecided: boolean },
): Promise<Watched> {
  const { purchase, deps } = context;
  const deadline = deps.clock.elapsed() + deps.limits.reconcileMs;
  let pauseMs = 10;
  for (;;) {
    const verdict = await lookOnce(row, named, context);
    const decided = verdict.kind === 'landed' || verdict.kind === 'void';
    const enough = decided || (!options.untilDecided && verdict.kind === 'open');
    if (enough || purchase.hurry.aborted || deps.clock.elapsed() + pauseMs > deadline) return verdict;
    await deps.sleep(pauseMs, purchase.hurry);
    pauseMs = Math.min(pauseMs * 2, 250);
  }
}

async function lookOnce(row: PaymentRow, named: Hex | null, { deps }: PurchaseContext): Promise<Watched> {
  try {
    return judge(await findEvidence(deps.chain, authorizationOf(row, named), { finality: false }), row);
  } catch (error) {
    deps.log.warn({ err: error, payment: row.id }, 'the chain gave no answer');
    return { kind: 'no-answer' };
  }
}

/** A row's authorization, by what the row says itself: whatever is configured today. */
export function authorizationOf(row: PaymentRow, named: Hex | null): AuthorizationOnChain {
  return {
    network: row.network,
    asset: row.asset,
    payTo: row.payTo,
    from: row.payer,
    nonce: row.nonce,
    amount: row.amount,
    fromBlock: row.fromBlock,
    sinceSeconds: Math.floor(row.createdAtMs / 1000),
    named,
  };
}

/** The terms under which the row was claimed, which its payer has signed. */
export function termsOf(row: PaymentRow, { terms }: Pick<ChargeDeps, 'terms'>): Terms {
  const { maxTimeoutSeconds } = terms;
  return { network: networks[row.network], payTo: getAddress(row.payTo), amount: row.amount, maxTimeoutSeconds };
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

async function unlessHurried<T>(work: Promise<T>, hurry: AbortSignal): Promise<T | typeof hurried> {
  if (hurry.aborted) return hurried;
  let stop = (): void => undefined;
  const told = new Promise<typeof hurried>((resolve) => {
    stop = () => resolve(hurried);
    hurry.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, told]);
  } finally {
    hurry.removeEventListener('abort', stop);
  }
}
