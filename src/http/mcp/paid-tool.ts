import { z } from 'zod';
import { clientNetwork } from '../../lib/client-address.ts';
import { oneOf, textUpTo, wholeNumber } from '../../lib/parameter-schemas.ts';
import { insteadOf, shownName } from '../../lib/text/closest-name.ts';
import { paymentOfCall, paymentRequiredResult, type ToolResult } from '../../payments/protocol/mcp-transport.ts';
import {
  type PaidRequest,
  paidKinds,
  paidSearchLimits,
  paidToolLimitMax,
} from '../../payments/protocol/paid-search.ts';
import { paymentRequired } from '../../payments/protocol/terms.ts';
import type { PaidSearch } from '../../ports.ts';
import type { Context } from '../context.ts';
import { searchWork } from '../endpoints/paid-search.ts';
import { InvalidParameters, type Problem } from '../errors/errors.ts';
import { ownBaseUrl } from '../request/own-origin.ts';
import { parseParameters } from '../request/parameters.ts';
import type { SearchDeps } from '../search/search-page.ts';
import { clientAborted, onFinished } from '../server/on-finished.ts';
import { sellCall } from './paid-call.ts';
import { type ToolArguments, toQueryString } from './tool-arguments.ts';

// search_entities without a key: one search for one payment, like the paid HTTP route.

/** Arguments as texts, with the rules of the HTTP routes. */
const paidArguments = z.strictObject({
  query: textUpTo(paidSearchLimits.queryMax).default(''),
  kind: oneOf([...paidKinds, 'all']).default('all'),
  limit: wholeNumber(1, paidToolLimitMax).default(paidToolLimitMax),
});
const argumentNames = Object.keys(paidArguments.shape);
/** Maximum number of reported arguments that need a key. */
const unsoldMax = 5;

/** A call of the tool without a key. */
export interface KeylessCall {
  readonly args: ToolArguments;
  /** The call's `_meta`, which may have a payment. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** The HTTP request that brought the call. */
  readonly ctx: Context;
}

const unpaidText =
  'Payment required: sign one of the accepted payments and call the tool again with it in _meta["x402/payment"]. With an API key the tool needs no payment.';

/**
 * Creates the handler of search_entities without a key. Resolves to the result of a paid call, or to an offer. Throws
 * `InvalidParameters` before any payment, `SearchFailed`, and errors of payments. Nothing is charged
 * unless an error's message states it.
 */
export function createPaidTool(deps: SearchDeps, paid: PaidSearch): (call: KeylessCall) => Promise<ToolResult> {
  const { terms, purchase } = paid;
  const offerAt = (baseUrl: string) => (code: string, error: string) =>
    paymentRequired({ terms, baseUrl, entrance: 'mcp' }, code, error);
  return async ({ args, meta, ctx }) => {
    const request = paidRequest(args);
    ctx.state.queryText = request.q;
    const offer = offerAt(ownBaseUrl(ctx, paid.publicUrl));
    const header = paymentOfCall(meta);
    if (header === null) return paymentRequiredResult(offer('payment_required', unpaidText));
    const clientSignal = clientAborted(ctx);
    const search = searchWork(deps, request, clientSignal);
    const end = await sellCall(
      { header, request, search, caller: clientNetwork(ctx.ip), clientSignal },
      { purchase, offer },
    );
    onFinished(ctx, () => end.done(ctx.res.writableFinished));
    return end.result;
  };
}

/** Returns the search to buy, in the form of the HTTP route. Throws `InvalidParameters`. */
function paidRequest(args: ToolArguments): PaidRequest {
  // Models write null and empty lists for arguments that they do not need.
  const wanted = Object.entries(args).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
  const unsold = wanted.filter(([name]) => !argumentNames.includes(name)).slice(0, unsoldMax);
  const [first, ...rest] = unsold.map(([name]): Problem => {
    const instead = insteadOf(name, argumentNames, 'arguments');
    return { path: shownName(name), message: `needs an API key${instead}` };
  });
  if (first !== undefined) throw new InvalidParameters([first, ...rest]);
  const given = toQueryString(Object.fromEntries(wanted), argumentNames);
  const { query, kind, limit } = parseParameters(paidArguments, given);
  return { q: query, type: kind, limit, page: 1 };
}
