import { z } from 'zod';
import type { Entrance } from '../../../src/payments/protocol/terms.ts';
import type { SignedAuthorization } from '../../chain/authorizations.ts';
import { price } from '../../chain/payment.ts';

export interface Purchase extends SignedAuthorization {
  readonly query: string;
  readonly header: string;
}

/** The end of a purchase: an answer with the transaction that paid for it, or an offer, without a charge. */
export type Ended = { readonly kind: 'served'; readonly transaction: string } | { readonly kind: 'refused' };

const timeoutMs = 40_000;
const resultsWanted = 3;

/** Sends the search with the payment, by one of two entrances. Null: its outcome is unknown, so it must be sent again. */
export async function askOnce(url: string, purchase: Purchase, entrance: Entrance): Promise<Ended | null> {
  try {
    return await (entrance === 'http' ? askByHttp(url, purchase) : askByMcp(url, purchase));
  } catch (error) {
    // An undocumented answer is a finding; everything else is a missing or half answer.
    if (error instanceof z.ZodError) throw error;
    return null;
  }
}

const served = z.object({ meta: z.object({ transaction: z.string(), price_paid: z.literal(price.toString()) }) });

async function askByHttp(url: string, { query, header }: Purchase): Promise<Ended | null> {
  const response = await fetch(`${url}/api/v1/x402/search?q=${encodeURIComponent(query)}&limit=${resultsWanted}`, {
    headers: { 'PAYMENT-SIGNATURE': header },
    signal: AbortSignal.timeout(timeoutMs),
  });
  const body: unknown = await response.json();
  if (response.status === 402) return { kind: 'refused' };
  return response.status === 200 ? { kind: 'served', transaction: served.parse(body).meta.transaction } : null;
}

/** A message that could not be answered, such as one that came while the process was ending. */
const failed = z.object({ error: z.object({ code: z.number() }) });
const called = z.object({
  result: z.object({
    isError: z.boolean().optional(),
    structuredContent: z.looseObject({ accepts: z.array(z.unknown()).optional() }),
    _meta: z
      .object({ 'x402/payment-response': z.object({ success: z.boolean(), transaction: z.string() }).optional() })
      .optional(),
  }),
});

async function askByMcp(url: string, { query, header }: Purchase): Promise<Ended | null> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'search_entities',
        arguments: { query, limit: resultsWanted },
        _meta: { 'x402/payment': header },
      },
    }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const body: unknown = await response.json();
  if (response.status !== 200 || failed.safeParse(body).success) return null;
  const { isError, structuredContent, _meta } = called.parse(body).result;
  if (isError) return structuredContent.accepts === undefined ? null : { kind: 'refused' };
  const receipt = _meta?.['x402/payment-response'];
  if (receipt?.success !== true) throw new Error('An answer came without a receipt.');
  return { kind: 'served', transaction: receipt.transaction };
}
