import { z } from 'zod';
import type { KindName } from '../../kinds/kind.ts';
import { kinds } from '../../kinds/registry.ts';
import type { Json } from '../../lib/wire-schema.ts';
import { exampleData } from '../../payments/protocol/discovery.ts';
import { type PaidKind, paidItemFields, paidKinds } from '../../payments/protocol/paid-search.ts';
import type { Installation, Operation } from '../endpoint.ts';
import type { ErrorCode } from '../errors/codes.ts';
import { components } from '../openapi/components.ts';
import { headerRefs } from '../openapi/headers.ts';
import { jsonContent } from '../openapi/responses.ts';

// The operation of the paid search in the OpenAPI document.

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

/** Returns the schema of an entity with the fields that are sold. */
function paidItem(kind: PaidKind & KindName, id: string) {
  const { shape } = kinds[kind].record;
  const sold = Object.entries(shape).filter(([field]) => paidItemFields[kind].includes(field));
  return z.strictObject(Object.fromEntries(sold)).register(components, { id });
}

const paidAnswer = z
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
      notice: z.string().describe('Present if page is above 1: the answer is that of page 1').optional(),
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

const paymentRequiredSchema = z
  .strictObject({
    x402Version: z.literal(2),
    error: z.string().describe('That payment is required, and the problem with the payment that was sent'),
    code: z
      .string()
      .regex(/^[a-z0-9_]+$/)
      .describe('payment_required, or the reason for which the payment was refused'),
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

const paidExample = {
  data: exampleData,
  meta: {
    query: 'exchange',
    type: 'companies',
    page: 1,
    limit: 1,
    total: 1,
    payer: '0x1111111111111111111111111111111111111111',
    transaction: `0x${'ab'.repeat(32)}`,
    network: 'eip155:84532',
    price_paid: '10000',
    price_paid_usd: '0.01',
  },
} as const;

/** Codes of errors of a paid search, in addition to those of its gates. */
export const paidErrors = [
  'paid_search_off',
  'payment_identifier_used',
  'too_many_payments',
  'search_unavailable',
  'facilitator_unavailable',
  'chain_unavailable',
  'service_unavailable',
  'shutting_down',
  'payment_in_progress',
  'settlement_unknown',
] as const satisfies readonly ErrorCode[];

const paymentHeader = {
  name: 'PAYMENT-SIGNATURE',
  in: 'header',
  description:
    'The signed payment: base64 of JSON with an EIP-3009 authorization over the amount that the 402 asks for. Absent on the first request; of at most 8192 bytes.',
  schema: { type: 'string' },
};

export function paidSearchOperation(parameters: readonly Json[], { priceUsd }: Installation): Operation {
  return {
    operationId: 'paidSearch',
    tag: 'Paid search',
    summary: 'Search, paid per request',
    description: `Uses version 2 of the x402 protocol. Without a payment, the answer is 402 with the payments to sign. The same request with the signed payment is verified, searched, settled and answered with 200. Each request costs ${priceUsd} USD, is charged once and only for an answer; an answer without results is charged. Keyed and paid search are separate: do not send a key.`,
    'x-payment-info': {
      price: { mode: 'fixed', currency: 'USD', amount: priceUsd },
      protocols: [{ x402: {} }],
    },
    parameters: [...parameters, paymentHeader],
    answered: 'The results. A kind that was not requested, or has no results, is an empty list.',
    headers: ['PAYMENT-RESPONSE', 'Payment-Replayed', 'X-Index-Lag'],
    content: jsonContent(paidAnswer, { found: paidExample }),
    responses: {
      402: {
        description: 'Payment is required, or the payment that was sent was refused and not charged.',
        headers: headerRefs(['X-Request-Id', 'PAYMENT-REQUIRED', 'PAYMENT-RESPONSE']),
        content: jsonContent(paymentRequiredSchema),
      },
    },
  };
}
