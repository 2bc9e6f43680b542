import { z } from 'zod';
import { parseJson } from '../../lib/parse-json.ts';
import type { Json } from '../../lib/wire-schema.ts';
import type { Outcome, SearchWork } from '../../payments/flow/context.ts';
import {
  paymentRequiredResult,
  receiptKey,
  replayedKey,
  type ToolResult,
} from '../../payments/protocol/mcp-transport.ts';
import { type PaidData, type PaidRequest, paidKinds } from '../../payments/protocol/paid-search.ts';
import type { PaymentRequired } from '../../payments/protocol/terms.ts';
import type { PaidSearch } from '../../ports.ts';
import { SearchFailed } from '../errors/errors.ts';
import { nothingCharged, paymentError, retryCall } from '../payments/payment-error.ts';

// A call of the tool with a payment, from the payment to the call's result. Its money is that of the paid HTTP route: one
// `purchase`, one ledger. Here is only how the ends of a purchase are told over MCP. Published clients take whatever holds
// an offer for a reason to sign a new payment, so there is an offer only where it is certain that nothing was taken.

/** One call that shows a payment. */
export interface PaidCall {
  /** The payment, as the PAYMENT-SIGNATURE header has it. */
  readonly header: string;
  readonly request: PaidRequest;
  readonly search: SearchWork;
  /** Aborted when nobody waits for the result any more. */
  readonly clientSignal: AbortSignal;
}

/** What a call is answered by. */
export interface PaidCallDeps {
  readonly purchase: PaidSearch['purchase'];
  readonly offer: (code: string, error: string) => PaymentRequired;
  readonly present: PresentResults;
}

/** How results are shown, with a key and without one: for programs, and in few words for models. */
export type PresentResults = (results: readonly Json[]) => { readonly data: Json; readonly text: string };

export interface CallEnd {
  readonly kind: 'served' | 'refused' | 'gone';
  readonly result: ToolResult;
  /** To be told once, when the result has left or can't any more. */
  readonly done: (delivered: boolean) => void;
}

const nothingToNote = (): void => undefined;

/**
 * Sells one search. Throws `SearchFailed`, and the errors of payments that were neither served nor refused: each says
 * whether something was charged, and how to ask again without paying again.
 */
export async function sellCall(
  { header, request, search, clientSignal }: PaidCall,
  deps: PaidCallDeps,
): Promise<CallEnd> {
  const { present } = deps;
  const presentable: SearchWork = async () => {
    const found = await search();
    // What can't be shown must not be charged, so it is tried before the settlement.
    if (found.ok) present(resultsOf(found.data));
    return found;
  };
  const outcome = await deps.purchase({ header, request, clientSignal, search: presentable });
  switch (outcome.kind) {
    case 'served':
      return { kind: 'served', result: paidResult(outcome, present), done: outcome.done };
    case 'refused': {
      const required = deps.offer(outcome.code, `Payment required: ${outcome.message}. ${nothingCharged}`);
      const receipt = outcome.receipt === undefined ? undefined : readReceipt(outcome.receipt);
      return { kind: 'refused', result: paymentRequiredResult(required, receipt), done: nothingToNote };
    }
    case 'search-failed':
      throw new SearchFailed(
        outcome.reason,
        outcome.cause,
        outcome.paid ? `Your payment has arrived and is kept. ${retryCall}` : nothingCharged,
      );
    case 'gone':
      // Nobody reads this.
      return { kind: 'gone', result: goneResult, done: nothingToNote };
    default:
      throw paymentError(outcome, retryCall);
  }
}

const goneResult: ToolResult = { isError: true, content: [{ type: 'text', text: `Cancelled. ${nothingCharged}` }] };

const item = z.record(z.string(), z.unknown());

/** In one list, each with its kind. */
function resultsOf(data: PaidData): readonly Json[] {
  return paidKinds.flatMap((kind) =>
    z
      .array(item)
      .parse(data[kind])
      .map((found) => ({ entity_type: kind, ...found })),
  );
}

/** The answer as the ledger keeps it, whichever way it was bought. */
const keptAnswer = z.object({
  data: z.object({ companies: z.array(item), people: z.array(item), investors: z.array(item) }),
  meta: z.object({ transaction: z.string(), price_paid_usd: z.string() }),
});

function paidResult(outcome: Extract<Outcome, { readonly kind: 'served' }>, present: PresentResults): ToolResult {
  const { data, meta } = keptAnswer.parse(parseJson(outcome.body));
  const shown = present(resultsOf(data));
  const paid = outcome.replayed
    ? `An earlier payment of yours has bought this (transaction ${meta.transaction}): nothing was charged now.`
    : `Paid ${meta.price_paid_usd} USD (transaction ${meta.transaction}).`;
  return {
    content: [{ type: 'text', text: `${shown.text}\n${paid}` }],
    structuredContent: { ...shown.data },
    _meta: {
      [receiptKey]: readReceipt(outcome.receipt),
      ...(outcome.replayed ? { [replayedKey]: true } : {}),
    },
  };
}

const receipt = z.looseObject({ success: z.boolean() });

/** A receipt from the header that has it over HTTP. */
function readReceipt(header: string): Json {
  return receipt.parse(parseJson(Buffer.from(header, 'base64').toString('utf8')));
}
