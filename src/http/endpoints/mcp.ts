import type { Json } from '../../lib/wire-schema.ts';
import type { Endpoint } from '../endpoint.ts';
import { BodyNotJson, BodyTooLarge } from '../errors/errors.ts';
import { ForeignPage } from '../mcp/errors.ts';
import { mcpHandler } from '../mcp/handler.ts';
import { at } from '../mcp/tools/schemas.ts';
import { tools } from '../mcp/tools/tools.ts';
import { headerRefs } from '../openapi/headers.ts';
import { commonErrors, errorResponse, keyedErrors } from '../openapi/responses.ts';

const anything: Json = { type: 'object', additionalProperties: {} };
const version: Json = { type: 'string', enum: ['2.0'] };
const text: Json = { type: 'string' };

const schemas = {
  JsonRpcId: { anyOf: [text, { type: 'integer' }] },
  JsonRpcMessage: {
    type: 'object',
    description: 'One message of JSON-RPC 2.0. Batches are not taken.',
    properties: { jsonrpc: version, id: ref('JsonRpcId'), method: text, params: anything },
    required: ['jsonrpc', 'method'],
    additionalProperties: false,
  },
  JsonRpcError: {
    type: 'object',
    properties: { code: { type: 'integer' }, message: text, data: anything },
    required: ['code', 'message'],
  },
  JsonRpcAnswer: {
    type: 'object',
    properties: {
      jsonrpc: version,
      id: { anyOf: [ref('JsonRpcId'), { type: 'null' }] },
      result: anything,
      error: ref('JsonRpcError'),
    },
    required: ['jsonrpc', 'id'],
  },
} as const;

const answerRef = ref('JsonRpcAnswer');

function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

const headers = headerRefs(['X-Request-Id']);

function operation(): Json {
  const refused = {
    description: 'The body is not a message of the protocol, or not an allowed one. The error describes the problem.',
    headers,
    content: { 'application/json': { schema: answerRef } },
  };
  const names = tools.map(({ name }) => `\`${name}\``).join(', ');
  return {
    operationId: 'mcp',
    tags: ['MCP'],
    summary: 'Model Context Protocol',
    description: `For MCP clients (Streamable HTTP, without sessions and streams), not to be called by hand. Tools: ${names}. A call costs what the same request costs by HTTP, and its errors are results. Lists are free, also without a key.`,
    security: [{ apiKey: [] }, {}],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: ref('JsonRpcMessage') } },
    },
    responses: {
      200: {
        description: 'The answer, or an error of the protocol.',
        headers,
        content: { 'application/json': { schema: answerRef } },
      },
      202: { description: 'The notification was taken.', headers },
      ...keyedErrors,
      400: {
        ...refused,
        content: {
          'application/json': {
            schema: { anyOf: [answerRef, at(commonErrors[400], 'content', 'application/json', 'schema')] },
          },
        },
      },
      403: errorResponse({
        description: 'The page has another origin, or the account or plan of a valid key is not active.',
        example: new ForeignPage(),
        otherCodes: ['plan_inactive'],
      }),
      404: refused,
      413: errorResponse({ description: 'The body is too large.', example: new BodyTooLarge(262_144) }),
      415: errorResponse({
        description: 'The Content-Type is not JSON in UTF-8.',
        example: new BodyNotJson(),
        headers: ['Accept'],
      }),
    },
  };
}

/** POST /mcp: the Model Context Protocol. Each tool charges its own calls. */
export const mcp: Endpoint = {
  method: 'post',
  path: '/mcp',
  gates: ['known origin', 'key if given', 'body', 'slot'],
  operation,
  schemas,
  llms: '`POST /mcp`: the same as tools of the Model Context Protocol (Streamable HTTP), for clients that speak it.',
  handler: mcpHandler,
};
