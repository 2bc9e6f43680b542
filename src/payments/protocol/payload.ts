import { z } from 'zod';
import { parseJson } from '../../lib/parse-json.ts';
import type { Hex } from './networks.ts';

// The three headers are standard base64 (not base64url) of JSON. Sizes are checked before anything is decoded.

/** Node itself answers 431 above 16 KiB of headers together; a smart wallet's payment needs about 4. */
export const paymentHeaderBytesMax = 8_192;

export function encodeHeader(value: unknown): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64');
}

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
const hex = (pattern: RegExp) => z.string().regex(pattern).transform(lowerHex);
const address = hex(/^0x[0-9a-fA-F]{40}$/);
/** Amounts and seconds: decimal digits that fit a uint256. */
const uint = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt);

/** An EIP-3009 authorization. Addresses and nonce are in lower case, amounts base units, times seconds since 1970. */
const authorization = z.object({
  from: address,
  to: address,
  value: uint,
  validAfter: uint,
  validBefore: uint,
  nonce: hex(/^0x[0-9a-fA-F]{64}$/),
});
export type Authorization = Readonly<z.output<typeof authorization>>;

const payment = z.object({
  x402Version: z.literal(2),
  accepted: z.object({
    scheme: z.string(),
    network: z.string(),
    amount: z.string(),
    asset: z.string(),
    payTo: z.string(),
  }),
  payload: z.object({
    signature: hex(/^0x([0-9a-fA-F]{2})+$/),
    authorization,
  }),
  resource: z.looseObject({}).optional(),
  extensions: z.record(z.string(), z.unknown()).nullish(),
});

/** The protocol's name of the extension by which a client names its purchase. */
export const identifierName = 'payment-identifier';
const identifierExtension = z.object({ info: z.object({ id: z.string().regex(/^[A-Za-z0-9_-]{16,128}$/) }) });

/** A payment as a client sent it: its shape is checked, its content is not. */
export interface PaymentPayload {
  /** The header's text, from which the other fields can be parsed again. */
  readonly header: string;
  readonly accepted: Readonly<Record<'scheme' | 'network' | 'amount' | 'asset' | 'payTo', string>>;
  readonly authorization: Authorization;
  readonly signature: Hex;
  /** The client's own identifier of this purchase. */
  readonly paymentId: string | null;
  /** As sent, for the facilitator: it catalogues what the client echoes. */
  readonly resource: unknown;
  readonly extensions: unknown;
}

export type Decoded =
  | { readonly ok: true; readonly payment: PaymentPayload }
  | { readonly ok: false; readonly code: 'invalid_payload' | 'invalid_x402_version'; readonly message: string };

/** Reads a PAYMENT-SIGNATURE header. Nothing that a client can send makes it throw. */
export function decodePayment(header: string): Decoded {
  if (header.length > paymentHeaderBytesMax) {
    return invalid(`the payment is longer than ${paymentHeaderBytesMax} bytes`);
  }
  if (header.length % 4 !== 0 || !base64.test(header)) {
    return invalid('the payment is not one piece of standard base64');
  }
  const value = parseJson(Buffer.from(header, 'base64').toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalid('the payment does not hold a JSON object');
  }
  if (!('x402Version' in value) || value.x402Version !== 2) {
    return { ok: false, code: 'invalid_x402_version', message: 'the payment must have x402Version 2' };
  }
  const parsed = payment.safeParse(value);
  if (!parsed.success) {
    return invalid(`the payment has no valid ${parsed.error.issues[0]?.path.join('.') || 'a field'}`);
  }
  const identifier = paymentIdOf(parsed.data.extensions);
  if (identifier === 'invalid') {
    return invalid('the payment identifier must be 16 to 128 letters, digits, "_" or "-"');
  }
  const { accepted, payload, resource, extensions } = parsed.data;
  const sent = { header, accepted, ...payload, paymentId: identifier, resource, extensions: extensions ?? undefined };
  return { ok: true, payment: sent };
}

function paymentIdOf(extensions: Readonly<Record<string, unknown>> | null | undefined): string | null | 'invalid' {
  const extension = extensions?.[identifierName];
  if (extension === undefined || extension === null) return null;
  // A client that only echoes what was offered sends no id, which means that it wants none.
  const info = z.object({ info: z.object({ id: z.undefined().optional() }) }).safeParse(extension);
  if (info.success) return null;
  const parsed = identifierExtension.safeParse(extension);
  return parsed.success ? parsed.data.info.id : 'invalid';
}

/** The prefix was checked by the schema. */
export function lowerHex(text: string): Hex {
  return `0x${text.slice(2).toLowerCase()}`;
}

function invalid(message: string): Decoded {
  return { ok: false, code: 'invalid_payload', message };
}
