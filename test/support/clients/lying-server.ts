import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ClientOptions, createClient } from '../../../clients/typescript/src/client.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void;

/** A server with scripted answers, and clients of it. `count` is that of the request, from 1. */
export async function startServer(handler: Handler) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    handler(request, response, requests.length);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    client: (options: Partial<ClientOptions> = {}) =>
      createClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'es_test_key', ...options }),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'r-1', ...headers });
  response.end(JSON.stringify(body));
}

/** Returns the rejection of a promise; an error of its own if it resolves. */
export async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
