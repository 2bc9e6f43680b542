import { z } from 'zod';
import { parseJson } from '../../lib/parse-json.ts';
import type { Json } from '../../lib/wire-schema.ts';
import type { Outcome } from '../../payments/flow/context.ts';
import {
  paymentRequiredResult,
  receiptKey,
  replayedKey,
  type ToolResult,
} from '../../payments/protocol/mcp-transport.ts';
import { type PaidData, paidKinds } from '../../payments/protocol/paid-search.ts';
import type { PaymentRequired } from '../../payments/protocol/terms.ts';
import type { PaidSearch } from '../../ports.ts';
import { SearchFailed } from '../errors/errors.ts';
import { nothingCharged, paymentError, retryCall } from '../payments/payment-error.ts';
import { shownItems } from './compact.ts';

// A tool call with a payment. It uses the same `purchase` and ledger as the paid HTTP route, and turns the outcome into
// a result of MCP. Clients sign a new payment for every result with an offer, so there is an offer only if nothing was
// charged.

export interface PaidCallDeps {
  readonly purchase: PaidSearch['purchase'];
  readonly offer: (code: string, error: string) => PaymentRequired;
}

export interface CallEnd {
  readonly result: ToolResult;
  /** Must be called once, when the result was sent or can't be sent. */
  readonly done: (delivered: boolean) => void;
}

const nothingToNote = (): void => undefined;

/**
 * Sells one search. Throws `SearchFailed`, and the errors of payments that were neither served nor refused. Their
 * messages state whether something was charged, and how to retry without paying again.
 */
export async function sellCall(call: Parameters<PaidSearch['purchase']>[0], deps: PaidCallDeps): Promise<CallEnd> {
  const outcome = await deps.purchase(call);
  switch (outcome.kind) {
    case 'served':
      return { result: paidResult(outcome), done: outcome.done };
    case 'refused': {
      const required = deps.offer(outcome.code, `Payment required: ${outcome.message}. ${nothingCharged}`);
      const receipt = outcome.receipt === undefined ? undefined : readReceipt(outcome.receipt);
      return { result: paymentRequiredResult(required, receipt), done: nothingToNote };
    }
    case 'search-failed':
      throw new SearchFailed(
        outcome.reason,
        outcome.cause,
        outcome.paid ? `Your payment has arrived and is kept. ${retryCall}` : nothingCharged,
      );
    case 'gone':
      // The client has left.
      return { result: goneResult, done: nothingToNote };
    default:
      throw paymentError(outcome, retryCall);
  }
}

const goneResult: ToolResult = { isError: true, content: [{ type: 'text', text: `Cancelled. ${nothingCharged}` }] };

const item = z.record(z.string(), z.unknown());

/** Returns the entities of all kinds as one list. */
function resultsOf(data: PaidData): readonly Json[] {
  return paidKinds.flatMap((kind) =>
    z
      .array(item)
      .parse(data[kind])
      .map((found) => ({ entity_type: kind, ...found })),
  );
}

/** The answer in the ledger, the same for HTTP and MCP. */
const keptAnswer = z.object({
  data: z.object({ companies: z.array(item), people: z.array(item), investors: z.array(item) }),
  meta: z.object({ transaction: z.string(), price_paid_usd: z.string() }),
});

function paidResult(outcome: Extract<Outcome, { readonly kind: 'served' }>): ToolResult {
  const { data, meta } = keptAnswer.parse(parseJson(outcome.body));
  const shown = { results: shownItems(resultsOf(data), {}) };
  const paid = outcome.replayed
    ? `You have already paid for this (transaction ${meta.transaction}): nothing was charged now.`
    : `Paid ${meta.price_paid_usd} USD (transaction ${meta.transaction}).`;
  return {
    content: [{ type: 'text', text: `${JSON.stringify(shown)}\n${paid}` }],
    structuredContent: shown,
    _meta: {
      [receiptKey]: readReceipt(outcome.receipt),
      ...(outcome.replayed ? { [replayedKey]: true } : {}),
    },
  };
}

const receipt = z.looseObject({ success: z.boolean() });

/** Decodes a receipt from the form of the HTTP header. */
function readReceipt(header: string): Json {
  return receipt.parse(parseJson(Buffer.from(header, 'base64').toString('utf8')));
}
