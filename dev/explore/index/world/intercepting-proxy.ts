import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestSort } from '../schedule/step.ts';
import { startLoopbackServer } from './loopback-server.ts';

/** The action at a request: it continues afterwards, or its sender and all callers behind the gate are cut off. */
export type OnRequest = (sort: RequestSort, when: 'before' | 'after') => Promise<'go-on' | 'cut'>;

/** An HTTP proxy in front of Elasticsearch through which one program goes. */
export interface InterceptingProxy extends AsyncDisposable {
  readonly url: string;
}

export async function startInterceptingProxy(target: string, at: OnRequest): Promise<InterceptingProxy> {
  let isCut = false;
  const cut = (): void => {
    isCut = true;
    server.closeAllConnections();
  };

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const method = incoming.method ?? 'GET';
    const path = incoming.url ?? '/';
    const sort = sortOf(method, path);
    if (isCut || (await at(sort, 'before')) === 'cut') return cut();
    const { accept, 'content-type': type } = incoming.headers;
    const body = Buffer.concat(chunks);
    const passed = await fetch(new URL(path, target), {
      method,
      headers: { ...(accept && { accept }), ...(type && { 'content-type': type }) },
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    });
    const text = await passed.text();
    if (isCut || (await at(sort, 'after')) === 'cut') return cut();
    response.writeHead(passed.status, {
      'content-type': passed.headers.get('content-type') ?? 'application/json',
      'x-elastic-product': 'Elasticsearch',
    });
    response.end(method === 'HEAD' ? undefined : text);
  }

  const server = await startLoopbackServer(answer);
  return server;
}

const patterns: readonly (readonly [RequestSort, RegExp])[] = [
  ['bulk', /^POST [^?]*\/_bulk/],
  ['search', /^\w+ [^?]*\/(_search|_mget|_pit)/],
  ['refresh', /^POST [^?]*\/_refresh/],
  ['merge', /^POST [^?]*\/_forcemerge/],
  ['swap', /^POST \/_aliases/],
  ['settings', /^PUT [^?]*\/_settings/],
  ['health', /^GET \/_cluster\/health/],
  ['create', /^PUT \/[^/?]+(\?|$)/],
  ['delete', /^DELETE \/[^/?]+(\?|$)/],
];

function sortOf(method: string, path: string): RequestSort {
  return patterns.find(([, pattern]) => pattern.test(`${method} ${path}`))?.[0] ?? 'any';
}
