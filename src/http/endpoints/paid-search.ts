import { z } from 'zod';
import { oneOf, textUpTo, wholeNumber } from '../../lib/parameter-schemas.ts';
import { type PaidRequest, paidKinds, paidSearchLimits } from '../../payments/protocol/paid-search.ts';
import { paidSearchPath } from '../../payments/protocol/terms.ts';
import type { Deps } from '../../ports.ts';
import type { Middleware } from '../context.ts';
import type { Endpoint } from '../endpoint.ts';
import { MethodNotAllowed, PaidSearchOff } from '../errors/errors.ts';
import { queryParameters } from '../openapi/query-parameters.ts';
import { paidSearchOperation } from '../payments/paid-search-operation.ts';
import { answerPaid, createUnpaidAnswer } from '../payments/paywall.ts';
import { searchWork, soldKinds } from '../payments/search-work.ts';
import { parseParameters } from '../request/parameters.ts';
import { throttleRefusals } from '../request/throttle-refusals.ts';
import { lagHeaders } from '../response/lag-header.ts';
import type { SearchDeps } from '../search/search-page.ts';
import { clientAborted } from '../server/on-finished.ts';

const { queryMax, limitMax, limitPreset, pageMax } = paidSearchLimits;

const paidSearchParameters = z.strictObject({
  q: textUpTo(queryMax).default(''),
  type: oneOf([...paidKinds, 'all']).default('all'),
  limit: wholeNumber(1, limitMax).default(limitPreset),
  page: wholeNumber(1, pageMax).default(1),
});

/** GET /api/v1/x402/search */
export const paidSearch: Endpoint = {
  // Only GET may be paid for.
  method: 'all',
  path: paidSearchPath,
  gates: ['slot'],
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

/** What the paid route reads. */
export type PaidSearchDeps = SearchDeps & Pick<Deps, 'paidSearch' | 'lag'>;

function paidSearchHandler(deps: PaidSearchDeps): Middleware {
  const { paidSearch: paid } = deps;
  const answerUnpaid = paid === null ? null : createUnpaidAnswer(paid);
  const slow = throttleRefusals(deps.config.refusals, deps.clock);
  return async (ctx) => {
    if (ctx.method === 'OPTIONS') {
      ctx.set('Allow', 'GET, OPTIONS');
      ctx.status = 204;
      return;
    }
    if (ctx.method !== 'GET') throw new MethodNotAllowed(['GET', 'OPTIONS']);
    if (paid === null || answerUnpaid === null) throw new PaidSearchOff();
    const request: PaidRequest = parseParameters(paidSearchParameters, ctx.querystring);
    ctx.state.queryText = request.q;
    const header = ctx.get('PAYMENT-SIGNATURE');
    if (header === '') {
      answerUnpaid(ctx, ctx.get('X-PAYMENT') === '' ? 'payment_required' : 'x402_v1_not_supported');
      return;
    }
    const clientSignal = clientAborted(ctx);
    const search = searchWork(deps, request, clientSignal);
    const outcome = await paid.purchase({ header, request, clientSignal, search });
    if (outcome.kind === 'refused') {
      // While it is held back, it works at nothing.
      ctx.state.releaseSlot?.();
      await slow(ctx);
    }
    // Of an earlier payment's result nobody knows any more how old it is.
    if (outcome.kind === 'served' && !outcome.replayed) ctx.set(lagHeaders(deps.lag, soldKinds(request)));
    answerPaid(ctx, paid, outcome);
  };
}
