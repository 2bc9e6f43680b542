import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type LoopbackServer, startLoopback } from './loopback.ts';

/** A complete request to Elasticsearch. */
export interface EngineRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Starts a server in front of Elasticsearch, which forwards requests that it does not answer itself. */
export function startEngineProxy(
  answer: (request: EngineRequest, response: ServerResponse) => Promise<void>,
): Promise<LoopbackServer> {
  return startLoopback((incoming, response) => {
    const { accept, 'content-type': type } = incoming.headers;
    const headers = { ...(accept && { accept }), ...(type && { 'content-type': type }) };
    const { method = 'GET', url: path = '/' } = incoming;
    // The other end may leave at any time. Tests check the consequences.
    buffer(incoming)
      .then((body) => answer({ method, path, headers, body }, response))
      .catch(() => response.destroy());
  });
}

export function forward(target: string, { method, path, headers, body }: EngineRequest): Promise<Response> {
  const sent = body.length === 0 ? {} : { body: new Uint8Array(body) };
  return fetch(new URL(path, target), { method, headers, ...sent });
}

/** Answers like Elasticsearch. */
export function reply(response: ServerResponse, status: number, body: string): void {
  const type = 'application/vnd.elasticsearch+json;compatible-with=9';
  response.writeHead(status, { 'content-type': type, 'x-elastic-product': 'Elasticsearch' }).end(body);
}

export async function replyWith(response: ServerResponse, answer: Response): Promise<void> {
  const type = answer.headers.get('content-type') ?? 'text/plain';
  const text = await answer.text();
  response.writeHead(answer.status, { 'content-type': type, 'x-elastic-product': 'Elasticsearch' }).end(text);
}
