import { mcpBazaar } from './mcp-discovery.ts';
import { paidKinds, paidSearchLimits } from './paid-search.ts';
import { identifierName } from './payload.ts';

// Extensions of a 402 for machines: the route's parameters and answers, for catalogues (bazaar), and the option to name
// a purchase (payment-identifier).

const { queryMax, limitMax, limitPreset } = paidSearchLimits;

const parameters = {
  q: { type: 'string', maxLength: queryMax, description: 'Text to search for' },
  type: { type: 'string', enum: [...paidKinds, 'all'], default: 'all' },
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: limitMax,
    default: limitPreset,
    description: 'Divided evenly when type is all',
  },
  page: { type: 'integer', minimum: 1, default: 1, description: 'Only echoed: every page is the same' },
} as const;

const input = {
  type: 'http',
  method: 'GET',
  queryParams: { q: 'zero knowledge', type: 'all', limit: String(limitPreset) },
} as const;

/** A fictional answer, with all the fields that are sold of a company. */
export const exampleData = {
  companies: [
    {
      id: 1000806,
      name: 'Plover Spire',
      slug: 'plover-spire',
      logo: 'https://logo.example/plover-spire.png',
      tagline: null,
      overview: 'Plover Spire matches spot orders on-chain for market makers.',
      website: 'https://plover-spire.example',
      company_stage: null,
      funding_stage: 'Seed',
      total_funding_usd: '1250000.50',
      founded_date: '2020-03-31',
      employee_count: 9363,
      is_verified: true,
    },
  ],
  people: [],
  investors: [],
} as const;

const output = {
  type: 'json',
  example: { data: exampleData, meta: { total: 1, price_paid_usd: '0.01' } },
} as const;

const bazaar = {
  info: { input, output },
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      input: {
        type: 'object',
        properties: {
          type: { const: 'http' },
          method: { enum: ['GET'] },
          queryParams: { type: 'object', properties: parameters, additionalProperties: false },
        },
        required: ['type', 'method'],
      },
      output: { type: 'object', properties: { type: { type: 'string' }, example: { type: 'object' } } },
    },
    required: ['input'],
  },
} as const;

const paymentIdentifier = {
  info: { required: false },
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      required: { type: 'boolean' },
      id: { type: 'string', minLength: 16, maxLength: 128, pattern: '^[A-Za-z0-9_-]+$' },
    },
    required: ['required'],
  },
} as const;

export function extensionsOf(entrance: 'http' | 'mcp'): Readonly<Record<string, unknown>> {
  return { bazaar: { http: bazaar, mcp: mcpBazaar }[entrance], [identifierName]: paymentIdentifier };
}
