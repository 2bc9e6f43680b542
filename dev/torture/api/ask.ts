import { z } from 'zod';
import type { SignedAuthorization } from '../../chain/authorizations.ts';
import { price } from '../../chain/payment.ts';

export interface Purchase extends SignedAuthorization {
  readonly query: string;
  readonly header: string;
}

/** The end of a purchase: an answer with its transaction, or an offer without a charge. */
export type Ended = { readonly kind: 'served'; readonly transaction: string } | { readonly kind: 'refused' };

const timeoutMs = 40_000;
const resultsWanted = 3;

/** Sends the search with the payment. Null: its outcome is unknown, so it must be sent again. */
export async function askOnce(url: string, purchase: Purchase): Promise<Ended | null> {
  try {
    return await ask(url, purchase);
  } catch (error) {
    // An undocumented answer is a finding. Everything else is a missing or partial answer.
    if (error instanceof z.ZodError) throw error;
    return null;
  }
}

const served = z.object({ meta: z.object({ transaction: z.string(), price_paid: z.literal(price.toString()) }) });

async function ask(url: string, { query, header }: Purchase): Promise<Ended | null> {
  const response = await fetch(`${url}/api/v1/x402/search?q=${encodeURIComponent(query)}&limit=${resultsWanted}`, {
    headers: { 'PAYMENT-SIGNATURE': header },
    signal: AbortSignal.timeout(timeoutMs),
  });
  const body: unknown = await response.json();
  if (response.status === 402) return { kind: 'refused' };
  return response.status === 200 ? { kind: 'served', transaction: served.parse(body).meta.transaction } : null;
}
