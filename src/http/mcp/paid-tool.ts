import { z } from 'zod';
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
import type { Deps } from '../../ports.ts';
import type { Context } from '../context.ts';
import { searchWork } from '../endpoints/paid-search.ts';
import { InvalidParameters, PaidSearchOff, type Problem } from '../errors/errors.ts';
import { ownBaseUrl } from '../request/own-origin.ts';
import { parseParameters } from '../request/parameters.ts';
import { throttleRefusals } from '../request/throttle-refusals.ts';
import type { SearchDeps } from '../search/search-page.ts';
import { clientAborted, onFinished } from '../server/on-finished.ts';
import { type PresentResults, sellCall } from './paid-call.ts';
import { type ToolArguments, toQueryString } from './tool-arguments.ts';

// search_entities without a key: one search for one payment, as the paid HTTP route sells it.

/** Read as the arguments of a call with a key are: as texts, by the rules of the HTTP routes. */
const paidArguments = z.strictObject({
  query: textUpTo(paidSearchLimits.queryMax).default(''),
  kind: oneOf([...paidKinds, 'all']).default('all'),
  limit: wholeNumber(1, paidToolLimitMax).default(paidToolLimitMax),
});
const argumentNames = Object.keys(paidArguments.shape);
/** More unsold arguments than this are not told one by one. */
const unsoldMax = 5;

/** A call of the tool by somebody who has no key. */
export interface KeylessCall {
  /** As they came; a model may have written them. */
  readonly args: ToolArguments;
  /** The call's `_meta`, which has the payment. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** The HTTP request that brought the call. */
  readonly ctx: Context;
}

/** What the paid tool reads. */
export type PaidToolDeps = SearchDeps & Pick<Deps, 'paidSearch'>;

const unpaidText =
  'Payment required: sign one of the accepted payments and call the tool again with it in _meta["x402/payment"]. With an API key the tool needs no payment.';

/**
 * Answers calls of search_entities that come without a key. Resolves to the result of a call that was paid for, and of one
 * that is to be paid for. Everything else is thrown and charges nothing but where it says so: `InvalidParameters` before
 * anything is asked for, `PaidSearchOff`, `SearchFailed`, and the errors of payments.
 */
export function createPaidTool(
  deps: PaidToolDeps,
  present: PresentResults,
): (call: KeylessCall) => Promise<ToolResult> {
  const { paidSearch: paid } = deps;
  if (paid === null) return () => Promise.reject(new PaidSearchOff());
  const { terms, purchase } = paid;
  const slow = throttleRefusals(deps.config.refusals, deps.clock);
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
    const end = await sellCall({ header, request, search, clientSignal }, { purchase, offer, present });
    if (end.kind === 'refused') {
      // While it is held back, it works at nothing.
      ctx.state.releaseSlot?.();
      await slow(ctx);
    }
    onFinished(ctx, () => end.done(ctx.res.writableFinished));
    return end.result;
  };
}

/** What is bought: the same as by HTTP, where the words are the same. Throws `InvalidParameters`. */
function paidRequest(args: ToolArguments): PaidRequest {
  // Models write null and empty lists for what they do not want.
  const wanted = Object.entries(args).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
  const unsold = wanted.filter(([name]) => !argumentNames.includes(name)).slice(0, unsoldMax);
  const [first, ...rest] = unsold.map(([name]): Problem => {
    const instead = insteadOf(name, argumentNames, 'arguments');
    return { path: shownName(name), message: `is not to be had without an API key${instead}` };
  });
  if (first !== undefined) throw new InvalidParameters([first, ...rest]);
  const given = toQueryString(Object.fromEntries(wanted), argumentNames);
  const { query, kind, limit } = parseParameters(paidArguments, given);
  return { q: query, type: kind, limit, page: 1 };
}
