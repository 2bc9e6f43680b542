import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { type ClusterRole, findRequest, type KnownRequest } from '../../../src/elasticsearch/requests.ts';

/** An HTTP proxy before the search engine, below a path of its own, that lets through what a role is listed with. */
export interface DenyingProxy extends AsyncDisposable {
  /** Address of the proxy, with its path. */
  readonly url: string;
  /** Forwarded requests. */
  readonly used: ReadonlySet<KnownRequest>;
  /** Requests answered with 403, as `GET /path`. */
  readonly denied: readonly string[];
  /** From now on this request is denied as well; undefined: none is. */
  deny(request: KnownRequest | undefined): void;
}

const path = '/behind/a/proxy';

/** @param prefix of all index names; a request that names another index is denied */
export async function startDenyingProxy(target: string, role: ClusterRole, prefix: string): Promise<DenyingProxy> {
  const used = new Set<KnownRequest>();
  const denied: string[] = [];
  let refused: KnownRequest | undefined;

  const allowed = (method: string, requested: string, body: string): KnownRequest | undefined => {
    const found = findRequest(method, requested);
    if (found === undefined || found.request === refused || !found.request.roles.includes(role)) return undefined;
    const names = [...found.indices, ...namesWithin(found.request, body)];
    return names.every((name) => name.startsWith(prefix)) ? found.request : undefined;
  };

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { method = 'GET', url = '/' } = incoming;
    const requested = url.startsWith(`${path}/`) ? url.slice(path.length) : '';
    const request = allowed(method, requested.replace(/\?.*$/s, ''), body.toString());
    if (request === undefined) {
      denied.push(`${method} ${url}`);
      response.writeHead(403, { 'content-type': 'text/html' }).end('<h1>Forbidden</h1>');
      return;
    }
    used.add(request);
    const { accept, 'content-type': type } = incoming.headers;
    const passed = await fetch(`${target}${requested}`, {
      method,
      headers: { ...(accept && { accept }), ...(type && { 'content-type': type }) },
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    });
    const product = passed.headers.get('x-elastic-product');
    response.writeHead(passed.status, {
      'content-type': passed.headers.get('content-type') ?? 'text/plain',
      ...(product && { 'x-elastic-product': product }),
    });
    response.end(await passed.text());
  }

  const server = createServer((request, response) => {
    // The other end may leave at any time; tests look at what that leads to.
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${path}/`,
    used,
    denied,
    deny: (request) => {
      refused = request;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const searchHead = z.object({ index: z.array(z.string()).or(z.string()) });
const aliasAction = z.record(z.string(), z.looseObject({ index: z.string(), alias: z.string() }));
const aliasBody = z.object({ actions: z.array(aliasAction) });

/** Names of indices in a body. */
function namesWithin({ path: of }: KnownRequest, body: string): readonly string[] {
  if (of === '/_msearch') {
    const heads = body.split('\n').filter((line, at) => at % 2 === 0 && line !== '');
    return heads.flatMap((line) => searchHead.parse(JSON.parse(line)).index);
  }
  if (of !== '/_aliases') return [];
  const { actions } = aliasBody.parse(JSON.parse(body));
  return actions.flatMap((action) => Object.values(action).flatMap(({ index, alias }) => [index, alias]));
}
