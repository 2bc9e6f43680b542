import type { z } from 'zod';
import { recordFields } from '../../kinds/fields.ts';
import { type KindName, kindNames } from '../../kinds/kind.ts';
import type { Json } from '../../lib/wire-schema.ts';
import { bulkKinds, bulkRequest, idIdentifier, slugIdentifier } from '../../records/bulk-request.ts';
import { recordParameters } from '../endpoints/records.ts';
import { suggestParameters } from '../endpoints/suggest.ts';
import { searchParameters } from '../request/search-parameters.ts';
import { bulkExamples, recordExample, searchExample, suggestExample, usageExample } from './answer-examples.ts';
import { bulkAnswer, recordAnswers, searchAnswer, suggestAnswer, usageAnswer } from './components.ts';
import { type HeaderName, headerRefs, limitHeaders } from './headers.ts';
import { recordTexts, searchTexts, suggestTexts } from './parameter-texts.ts';
import { queryParameters } from './query-parameters.ts';
import {
  errorResponse,
  invalidParameters,
  jsonContent,
  keyedErrors,
  limitErrors,
  searchErrors,
  walkLimitErrors,
} from './responses.ts';
import { toSchema } from './to-schema.ts';

const security = [{ apiKey: [] }];

/** 200 of a keyed address. `headers`: beside those that each has. */
function found(
  schema: z.ZodType,
  examples: Json,
  description = 'The answer.',
  headers: readonly HeaderName[] = [],
): Json {
  return {
    description,
    headers: headerRefs(['X-Request-Id', ...limitHeaders, ...headers]),
    content: jsonContent(schema, examples),
  };
}

const search = {
  operationId: 'search',
  tags: ['Search'],
  summary: 'Entities by text',
  description:
    'Ranked, the best match first. Filters, all optional, must all hold; one that no kind asked for has is an error. Costs one call.',
  security,
  parameters: queryParameters(searchParameters, searchTexts),
  responses: {
    200: found(searchAnswer, { found: searchExample }, 'The answer.', ['X-Index-Lag']),
    ...keyedErrors,
    400: errorResponse({
      ...invalidParameters,
      codes: ['invalid_parameter', 'invalid_cursor', 'cursor_expired', 'malformed_request'],
      headers: limitHeaders,
    }),
    ...walkLimitErrors,
    ...searchErrors,
  },
};

const suggest = {
  operationId: 'suggest',
  tags: ['Search'],
  summary: 'Suggestions while somebody types',
  description:
    'Names that begin so, the most prominent first; names that begin almost so where there are none. Costs one call.',
  security,
  parameters: queryParameters(suggestParameters, suggestTexts),
  responses: {
    200: found(suggestAnswer, { found: suggestExample }, 'The answer.', ['X-Index-Lag']),
    ...keyedErrors,
    ...limitErrors,
    ...searchErrors,
  },
};

const recordNames = {
  companies: ['getCompany', 'One company', 'plover-spire'],
  people: ['getPerson', 'One person', 'anneke-jaskellis'],
  investors: ['getInvestor', 'One investor', 'lummiuna-equity'],
  events: ['getEvent', 'One event', '4000001'],
} as const satisfies Readonly<Record<KindName, readonly [operationId: string, summary: string, example: string]>>;

const identifierParameter = (example: string) => ({
  name: 'identifier',
  in: 'path',
  required: true,
  description: 'An id, or a slug. A whole number is an id first, and a slug where no such id is.',
  schema: { type: 'string', minLength: 1, pattern: '^[^/\\u0000-\\u001f\\u007f-\\u009f]+$' },
  example,
});

function record(kind: KindName): Json {
  const [operationId, summary, example] = recordNames[kind];
  return {
    operationId,
    tags: ['Records'],
    summary,
    description:
      'From the database, so it is there as soon as it was imported. Costs one call, also where nothing is found.',
    security,
    parameters: [
      identifierParameter(example),
      ...queryParameters(recordParameters(kind), recordTexts),
      { name: 'If-None-Match', in: 'header', description: "An earlier answer's ETag.", schema: { type: 'string' } },
    ],
    responses: {
      200: {
        ...found(recordAnswers[kind], kind === 'companies' ? { 'some fields': recordExample } : {}),
        headers: headerRefs(['X-Request-Id', ...limitHeaders, 'ETag']),
      },
      304: {
        description: 'It still is as If-None-Match says.',
        headers: headerRefs(['X-Request-Id', ...limitHeaders, 'ETag']),
      },
      ...keyedErrors,
      404: errorResponse({
        description: 'Nothing has this id or slug.',
        codes: ['not_found'],
        headers: limitHeaders,
        error: `None of the ${kind} has this id or slug: search for it, or check the spelling.`,
      }),
      ...limitErrors,
    },
  };
}

/** What a body may be: `fields` goes with "get" only, and names fields of the entity type. */
function bulkBody(): Json {
  // The schema is an object's.
  const { properties, ...rest } = toSchema(bulkRequest, 'input') as Json & { readonly properties: Json };
  const { fields, identifiers, ...words } = properties;
  const { items: _, ...list } = identifiers as Json;
  const forms = [idIdentifier, slugIdentifier].map((schema) => ({ items: toSchema(schema, 'input') }));
  const others = { ...words, identifiers: { ...list, oneOf: forms } };
  const gets = bulkKinds.map((kind) => ({
    ...rest,
    title: `Get ${kind}`,
    properties: {
      ...others,
      operation: { const: 'get' },
      entity_type: { const: kind },
      fields: { ...(fields as Json), items: { type: 'string', enum: recordFields([kind]) } },
    },
  }));
  const operation = { type: 'string', enum: ['exists', 'count'] };
  return { oneOf: [...gets, { ...rest, title: 'Exists or count', properties: { ...others, operation } }] };
}

const bulk = {
  operationId: 'bulk',
  tags: ['Records'],
  summary: 'Up to 100 entities by id or slug',
  description:
    'From the database: it works while the search does not. Costs one call per started ten identifiers; a refused request takes nothing. Where the entities could not be fetched, the answer is 200 with data.errors.',
  security,
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/BulkRequest' },
        examples: Object.fromEntries(
          Object.entries(bulkExamples).map(([name, { request }]) => [name, { value: request }]),
        ),
      },
    },
  },
  responses: {
    200: found(
      bulkAnswer,
      Object.fromEntries(Object.entries(bulkExamples).map(([name, { answer }]) => [name, answer])),
    ),
    ...keyedErrors,
    400: errorResponse({
      description: 'The body is no JSON object, or something in it is wrong; all problems at once.',
      codes: ['invalid_parameter', 'malformed_body', 'malformed_request'],
      headers: limitHeaders,
      error: 'Invalid parameter "operation": must be one of get, exists, count.',
      details: [{ path: 'operation', message: 'must be one of get, exists, count' }],
    }),
    413: errorResponse({
      description: 'The body is too large.',
      codes: ['body_too_large'],
      headers: limitHeaders,
      error: 'The body is over 262144 bytes: send fewer identifiers.',
    }),
    415: errorResponse({
      description: 'The body is not said to be JSON in UTF-8.',
      codes: ['unsupported_media_type'],
      headers: [...limitHeaders, 'Accept'],
      error: 'The body must be JSON in UTF-8, sent with "Content-Type: application/json".',
    }),
    ...limitErrors,
  },
};

const usage = {
  operationId: 'usage',
  tags: ['Account'],
  summary: "The caller's plan, its limits and what is used of them",
  description: 'Costs nothing.',
  security,
  responses: { 200: found(usageAnswer, { usage: usageExample }), ...keyedErrors },
};

/** Request bodies among the document's `components.schemas`. */
export const requestComponents = { BulkRequest: bulkBody() };

/** Paths that need a key. */
export const keyedPaths = {
  '/api/v1/search': { get: search },
  '/api/v1/suggest': { get: suggest },
  ...Object.fromEntries(kindNames.map((kind) => [`/api/v1/${kind}/{identifier}`, { get: record(kind) }])),
  '/api/v1/bulk': { post: bulk },
  '/api/v1/usage': { get: usage },
};
