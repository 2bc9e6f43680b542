import { z } from 'zod';
import type { KindName } from '../../kinds/kind.ts';
import { kinds } from '../../kinds/registry.ts';
import { paidItemFields } from '../../payments/protocol/items.ts';
import { type PaidKind, paidKinds } from '../../payments/protocol/request.ts';
import { components } from './components.ts';

// What the paid search answers, and what it says about payments.

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const network = z
  .string()
  .regex(/^eip155:[0-9]+$/)
  .describe('CAIP-2 chain identifier');
const baseUnits = z
  .string()
  .regex(/^[0-9]+$/)
  .describe('Token base units');
const dollars = z.string().regex(/^[0-9]+\.[0-9]{2,}$/);

/** Exactly the fields that are sold. */
function paidItem(kind: PaidKind & KindName, id: string) {
  const { shape } = kinds[kind].record;
  const sold = Object.entries(shape).filter(([field]) => paidItemFields[kind].includes(field));
  return z.strictObject(Object.fromEntries(sold)).register(components, { id });
}

export const paidAnswer = z
  .strictObject({
    data: z.strictObject({
      companies: z.array(paidItem('companies', 'PaidCompany')),
      people: z.array(paidItem('people', 'PaidPerson')),
      investors: z.array(paidItem('investors', 'PaidInvestor')),
    }),
    meta: z.strictObject({
      query: z.string(),
      type: z.enum([...paidKinds, 'all']),
      page: z.int().positive(),
      notice: z.string().describe('Only there when page is above 1: that the answer is that of page 1').optional(),
      limit: z.int().positive(),
      total: z.int().nonnegative().describe('Results in this answer'),
      payer: address,
      transaction: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
      network,
      price_paid: baseUnits,
      price_paid_usd: dollars,
    }),
  })
  .register(components, { id: 'PaidAnswer' });

const accepted = z
  .strictObject({
    scheme: z.literal('exact'),
    network,
    maxAmountRequired: baseUnits,
    amount: baseUnits,
    asset: address.describe('The token contract'),
    payTo: address,
    maxTimeoutSeconds: z.int().positive(),
    extra: z.strictObject({ name: z.string(), version: z.string() }).describe("The token's EIP-712 domain"),
    description: z.string(),
  })
  .register(components, { id: 'Accepted' });

export const paymentRequired = z
  .strictObject({
    x402Version: z.literal(2),
    error: z.string().describe('Says that payment is required, and what was wrong with the one that was sent'),
    code: z
      .string()
      .regex(/^[a-z0-9_]+$/)
      .describe('payment_required, or why the payment that was sent is not good'),
    resource: z.strictObject({
      url: z.url(),
      description: z.string(),
      mimeType: z.literal('application/json'),
      serviceName: z.string(),
      tags: z.array(z.string()),
    }),
    accepts: z.array(accepted),
    extensions: z.record(z.string(), z.unknown()),
  })
  .register(components, { id: 'PaymentRequired' });
