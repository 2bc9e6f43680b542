import { z } from 'zod';
import { clientNetwork } from '../../lib/client-address.ts';
import { oneOf, textUpTo, wholeNumber } from '../../lib/parameter-schemas.ts';
import type { Outcome, SearchWork } from '../../payments/flow/context.ts';
import {
  type PaidKind,
  type PaidRequest,
  paidItemFields,
  paidKinds,
  paidSearchLimits,
  splitLimit,
} from '../../payments/protocol/paid-search.ts';
import { encodeHeader } from '../../payments/protocol/payload.ts';
import { paidSearchPath, paymentRequired } from '../../payments/protocol/terms.ts';
import type { Deps, PaidSearch } from '../../ports.ts';
import type { Context, Middleware } from '../context.ts';
import type { Endpoint } from '../endpoint.ts';
import { MethodNotAllowed, PaidSearchOff, SearchFailed } from '../errors/errors.ts';
import { queryParameters } from '../openapi/to-schema.ts';
import { paidErrors, paidSearchOperation } from '../payments/paid-search-operation.ts';
import { nothingCharged, paymentError, retrySame } from '../payments/payment-error.ts';
import { ownBaseUrl } from '../request/own-origin.ts';
import { parseParameters } from '../request/parameters.ts';
import { answerJson, answerJsonText } from '../response/json.ts';
import { lagHeaders } from '../response/lag-header.ts';
import { type SearchDeps, searchPage } from '../search/search-page.ts';
import { clientAborted, onFinished } from '../server/on-finished.ts';

const { queryMax, limitMax, limitPreset, pageMax } = paidSearchLimits;

const paidSearchParameters = z.strictObject({
  q: textUpTo(queryMax).default(''),
  type: oneOf([...paidKinds, 'all']).default('all'),
  limit: wholeNumber(1, limitMax).default(limitPreset),
  page: wholeNumber(1, pageMax).default(1),
});

/** GET /api/v1/x402/search */
export const paidSearch: Endpoint = {
  // The handler refuses all methods except GET and OPTIONS.
  method: 'all',
  path: paidSearchPath,
  gates: ['payment', 'slot'],
  errors: paidErrors,
  operation: (installation) =>
    paidSearchOperation(
      queryParameters(paidSearchParameters, {
        q: {
          text: 'Text to search for. Empty, blank or *: the most prominent entities. May be called query.',
          example: 'exchange',
        },
        type: { text: 'The kind of entities; events are not sold.' },
        limit: {
          text: 'Results at most. With all it is divided evenly, the remainder going to companies, then people.',
        },
        page: { text: 'Only echoed: page 2 costs the same for the same results.' },
      }),
      installation,
    ),
  handler: paidSearchHandler,
};

export type PaidSearchDeps = SearchDeps & Pick<Deps, 'paidSearch' | 'lag'>;

function paidSearchHandler(deps: PaidSearchDeps): Middleware {
  const { paidSearch: paid } = deps;
  return async (ctx) => {
    if (ctx.method === 'OPTIONS') {
      ctx.set('Allow', 'GET, OPTIONS');
      ctx.status = 204;
      return;
    }
    if (ctx.method !== 'GET') throw new MethodNotAllowed(['GET', 'OPTIONS']);
    if (paid === null) throw new PaidSearchOff();
    const request: PaidRequest = parseParameters(paidSearchParameters, ctx.querystring);
    ctx.state.queryText = request.q;
    const header = ctx.get('PAYMENT-SIGNATURE');
    if (header === '') {
      const code = ctx.get('X-PAYMENT') === '' ? 'payment_required' : 'x402_v1_not_supported';
      answerOffer(ctx, paid, code, unpaidSentences[code]);
      return;
    }
    const clientSignal = clientAborted(ctx);
    const search = searchWork(deps, request, clientSignal);
    const outcome = await paid.purchase({ header, request, clientSignal, search, caller: clientNetwork(ctx.ip) });
    // The lag of an earlier payment's result is unknown.
    if (outcome.kind === 'served' && !outcome.replayed) ctx.set(lagHeaders(deps.lag, soldKinds(request)));
    answerPaid(ctx, paid, outcome);
  };
}

function soldKinds({ type }: PaidRequest): readonly PaidKind[] {
  return type === 'all' ? paidKinds : [type];
}

/**
 * Returns the work of one search per kind, all at once. If one fails, all fail, because payers must not get half an
 * answer.
 */
export function searchWork(deps: SearchDeps, request: PaidRequest, clientSignal: AbortSignal): SearchWork {
  const limits = splitLimit(request);
  return async () => {
    const found: Record<PaidKind, readonly unknown[]> = { companies: [], people: [], investors: [] };
    const pages = await Promise.all(
      soldKinds(request).map(async (kind) => {
        const query = { type: kind, text: request.q, page: 1, limit: limits[kind], fields: paidItemFields[kind] };
        return limits[kind] === 0 ? null : { kind, page: await searchPage(deps, query, clientSignal) };
      }),
    );
    for (const { kind, page } of pages.filter((each) => each !== null)) {
      if (!page.ok) return page;
      found[kind] = page.response.results.map(({ entity_type: _, ...item }) => item);
    }
    return { ok: true, data: found };
  };
}

/** Answers with the accepted payments, in the body and in a header. */
function answerOffer(ctx: Context, paid: PaidSearch, code: string, error: string): void {
  const baseUrl = ownBaseUrl(ctx, paid.publicUrl);
  const required = paymentRequired({ terms: paid.terms, baseUrl, entrance: 'http' }, code, error);
  ctx.status = 402;
  ctx.set('PAYMENT-REQUIRED', encodeHeader(required));
  answerJson(ctx, required);
}

/** Messages of a 402 without a payment, by code. */
const unpaidSentences = {
  payment_required: 'Payment required: sign one of the accepted payments and retry.',
  x402_v1_not_supported:
    'Payment required: X-PAYMENT is of x402 version 1, which is not supported. Sign one of the accepted payments of version 2 and send it as PAYMENT-SIGNATURE.',
} as const;

/** The status that proxies log for a client that has left. */
const clientGone = 499;

// A generic client signs a new payment for every 402, so there is a 402 only where it is certain that nothing was
// taken.
function answerPaid(ctx: Context, paid: PaidSearch, outcome: Outcome): void {
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
      answerOffer(ctx, paid, outcome.code, `Payment required: ${outcome.message}. ${nothingCharged}`);
      break;
    case 'search-failed':
      throw new SearchFailed(
        outcome.reason,
        outcome.cause,
        outcome.paid ? `Your payment has arrived and is kept. ${retrySame}` : nothingCharged,
      );
    case 'gone':
      // The client has left, so this is only for the log.
      ctx.status = clientGone;
      ctx.body = '';
      break;
    default:
      throw paymentError(outcome);
  }
}
