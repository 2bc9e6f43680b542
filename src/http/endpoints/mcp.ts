import { lazily } from '../../lib/lazily.ts';
import type { Endpoint, Operation } from '../endpoint.ts';
import { tools } from '../mcp/tools/tools.ts';
import { headerRefs } from '../openapi/headers.ts';

/** The protocol defines the messages. */
const message = {
  description: 'A message of JSON-RPC 2.0. Batches are not taken.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/JsonRpcMessage' } } },
};

function operation(): Operation {
  const headers = headerRefs(['X-Request-Id']);
  const names = tools.map(({ name }) => `\`${name}\``).join(', ');
  return {
    operationId: 'mcp',
    tag: 'MCP',
    summary: 'Model Context Protocol',
    description: `For MCP clients (Streamable HTTP, without sessions and streams), not to be called by hand. Tools: ${names}. A call costs what the same request costs by HTTP, and its errors are results. The list of tools is free, also without a key.`,
    requestBody: { required: true, ...message },
    answered: 'The answer, or an error of the protocol.',
    content: message.content,
    responses: {
      202: { description: 'The notification was taken.', headers },
      400: { ...message, headers, description: 'The body is not a message of the protocol, or not an allowed one.' },
      404: { ...message, headers, description: 'The method is not supported.' },
    },
  };
}

/** POST /mcp: the Model Context Protocol. Each tool charges its own calls. */
export const mcp: Endpoint = {
  method: 'post',
  path: '/mcp',
  gates: ['known origin', 'key if given', 'body', 'slot'],
  operation,
  schemas: { JsonRpcMessage: { type: 'object', additionalProperties: {} } },
  llms: '`POST /mcp`: the same as tools of the Model Context Protocol (Streamable HTTP), for clients that speak it.',
  handler(deps) {
    // Loading the protocol takes 80 ms and 12 MB, which a process without MCP clients saves.
    const loaded = lazily(async () => (await import('../mcp/handler.ts')).mcpHandler(deps));
    return async (ctx, next) => (await loaded())(ctx, next);
  },
};
