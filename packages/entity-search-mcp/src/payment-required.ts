import { z } from 'zod';

/** The part of x402's `PaymentRequired` that identifies a request for payment. */
const paymentRequired = z.looseObject({
  x402Version: z.literal(2),
  error: z.string().optional(),
  accepts: z.array(z.unknown()).min(1),
});
export type PaymentRequired = z.infer<typeof paymentRequired>;

const wrapped = z.looseObject({ 'x402/error': z.looseObject({ data: paymentRequired }) });
const failure = z.looseObject({
  isError: z.literal(true),
  structuredContent: z.unknown().optional(),
  content: z.array(z.looseObject({ text: z.string().optional() })).optional(),
});

/** Returns the offers in a tool's result; null if it has none. They are in its data or in its text, in either of two forms. */
export function paymentRequiredIn(result: unknown): PaymentRequired | null {
  const failed = failure.safeParse(result);
  if (!failed.success) return null;
  for (const candidate of [failed.data.structuredContent, jsonOf(failed.data.content?.[0]?.text)]) {
    const direct = paymentRequired.safeParse(candidate);
    if (direct.success) return direct.data;
    const inside = wrapped.safeParse(candidate);
    if (inside.success) return inside.data['x402/error'].data;
  }
  return null;
}

function jsonOf(text: string | undefined): unknown {
  if (text === undefined || !text.startsWith('{')) return undefined;
  try {
    return z.unknown().parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
