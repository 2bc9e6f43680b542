import { LRUCache } from 'lru-cache';
import type { Outcome } from '../../payments/flow/outcome.ts';
import { encodeHeader } from '../../payments/protocol/payload.ts';
import { paymentRequired } from '../../payments/protocol/terms.ts';
import type { PaidSearch } from '../../ports.ts';
import type { Context } from '../context.ts';
import { SearchFailed } from '../errors/errors.ts';
import { ownBaseUrl } from '../request/own-origin.ts';
import { answerJsonText } from '../response/json.ts';
import { onFinished } from '../server/on-finished.ts';
import { nothingCharged, paymentError, retrySame } from './payment-error.ts';

// How the ends of a paid request are answered. A generic client signs a new payment for every 402, so there is a 402
// only where it is certain that nothing was taken.

/** What proxies log for a client that has left. */
const clientGone = 499;

/** The address under which payers reach us. */
export function publicUrlOf(ctx: Context, paid: PaidSearch): string {
  return ownBaseUrl(ctx, paid.publicUrl);
}

/** What has to be paid: as JSON for the body, and the same for the header. */
interface Offer {
  readonly body: string;
  readonly header: string;
}

function offer(paid: PaidSearch, baseUrl: string, code: string, error: string): Offer {
  const { terms } = paid;
  const required = paymentRequired({ terms, baseUrl, entrance: 'http' }, code, error);
  return { body: JSON.stringify(required), header: encodeHeader(required) };
}

function answerOffer(ctx: Context, { body, header }: Offer): void {
  ctx.status = 402;
  ctx.set('PAYMENT-REQUIRED', header);
  answerJsonText(ctx, body);
}

/** How many addresses of ours the offer is kept for. */
const addressesMax = 16;

/** Why there is no payment to look at, and what is said then. */
const unpaidSentences = {
  payment_required: 'Payment required: sign one of the accepted payments and retry.',
  x402_v1_not_supported:
    'Payment required: X-PAYMENT is of x402 version 1, which is not taken here. Sign one of the accepted payments by version 2 and send it as PAYMENT-SIGNATURE.',
} as const;
type UnpaidCode = keyof typeof unpaidSentences;

/** Answers who has not paid. What such a 402 says depends on nothing but the terms and the address, so it is kept. */
export function createUnpaidAnswer(paid: PaidSearch): (ctx: Context, code: UnpaidCode) => void {
  const kept = (code: UnpaidCode) =>
    new LRUCache<string, Offer>({
      max: addressesMax,
      memoMethod: (baseUrl) => offer(paid, baseUrl, code, unpaidSentences[code]),
    });
  const offers = { payment_required: kept('payment_required'), x402_v1_not_supported: kept('x402_v1_not_supported') };
  return (ctx, code) => answerOffer(ctx, offers[code].memo(publicUrlOf(ctx, paid)));
}

export function answerPaid(ctx: Context, paid: PaidSearch, outcome: Outcome): void {
  switch (outcome.kind) {
    case 'served':
      ctx.status = 200;
      ctx.set('PAYMENT-RESPONSE', outcome.receipt);
      if (outcome.replayed) ctx.set('Payment-Replayed', 'true');
      answerJsonText(ctx, outcome.body);
      onFinished(ctx, () => outcome.done(ctx.res.writableFinished));
      break;
    case 'refused':
      if (outcome.receipt !== undefined) ctx.set('PAYMENT-RESPONSE', outcome.receipt);
      answerOffer(
        ctx,
        offer(paid, publicUrlOf(ctx, paid), outcome.code, `Payment required: ${outcome.message}. ${nothingCharged}`),
      );
      break;
    case 'search-failed':
      throw new SearchFailed(
        outcome.reason,
        outcome.cause,
        outcome.paid ? `Your payment has arrived and is kept. ${retrySame}` : nothingCharged,
      );
    case 'gone':
      // Nobody reads this; the log shows what it was.
      ctx.status = clientGone;
      ctx.body = '';
      break;
    default:
      throw paymentError(outcome);
  }
}
