import type { Json } from '../../lib/wire-schema.ts';

const integer = { type: 'integer', minimum: 0 } as const;
const text = { type: 'string' } as const;
const base64 = { type: 'string', contentEncoding: 'base64', contentMediaType: 'application/json' } as const;

/** The document's `components.headers`. A `required` one is in every answer that lists it. */
export const headerComponents = {
  'X-Request-Id': {
    description: "Names the request: the caller's own UUID, or a new one. The same is in the server's log.",
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  'X-Request-Cost': { description: 'How many calls of the plan the request cost.', required: true, schema: integer },
  'RateLimit-Policy': {
    description: "The plan's limits: per policy its quota (q) and its window in seconds (w). Absent without limits.",
    schema: text,
  },
  RateLimit: {
    description: 'Per policy the calls left (r) and the seconds until it is full again (t). Absent without limits.',
    schema: text,
  },
  'X-RateLimit-Limit': { description: 'Of the limit of which less is left: its quota.', schema: integer },
  'X-RateLimit-Remaining': { description: 'Of the same limit: the calls left.', schema: integer },
  'X-RateLimit-Reset': { description: 'Of the same limit: seconds until it is full again.', schema: integer },
  'Retry-After': { description: 'Seconds after which to try again.', schema: integer },
  'WWW-Authenticate': {
    description: 'The way to authenticate.',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
  'X-Index-Lag': {
    description:
      'Seconds that what was searched may be behind the newest data: the age of the oldest change that is not indexed, 0.0 for none. Absent where that is not known, and on pages by cursor.',
    schema: { type: 'string', pattern: '^\\d+\\.\\d$', examples: ['0.4'] },
  },
  ETag: { description: 'For If-None-Match.', required: true, schema: text },
  Accept: { description: 'The type of body that is taken.', required: true, schema: text },
  'PAYMENT-REQUIRED': { description: 'The body, as base64 of JSON.', required: true, schema: base64 },
  'PAYMENT-RESPONSE': { description: 'What came of the settlement, as base64 of JSON.', schema: base64 },
  'Payment-Replayed': {
    description: 'There when the answer had been paid before: nothing was charged now.',
    schema: { type: 'string', const: 'true' },
  },
} as const satisfies Readonly<Record<string, Json>>;

export type HeaderName = keyof typeof headerComponents;

/** Headers of a response, by reference. */
export function headerRefs(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Beside the cost, what every answer that was counted says of the plan. */
export const limitHeaders = [
  'X-Request-Cost',
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const satisfies readonly HeaderName[];
