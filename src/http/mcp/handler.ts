import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Deps } from '../../ports.ts';
import type { Context, Middleware } from '../context.ts';
import { MalformedBody } from '../errors/errors.ts';
import { readBody } from '../request/read-json.ts';
import { answerJsonText } from '../response/json.ts';
import { clientAborted } from '../server/on-finished.ts';
import { checkMessage } from './check-message.ts';
import { answerRefused, RefusedMessage } from './json-rpc.ts';
import { createServerFactory } from './server.ts';

/** Nobody asks for it: the SDK wants a `Request` with an address. */
const address = 'http://localhost/mcp';

/** The protocol's headers of a request. `Accept` is not asked for: every answer is one JSON body. */
const protocolHeaders = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

/**
 * Answers one JSON-RPC message: a server is made for it and forgotten, so that nothing is held between two. There are no
 * sessions and no streams.
 */
export function mcpHandler(deps: Deps): Middleware {
  const serverFor = createServerFactory(deps);
  return async (ctx) => {
    try {
      const message = await readMessage(ctx, deps.config.http.bodyMaxBytes);
      const response = await exchange(ctx, message, () => serverFor(ctx));
      const text = await response.text();
      if (text === '') ctx.body = null;
      else answerJsonText(ctx, text);
      ctx.status = response.status;
    } catch (thrown) {
      if (!(thrown instanceof RefusedMessage)) throw thrown;
      answerRefused(ctx, thrown);
    }
  };
}

/** Throws `RefusedMessage`, `BodyNotJson` and `BodyTooLarge`. */
async function readMessage(ctx: Context, maxBytes: number): Promise<object> {
  const body = await readBody(ctx, maxBytes).catch((thrown: unknown) => {
    throw thrown instanceof MalformedBody ? new RefusedMessage('parseError', thrown.message) : thrown;
  });
  if (Array.isArray(body)) {
    throw new RefusedMessage('invalidRequest', 'Batches are not taken: send each message as a request of its own.');
  }
  if (typeof body !== 'object' || body === null) {
    throw new RefusedMessage('invalidRequest', 'The body is no JSON-RPC message: send one JSON object.');
  }
  checkMessage(body);
  // Its answer would be a stream that is held open, and nothing that is listed here ever changes.
  if ('method' in body && body.method === 'subscriptions/listen') {
    const id = 'id' in body ? body.id : null;
    throw new RefusedMessage('methodNotFound', 'There are no subscriptions: what is listed here does not change.', id);
  }
  return body;
}

/** The SDK's answer, by the revision of the protocol that the message is of. */
async function exchange(ctx: Context, message: object, makeServer: () => Server): Promise<Response> {
  const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' });
  for (const name of protocolHeaders) if (ctx.get(name) !== '') headers.set(name, ctx.get(name));
  const request = new Request(address, { method: 'POST', headers, signal: clientAborted(ctx) });
  const onerror = (err: Error) => ctx.state.log.debug({ err }, 'a message was refused');
  const options = { parsedBody: message };
  if (!(await isLegacyRequest(request, message))) {
    return createMcpHandler(makeServer, { legacy: 'reject', onerror }).fetch(request, options);
  }
  const server = makeServer();
  server.onerror = onerror;
  // The SDK's own way for older revisions answers with streams.
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, options);
  } finally {
    await server.close();
  }
}
