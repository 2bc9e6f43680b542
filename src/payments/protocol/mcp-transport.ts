import { encodeHeader } from './payload.ts';
import type { PaymentRequired } from './terms.ts';

// x402 over MCP: offers, payments and receipts as parts of tool calls and their results (x402 v2, transports-v2/mcp.md,
// the tool-result binding). What differs between clients is met here, and nowhere else.

/** Where a call has its payment, and its result the receipt. */
export const paymentKey = 'x402/payment';
export const receiptKey = 'x402/payment-response';
/** Where older clients look for the offer. */
const errorKey = 'x402/error';
/** True in a result that an earlier payment has bought: nothing was charged now. */
export const replayedKey = 'x402/payment-replayed';

const paymentRequiredCode = 402;

/** A tool's result as far as x402 says something of it. Its lists can be changed, as the packages of MCP have them. */
export interface ToolResult {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
  _meta?: Record<string, unknown>;
  // Results of MCP may have fields that nobody here knows.
  [extra: string]: unknown;
}

/**
 * The payment of a call in the form of the PAYMENT-SIGNATURE header, so that one decoder reads and one ledger keeps both;
 * null where the call has none. Clients send the payment itself, its JSON, or the header's base64.
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
 * The result of a call that is to be paid for. The offer itself is the structured content, and the first text is its JSON.
 * Clients that wrap the offer find it within it, and those that read it from `_meta` there: what these two are told has no
 * extensions, since a model may be shown all of it.
 * @param receipt of a settlement that was refused
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

/** Whether a result asks for a payment. */
export function holdsOffer({ _meta }: { readonly _meta?: Readonly<Record<string, unknown>> | undefined }): boolean {
  return _meta?.[errorKey] !== undefined;
}
