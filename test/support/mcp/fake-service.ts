import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { type LoopbackServer, startLoopback } from '../proxies/loopback.ts';

// A scripted MCP endpoint, for a service that lies about prices, hangs or answers partially.

type Result = Readonly<Record<string, unknown>>;

/** A received `tools/call`. */
export interface ReceivedCall {
  readonly name: string;
  readonly arguments: unknown;
  readonly payment: unknown;
  readonly headers: IncomingHttpHeaders;
}

export interface FakeService extends LoopbackServer {
  /** Every call so far. */
  readonly calls: ReceivedCall[];
  /** Requests whose connection ended before they were answered. */
  abandoned(): number;
}

export interface FakeBehaviour {
  /** Returns the result of a call. A call without a result hangs. */
  readonly call?: (call: ReceivedCall) => Result | Promise<Result>;
  /** Answers a request itself if it returns true. */
  readonly raw?: (response: ServerResponse) => boolean;
}

/** Thrown by `call` to break the connection instead of an answer. */
export const cutOff = new Error('The connection breaks here.');

const requestSchema = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.looseObject({}).optional(),
});
const callSchema = z.object({
  name: z.string(),
  arguments: z.unknown().optional(),
  _meta: z.looseObject({ 'x402/payment': z.unknown().optional() }).optional(),
});

export const searchTool = {
  name: 'search_entities',
  description: 'Search',
  inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
};

/** Speaks 2025-06-18 without sessions, as a stateless server may. */
export async function startFakeService(behaviour: FakeBehaviour = {}): Promise<FakeService> {
  const calls: ReceivedCall[] = [];
  let abandoned = 0;

  const answerTo = async (
    { method, params = {} }: z.infer<typeof requestSchema>,
    headers: IncomingHttpHeaders,
  ): Promise<Readonly<Record<string, unknown>>> => {
    switch (method) {
      case 'initialize':
        return {
          result: {
            protocolVersion: '2025-06-18',
            capabilities: { tools: {} },
            serverInfo: { name: 'fake', version: '0' },
          },
        };
      case 'tools/list':
        return { result: { tools: [searchTool] } };
      case 'tools/call': {
        const { name, arguments: given, _meta } = callSchema.parse(params);
        const call = { name, arguments: given, payment: _meta?.['x402/payment'], headers };
        calls.push(call);
        const { call: answer = () => ({ content: [{ type: 'text', text: 'found' }] }) } = behaviour;
        return { result: await answer(call) };
      }
      default:
        return { error: { code: -32_601, message: `Method not found: ${method}` } };
    }
  };

  const server = await startLoopback(async (request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) abandoned += 1;
    });
    if (behaviour.raw?.(response) === true) return;
    if (request.url !== '/mcp' || request.method !== 'POST') {
      response.writeHead(405, { Allow: 'POST' }).end();
      return;
    }
    const message = requestSchema.parse(await json(request));
    if (message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const answer = await answerTo(message, request.headers).catch((error: unknown) => {
      if (error !== cutOff) throw error;
      return null;
    });
    if (answer === null) {
      response.destroy();
      return;
    }
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
  });
  return { ...server, calls, abandoned: () => abandoned };
}
