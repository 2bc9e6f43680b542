import type { Json } from '../../lib/wire-schema.ts';

const integer = { type: 'integer', minimum: 0 } as const;
const text = { type: 'string' } as const;
const base64 = { type: 'string', contentEncoding: 'base64', contentMediaType: 'application/json' } as const;

/** The document's `components.headers`. A `required` one is in every answer that lists it. */
export const headerComponents = {
  'X-Request-Id': {
    description: "The id of the request in the server's log: the caller's own UUID, or a new one.",
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  'X-Request-Cost': { description: 'Cost of the request in calls of the plan.', required: true, schema: integer },
  'RateLimit-Policy': {
    description: "The plan's limits: quota (q) and window in seconds (w) of each policy. Absent without limits.",
    schema: text,
  },
  RateLimit: {
    description: 'Calls left (r) and seconds until the reset (t) of each policy. Absent without limits.',
    schema: text,
  },
  'X-RateLimit-Limit': { description: 'Quota of the limit that is nearer to its end.', schema: integer },
  'X-RateLimit-Remaining': { description: 'Calls left of the same limit.', schema: integer },
  'X-RateLimit-Reset': { description: 'Seconds until the reset of the same limit.', schema: integer },
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: integer },
  'WWW-Authenticate': {
    description: 'The way to authenticate.',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
  'X-Index-Lag': {
    description:
      'Seconds by which the searched index may be behind the newest data: the age of the oldest change that is not indexed, 0.0 for none. Absent if unknown, and on pages by cursor.',
    schema: { type: 'string', pattern: '^\\d+\\.\\d$', examples: ['0.4'] },
  },
  ETag: { description: 'For If-None-Match.', required: true, schema: text },
  Accept: { description: 'The accepted type of body.', required: true, schema: text },
  'PAYMENT-REQUIRED': { description: 'The body, as base64 of JSON.', required: true, schema: base64 },
  'PAYMENT-RESPONSE': { description: 'Result of the settlement, as base64 of JSON.', schema: base64 },
  'Payment-Replayed': {
    description: 'Present if the answer was already paid for: nothing was charged now.',
    schema: { type: 'string', const: 'true' },
  },
} as const satisfies Readonly<Record<string, Json>>;

export type HeaderName = keyof typeof headerComponents;

/** Returns references to headers for a response. */
export function headerRefs(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
