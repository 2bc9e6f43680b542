import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Deps } from '../../ports.ts';
import type { Context, Middleware } from '../context.ts';
import { MalformedBody } from '../errors/errors.ts';
import { bodyOf } from '../middleware/bodies.ts';
import { answerJsonText } from '../response/json.ts';
import { clientAborted } from '../server/on-finished.ts';
import { checkMessage } from './check-message.ts';
import { answerRefused, RefusedMessage } from './errors.ts';
import { createServerFactory } from './server.ts';

/** The SDK's `Request` needs an address, which is not used. */
const address = 'http://localhost/mcp';

/** The protocol's headers of a request. `Accept` is ignored, because every answer is one JSON body. */
const protocolHeaders = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

/** Answers one JSON-RPC message with its own server, without sessions and streams. */
export function mcpHandler(deps: Deps): Middleware {
  const serverFor = createServerFactory(deps);
  return async (ctx) => {
    try {
      const message = readMessage(ctx);
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
function readMessage(ctx: Context): object {
  const body = parsedBody(ctx);
  if (Array.isArray(body)) {
    throw new RefusedMessage('invalidRequest', 'Batches are not supported: send each message in its own request.');
  }
  if (typeof body !== 'object' || body === null) {
    throw new RefusedMessage('invalidRequest', 'The body is not a JSON-RPC message: send one JSON object.');
  }
  checkMessage(body);
  // The answer would be a stream that stays open, but the list never changes.
  if ('method' in body && body.method === 'subscriptions/listen') {
    const id = 'id' in body ? body.id : null;
    throw new RefusedMessage(
      'methodNotFound',
      'Subscriptions are not supported: the list of tools does not change.',
      id,
    );
  }
  return body;
}

function parsedBody(ctx: Context): unknown {
  try {
    return bodyOf(ctx);
  } catch (thrown) {
    throw thrown instanceof MalformedBody ? new RefusedMessage('parseError', thrown.message) : thrown;
  }
}

/** Returns the SDK's answer for the message's revision of the protocol. */
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
  // By default, the SDK answers older revisions with streams.
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, options);
  } finally {
    await server.close();
  }
}
