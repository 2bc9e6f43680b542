import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ClientOptions, createClient } from '../../../clients/typescript/src/client.ts';
import { startLoopback } from '../proxies/loopback.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void;

/** A server with scripted answers, and its clients. `count` is the number of the request, from 1. */
export async function startServer(handler: Handler) {
  const requests: IncomingMessage[] = [];
  const server = await startLoopback((request, response) => {
    requests.push(request);
    handler(request, response, requests.length);
  });
  return {
    requests,
    client: (options: Partial<ClientOptions> = {}) =>
      createClient({ baseUrl: server.url, apiKey: 'es_test_key', ...options }),
    [Symbol.asyncDispose]: server.close,
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

/** Returns the rejection of a promise, or an error if it resolves. */
export async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
