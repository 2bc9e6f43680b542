import { z } from 'zod';
import { shownName } from '../../lib/closest-name.ts';
import { textUpTo } from '../../lib/parameter-schemas.ts';
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
import { InvalidParameters, PaidSearchOff, type Problem } from '../errors/errors.ts';
import { publicUrlOf } from '../payments/paywall.ts';
import { searchWork } from '../payments/search-work.ts';
import { throttleRefusals } from '../request/throttle-refusals.ts';
import type { SearchDeps } from '../search/search-page.ts';
import { clientAborted, onFinished } from '../server/on-finished.ts';
import { type PresentResults, sellCall } from './paid-call.ts';

// search_entities without a key: one search for one payment, as the paid HTTP route sells it.

const limitError = `must be a whole number from 1 to ${paidToolLimitMax}`;

/** What a model leaves out it may also send as null. */
const orDefault = <Schema extends z.ZodType>(schema: Schema, preset: z.output<Schema>) =>
  schema.nullish().transform((value) => value ?? preset);

const paidArguments = z.strictObject({
  query: orDefault(textUpTo(paidSearchLimits.queryMax), ''),
  kind: orDefault(z.enum([...paidKinds, 'all'], { error: `must be one of ${paidKinds.join(', ')}, all` }), 'all'),
  limit: orDefault(
    z.int({ error: limitError }).min(1, { error: limitError }).max(paidToolLimitMax, { error: limitError }),
    paidToolLimitMax,
  ),
});
const argumentNames = Object.keys(paidArguments.shape);

/** A call of the tool by somebody who has no key. */
export interface KeylessCall {
  /** As they came; a model may have written them. */
  readonly args: Readonly<Record<string, unknown>>;
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
  const { terms, bazaar, purchase } = paid;
  const slow = throttleRefusals(deps.config.refusals, deps.clock);
  const offerAt = (baseUrl: string) => (code: string, error: string) =>
    paymentRequired({ terms, baseUrl, bazaar, entrance: 'mcp' }, code, error);
  return async ({ args, meta, ctx }) => {
    const request = paidRequest(args);
    ctx.state.queryText = request.q;
    const offer = offerAt(publicUrlOf(ctx, paid));
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
function paidRequest(args: KeylessCall['args']): PaidRequest {
  const unknown = Object.keys(args).filter((name) => !argumentNames.includes(name));
  const known = Object.fromEntries(Object.entries(args).filter(([name]) => argumentNames.includes(name)));
  const parsed = paidArguments.safeParse(known);
  const problems: Problem[] = [
    ...unknown.map((name) => ({
      path: shownName(name),
      message: `is not for sale: without an API key the arguments are ${argumentNames.join(', ')}; leave it out, or send a key`,
    })),
    ...(parsed.error?.issues ?? []).map(({ path, message }) => ({ path: path.map(String).join('.'), message })),
  ];
  const [first, ...rest] = problems;
  if (first !== undefined) throw new InvalidParameters([first, ...rest]);
  if (!parsed.success) throw new Error('a schema refused arguments without saying why', { cause: parsed.error });
  const { query, kind, limit } = parsed.data;
  return { q: query, type: kind, limit, page: 1 };
}
