import type { Json } from '../../lib/wire-schema.ts';
import { healthParameters } from '../endpoints/health.ts';
import { paidSearchParameters } from '../endpoints/paid-search.ts';
import { healthExamples, paidExample } from './answer-examples.ts';
import { healthReport } from './components.ts';
import { docsFileNames } from './docs-page.ts';
import { headerRefs } from './headers.ts';
import { paidAnswer, paymentRequired } from './paid-components.ts';
import { healthTexts, paidSearchTexts } from './parameter-texts.ts';
import { queryParameters } from './query-parameters.ts';
import { badParameters, commonErrors, errorResponse, jsonContent, loadErrors } from './responses.ts';

const requestId = headerRefs(['X-Request-Id']);

const health = {
  operationId: 'health',
  tags: ['Health'],
  summary: 'Whether the service can serve',
  description: 'The status code follows the API process and Postgres alone. Poll it every 30 to 60 seconds.',
  security: [],
  parameters: queryParameters(healthParameters, healthTexts),
  responses: {
    200: {
      description: 'The core service is ready, whatever the routes that were tried say.',
      headers: requestId,
      content: jsonContent(healthReport, { quick: healthExamples.quick, detailed: healthExamples.detailed }),
    },
    503: {
      description: 'The core service is not ready.',
      headers: requestId,
      content: jsonContent(healthReport, { down: healthExamples.down }),
    },
    ...commonErrors,
    400: badParameters,
  },
};

const retrySame = 'Repeat the same request with the same PAYMENT-SIGNATURE: you are never charged twice for it.';

const paidErrors = {
  ...commonErrors,
  400: { ...badParameters, description: 'Wrong parameters; told before any payment is asked for or taken.' },
  404: errorResponse({
    description: 'Nothing is sold by this installation. Asking again changes nothing.',
    codes: ['paid_search_off'],
    error: 'Pay-per-use search is not offered by this installation: no recipient is configured. Use the keyed API.',
  }),
  409: errorResponse({
    description: 'The payment identifier stands for another request. Nothing was charged by this one.',
    codes: ['payment_identifier_used'],
    error: 'The payment identifier was used for another request. Nothing was charged by this request.',
  }),
  429: errorResponse({
    description: 'This payer has too many payments under way. Nothing was charged.',
    codes: ['too_many_payments'],
    headers: ['Retry-After'],
    error:
      'This payer has too many payments under way. Nothing was charged by this request. Retry when some have ended.',
  }),
  500: errorResponse({
    description: 'The search failed; nothing was charged.',
    codes: ['search_unavailable', 'internal_error'],
    error:
      'External search service error: the search could not be done now, retry later. Nothing was charged by this request.',
  }),
  503: errorResponse({
    description: `The payment could not be made now, its outcome is not known yet (settlement_unknown), or another request works on it. ${retrySame}`,
    codes: [
      'facilitator_unavailable',
      'chain_unavailable',
      'service_unavailable',
      'shutting_down',
      'overloaded',
      'payment_in_progress',
      'settlement_unknown',
    ],
    headers: ['Retry-After'],
    error: `The facilitator could not be reached. Nothing was charged by this request. ${retrySame}`,
  }),
};

const paymentHeader = {
  name: 'PAYMENT-SIGNATURE',
  in: 'header',
  description:
    'The signed payment: base64 of JSON with an EIP-3009 authorization over the amount that the 402 asks for. Absent on the first request; of at most 8192 bytes.',
  schema: { type: 'string' },
};

/** @param priceUsd dollars, such as `0.01` */
function paidSearch(priceUsd: string): Json {
  return {
    operationId: 'paidSearch',
    tags: ['Paid search'],
    summary: 'Entities by text, paid per request, without an account',
    description: `By the x402 protocol, version 2. Without a payment the answer is 402 and says what to sign; the same request with the signed payment is verified, searched, settled and answered 200. Each request costs ${priceUsd} USD, is charged once and only for an answer; an answer without results is charged. Keyed and paid search know nothing of each other: do not send a key.`,
    security: [],
    'x-payment-info': {
      price: { mode: 'fixed', currency: 'USD', amount: priceUsd },
      protocols: [{ x402: {} }],
    },
    parameters: [...queryParameters(paidSearchParameters, paidSearchTexts), paymentHeader],
    responses: {
      200: {
        description: 'What was found. A kind that was not asked for, or has nothing, is an empty list.',
        headers: headerRefs(['X-Request-Id', 'PAYMENT-RESPONSE', 'Payment-Replayed', 'X-Index-Lag']),
        content: jsonContent(paidAnswer, { found: paidExample }),
      },
      402: {
        description: 'Payment is required, or the one that was sent is not good: nothing was taken for it.',
        headers: headerRefs(['X-Request-Id', 'PAYMENT-REQUIRED', 'PAYMENT-RESPONSE']),
        content: jsonContent(paymentRequired),
      },
      ...paidErrors,
    },
  };
}

function page(operationId: string, summary: string, mediaType: string, schema: Json = { type: 'string' }): Json {
  return {
    operationId,
    tags: ['Documentation'],
    summary,
    security: [],
    responses: {
      200: {
        description: 'The document.',
        headers: headerRefs(['X-Request-Id', 'ETag']),
        content: { [mediaType]: { schema } },
      },
      304: { description: 'It still is as If-None-Match says.', headers: headerRefs(['X-Request-Id', 'ETag']) },
      ...commonErrors,
      ...loadErrors,
    },
  };
}

const pageFile = page('docsFile', 'What the page is made of', 'text/javascript');

const docsFile = {
  ...pageFile,
  parameters: [{ name: 'file', in: 'path', required: true, schema: { type: 'string', enum: docsFileNames } }],
  responses: {
    ...(pageFile.responses as Json),
    200: {
      description: 'The file.',
      headers: headerRefs(['X-Request-Id', 'ETag']),
      content: { 'text/javascript': { schema: { type: 'string' } }, 'text/css': { schema: { type: 'string' } } },
    },
    404: errorResponse({
      description: 'There is no such file.',
      codes: ['not_found'],
      error: 'There is nothing at this address: check its path.',
    }),
  },
};

const soldHere = {
  operationId: 'wellKnownX402',
  tags: ['Paid search'],
  summary: 'What can be bought here, for registries',
  security: [],
  responses: {
    200: {
      description: 'The addresses of what is sold; each tells its price by a 402.',
      headers: requestId,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              version: { const: 1 },
              resources: { type: 'array', items: { type: 'string', format: 'uri' } },
            },
            required: ['version', 'resources'],
            additionalProperties: false,
          },
        },
      },
    },
    ...commonErrors,
    ...loadErrors,
    404: errorResponse({
      description: 'Nothing is sold here.',
      codes: ['not_found'],
      error: 'There is nothing at this address: check its path.',
    }),
  },
};

/** Paths without a key. */
export function openPaths(priceUsd: string): Json {
  return {
    '/api/health': { get: health },
    '/api/v1/x402/search': { get: paidSearch(priceUsd) },
    '/openapi.json': { get: page('openApi', 'This document', 'application/json', { type: 'object' }) },
    '/docs': { get: page('docs', 'This document as a page on which requests can be tried', 'text/html') },
    '/docs/{file}': { get: docsFile },
    '/.well-known/x402': { get: soldHere },
    '/llms.txt': { get: page('llms', 'How to use this service, for language models', 'text/plain') },
  };
}
