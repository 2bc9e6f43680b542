import { STATUS_CODES } from 'node:http';
import type { Json } from '../../lib/wire-schema.ts';
import type { Endpoint, Gate } from '../endpoint.ts';
import { type ErrorCode, errorCodes } from '../errors/codes.ts';
import { quotaHeaderNames } from '../response/quota-headers.ts';
import { errorAnswer, problem } from './components.ts';
import { type HeaderName, headerRefs } from './headers.ts';
import { pascalCase } from './name-schemas.ts';
import { jsonContent, schemaRef } from './responses.ts';
import { toSchema } from './to-schema.ts';

// The errors of an operation follow from the gates of its endpoint, and from the codes that the endpoint lists.

/** Errors that any address may answer with. */
const common: readonly ErrorCode[] = [
  'malformed_request',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'internal_error',
];

const keyed: readonly ErrorCode[] = [
  'invalid_parameter',
  'invalid_api_key',
  'plan_inactive',
  'overloaded',
  'service_unavailable',
];

const gateErrors: Readonly<Partial<Record<Gate, readonly ErrorCode[]>>> = {
  key: keyed,
  'key if given': keyed,
  'known origin': ['foreign_origin'],
  payment: ['invalid_parameter'],
  body: ['malformed_body', 'body_too_large', 'unsupported_media_type'],
  slot: ['overloaded'],
  'search slot': ['overloaded', 'search_unavailable'],
  'records slot': ['overloaded', 'service_unavailable'],
  'one call': ['rate_limited', 'quota_exceeded'],
};

export function errorCodesOf({ gates, errors = [] }: Pick<Endpoint, 'gates' | 'errors'>): ReadonlySet<ErrorCode> {
  return new Set([...common, ...gates.flatMap((gate) => gateErrors[gate] ?? []), ...errors]);
}

/**
 * Returns the responses for an endpoint's errors, by status.
 * @param documented codes of all errors of the document, which has one schema for each status
 */
export function errorResponses(endpoint: Pick<Endpoint, 'gates' | 'errors'>, documented: ReadonlySet<ErrorCode>): Json {
  const byStatus = Map.groupBy(errorCodesOf(endpoint), statusOf);
  const isKeyed = endpoint.gates.includes('key');
  const responses = [...byStatus].map(([status, codes]) => {
    const all = [...documented].filter((code) => statusOf(code) === status).sort();
    const response = {
      description: codes
        .map((code) => `\`${code}\`: ${errorCodes[code].when.replace('Account page: ', '')}`)
        .join('\n\n'),
      headers: headerRefs([
        'X-Request-Id',
        ...(isKeyed && !early.has(status) ? quotaHeaderNames : []),
        ...errorHeaders.filter((name) => codes.some((code) => hasHeader(code, name))),
      ]),
      content: { 'application/json': { schema: errorSchema(status, all) } },
    };
    return [status, response] as const;
  });
  return { ...Object.fromEntries(responses), default: anyOther };
}

const anyOther = {
  description: 'Any other error, such as 405 for another method.',
  headers: headerRefs(['X-Request-Id']),
  content: jsonContent(errorAnswer),
};

function statusOf(code: ErrorCode): number {
  return errorCodes[code].status;
}

/** Statuses of requests that are refused before their key is checked. */
const early: ReadonlySet<number> = new Set([408, 417, 431]);

const errorHeaders = ['Retry-After', 'Accept', 'WWW-Authenticate'] as const satisfies readonly HeaderName[];

function hasHeader(code: ErrorCode, name: HeaderName): boolean {
  const meaning = errorCodes[code];
  return 'header' in meaning && meaning.header.startsWith(`\`${name}`);
}

/** Returns the schema of a status. It repeats the general schema, which generators of clients handle best. */
function errorSchema(status: number, codes: readonly ErrorCode[]): Json {
  // The schema is an object's.
  const { properties, ...rest } = toSchema(errorAnswer, 'output') as Json & {
    readonly properties: Readonly<Record<string, Json>>;
  };
  const { error, code: { description } = {}, details } = properties;
  const listed = codes.includes('invalid_parameter') ? { details: { ...details, items: schemaRef(problem) } } : {};
  const title = `${pascalCase(STATUS_CODES[status] ?? '').replace(/Error$/, '')}Error`;
  return { title, ...rest, properties: { error, code: { type: 'string', enum: codes, description }, ...listed } };
}
