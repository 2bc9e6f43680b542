import type { Json } from '../../lib/wire-schema.ts';
import type { Endpoint } from '../endpoint.ts';
import { BodyNotJson, BodyTooLarge } from '../errors/errors.ts';
import { ForeignPage } from '../errors/mcp-errors.ts';
import { mcpHandler } from '../mcp/handler.ts';
import { tools } from '../mcp/tools/tools.ts';
import { headerRefs } from '../openapi/headers.ts';
import { errorResponse, keyedErrors } from '../openapi/responses.ts';

const id = { type: ['string', 'integer', 'null'] } as const;

const message: Json = {
  type: 'object',
  description: 'One message of JSON-RPC 2.0. Batches are not taken.',
  properties: { jsonrpc: { const: '2.0' }, id, method: { type: 'string' }, params: { type: 'object' } },
  required: ['jsonrpc'],
};

const answer: Json = {
  type: 'object',
  properties: {
    jsonrpc: { const: '2.0' },
    id,
    result: { type: 'object' },
    error: {
      type: 'object',
      properties: { code: { type: 'integer' }, message: { type: 'string' }, data: {} },
      required: ['code', 'message'],
    },
  },
  required: ['jsonrpc', 'id'],
};

const answerRef = { $ref: '#/components/schemas/JsonRpcAnswer' } as const;
const headers = headerRefs(['X-Request-Id']);

function operation(): Json {
  const refused = {
    description: 'No message of the protocol, or one that it does not allow; its error says what is wrong.',
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
      content: { 'application/json': { schema: { $ref: '#/components/schemas/JsonRpcMessage' } } },
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
        content: { 'application/json': { schema: { anyOf: [answerRef, { $ref: '#/components/schemas/Error' }] } } },
      },
      403: errorResponse({
        description: 'A page of another origin asks, or the account or plan of a good key is not active.',
        example: new ForeignPage(),
        otherCodes: ['plan_inactive'],
      }),
      404: refused,
      413: errorResponse({ description: 'The body is too large.', example: new BodyTooLarge(262_144) }),
      415: errorResponse({
        description: 'The body is not said to be JSON in UTF-8.',
        example: new BodyNotJson(),
        headers: ['Accept'],
      }),
    },
  };
}

/** POST /mcp: the Model Context Protocol. What a call costs, the tool knows. */
export const mcp: Endpoint = {
  method: 'post',
  path: '/mcp',
  gates: ['slot', 'known origin', 'key if given'],
  operation,
  schemas: { JsonRpcMessage: message, JsonRpcAnswer: answer },
  llms: '`POST /mcp`: the same as tools of the Model Context Protocol (Streamable HTTP), for clients that speak it.',
  handler: mcpHandler,
};
