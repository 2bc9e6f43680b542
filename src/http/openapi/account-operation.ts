import { z } from 'zod';
import type { Json } from '../../lib/wire-schema.ts';
import type { Gate } from '../endpoint.ts';
import {
  AccountPlanInactive,
  AccountSuspended,
  ForeignOrigin,
  NotSignedIn,
  OperatorOnly,
  TooManyRequests,
} from '../errors/account-errors.ts';
import { type ErrorCode, errorCodes } from '../errors/codes.ts';
import {
  type ApiError,
  BodyNotJson,
  BodyTooLarge,
  InvalidParameters,
  MalformedBody,
  Overloaded,
  QuotaExceeded,
  ServiceUnavailable,
} from '../errors/errors.ts';
import { envelopeOf, meta } from './components.ts';
import { type HeaderName, headerComponents, headerRefs } from './headers.ts';
import { commonErrors, errorResponse, schemaRef } from './responses.ts';
import { toSchema } from './to-schema.ts';

/** The `components.schemas` that only the account's document has. */
export const accountComponents = z.registry<{ id: string }>();
accountComponents.add(meta, { id: 'Meta' });

/** Returns the schema of an answer around `data`, and registers it in the document. */
export function answerOf(id: string, data: z.ZodType): z.ZodType {
  return envelopeOf(data).register(accountComponents, { id });
}

/** Tags in the order of the document. */
export const accountTags = ['Session', 'Security', 'Keys', 'Usage', 'Payments', 'Search', 'Operator', 'Documentation'];

export interface AccountOperation {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Gates of the endpoint, whose errors are documented. */
  readonly gates: readonly Gate[];
  readonly parameters?: readonly Json[];
  /** Schema of the request's body. */
  readonly body?: z.ZodType;
  /** Schema of the answer, in accountComponents or components. */
  readonly answer: z.ZodType;
  /** Answers by title. */
  readonly examples?: Json;
  /** Status of the answer. Default 200. */
  readonly status?: 200 | 201;
  /** Headers of the answer, in addition to the request's id. */
  readonly headers?: readonly HeaderName[];
  /** An example of each error that is not from a gate. */
  readonly errors?: readonly ApiError[];
  /** Other responses by status. */
  readonly responses?: Json;
}

/** Returns the operation of an endpoint of the account. */
export function accountOperation(operation: AccountOperation): Json {
  const {
    tag,
    gates,
    body,
    answer,
    examples = {},
    status = 200,
    headers = [],
    errors = [],
    responses,
    ...rest
  } = operation;
  return {
    ...rest,
    tags: [tag],
    security: securityOf(gates),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: toSchema(body, 'input') } } } }),
    responses: {
      [status]: {
        description: 'The answer.',
        headers: headerRefs(['X-Request-Id', ...headers]),
        content: { 'application/json': { schema: accountRef(answer), ...titled(examples) } },
      },
      ...accountErrors(gates, [...(body === undefined ? [] : bodyErrors), ...errors]),
      ...responses,
    },
  };
}

/** Returns the operation of an endpoint that sends a file. */
export function downloadOperation(
  operation: Omit<AccountOperation, 'answer' | 'examples' | 'body' | 'status' | 'responses'> & {
    /** The schema of the file, by media type. */
    readonly files: Readonly<Record<string, Json>>;
  },
): Json {
  const { tag, gates, headers = [], errors = [], files, ...rest } = operation;
  return {
    ...rest,
    tags: [tag],
    security: securityOf(gates),
    responses: {
      200: {
        description: 'The file.',
        headers: headerRefs(['X-Request-Id', ...headers]),
        content: Object.fromEntries(Object.entries(files).map(([type, schema]) => [type, { schema }])),
      },
      ...accountErrors(gates, errors),
    },
  };
}

/** Returns a path parameter for an id. */
export function idParameter(name: string, description: string): Json {
  const schema = { type: 'integer', minimum: 1 };
  return { name, in: 'path', required: true, description, schema, example: 1 };
}

function securityOf(gates: readonly Gate[]): readonly Json[] {
  if (gates.includes('visitor') || gates.includes('visitor suggestion')) return [{}, { session: [] }];
  return gates.includes('session') ? [{ session: [] }] : [];
}

function accountRef(schema: z.ZodType): Json {
  const { id } = accountComponents.get(schema) ?? {};
  return id === undefined ? schemaRef(schema) : { $ref: `#/components/schemas/${id}` };
}

function titled(examples: Json): Json {
  const entries = Object.entries(examples).map(([title, value]) => [title, { value }] as const);
  return entries.length === 0 ? {} : { examples: Object.fromEntries(entries) };
}

const bodyErrors: readonly ApiError[] = [
  new MalformedBody('is no object'),
  new BodyTooLarge(65_536),
  new BodyNotJson(),
];

const unavailable = new ServiceUnavailable(null);
const visitorErrors: readonly ApiError[] = [
  new NotSignedIn(),
  new AccountSuspended(),
  new AccountPlanInactive(),
  new TooManyRequests('This address has sent too many searches in this minute: sign in, or wait.', 12_000),
  new QuotaExceeded(1, { limit: 50_000, left: 0, resetMs: 864_000_000 }, 0),
  unavailable,
];

const gateErrors: Readonly<Record<Gate, readonly ApiError[]>> = {
  slot: [new Overloaded()],
  key: [],
  'known origin': [],
  'key if given': [],
  'same origin': [new ForeignOrigin('https://api.example.com')],
  session: [new NotSignedIn(), new AccountSuspended(), unavailable],
  operator: [new OperatorOnly()],
  attempt: [new TooManyRequests('Too many tries to sign in come from this address.', 12_000)],
  visitor: visitorErrors,
  'visitor suggestion': visitorErrors,
  'search slot': [],
  'records slot': [unavailable],
  'one call': [],
};

/** Returns responses by status: errors of every address, of the gates, and of the endpoint. */
function accountErrors(gates: readonly Gate[], own: readonly ApiError[]): Json {
  const parameters = new InvalidParameters([{ path: 'name', message: 'is required' }]);
  const all = [parameters, ...own, ...gates.flatMap((gate) => gateErrors[gate])];
  const byStatus = Map.groupBy(all, ({ reply }) => reply.status);
  return {
    ...commonErrors,
    ...Object.fromEntries([...byStatus].map(([status, errors]) => [status, errorsResponse(status, errors)])),
  };
}

/** Codes of errors that occur before the gates. */
const earlyCodes: Readonly<Partial<Record<number, ErrorCode>>> = { 400: 'malformed_request', 500: 'internal_error' };

function errorsResponse(status: number, errors: readonly ApiError[]): Json {
  const [example] = errors;
  if (example === undefined) throw new Error(`there is no error of status ${status}`);
  const early = earlyCodes[status];
  const codes = [...new Set([...errors.map(({ reply }) => reply.code), ...(early === undefined ? [] : [early])])];
  const [, ...otherCodes] = codes;
  return errorResponse({
    description: codes.map((code) => `\`${code}\`: ${meaningOf(code)}`).join('\n\n'),
    example,
    otherCodes,
    headers: headersOf(errors),
  });
}

function meaningOf(code: ErrorCode): string {
  return errorCodes[code].when.replace('Account page: ', '');
}

/** Returns headers that all of the errors have, and optional headers that some of them have. */
function headersOf(errors: readonly ApiError[]): readonly HeaderName[] {
  const names = Object.keys(headerComponents).filter((name): name is HeaderName => name in headerComponents);
  return names.filter((name) => {
    const having = errors.filter(({ reply }) => reply.headers?.[name] !== undefined);
    return having.length > 0 && (having.length === errors.length || !('required' in headerComponents[name]));
  });
}
