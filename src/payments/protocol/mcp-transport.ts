import { encodeHeader } from './payload.ts';
import type { PaymentRequired } from './terms.ts';

// x402 over MCP: offers, payments and receipts as parts of tool calls and their results (x402 v2, transports-v2/mcp.md,
// the tool-result binding). Differences between clients are handled here alone.

/** Keys in `_meta`: of the payment in a call, and of the receipt in its result. */
export const paymentKey = 'x402/payment';
export const receiptKey = 'x402/payment-response';
/** The key of the offer for older clients. */
const errorKey = 'x402/error';
/** True in a result that an earlier payment has bought: nothing was charged now. */
export const replayedKey = 'x402/payment-replayed';

const paymentRequiredCode = 402;

/** The part of a tool's result that x402 defines. Its lists are mutable, as in the packages of MCP. */
export interface ToolResult {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
  _meta?: Record<string, unknown>;
  // MCP allows further fields in results.
  [extra: string]: unknown;
}

/**
 * Returns the payment of a call in the form of the PAYMENT-SIGNATURE header, so that one decoder reads and one ledger
 * keeps both; null if the call has none. Clients send the payment itself, its JSON, or the header's base64.
 * @param meta the call's `_meta`, as it came
 */
export function paymentOfCall(meta: Readonly<Record<string, unknown>> | undefined): string | null {
  const sent = meta?.[paymentKey];
  if (sent === undefined || sent === null || sent === '') return null;
  if (typeof sent !== 'string') return encodeHeader(sent);
  const text = sent.trim();
  return text.startsWith('{') ? Buffer.from(text, 'utf8').toString('base64') : text;
}

/**
 * Returns the result of a call that must be paid for. The offer itself is the structured content, and the first text is
 * its JSON. Some clients read the offer from a wrapper in it, others from `_meta`. These two copies have no extensions,
 * since a model may see all of them.
 * @param receipt the receipt of a refused settlement
 */
export function paymentRequiredResult(required: PaymentRequired, receipt?: unknown): ToolResult {
  const { extensions: _, ...offer } = required;
  const wrapped = { code: paymentRequiredCode, message: required.error, data: offer };
  const structuredContent = { ...required, [errorKey]: wrapped };
  return {
    isError: true,
    structuredContent,
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    _meta: { [errorKey]: offer, ...(receipt === undefined ? {} : { [receiptKey]: receipt }) },
  };
}

/** Returns true if a result asks for a payment. */
export function holdsOffer({ _meta }: { readonly _meta?: Readonly<Record<string, unknown>> | undefined }): boolean {
  return _meta?.[errorKey] !== undefined;
}
