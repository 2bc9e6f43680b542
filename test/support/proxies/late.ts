import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP proxy before the search engine in which requests can be late. */
export interface LateProxy extends AsyncDisposable {
  readonly url: string;
  /** Keeps the next request whose path contains a text, and cuts its sender's connection. */
  holdNext(path?: string): void;
  /** Number of kept requests. */
  readonly held: number;
  /** Delivers the kept requests now, each this many times, the last one first. Returns the engine's answers. */
  release(times?: number): Promise<readonly string[]>;
}

interface Request {
  readonly path: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

export async function startLateProxy(target: string): Promise<LateProxy> {
  const held: Request[] = [];
  let holding: string[] = [];
  const send = ({ path, method, headers, body }: Request): Promise<Response> =>
    fetch(new URL(path, target), { method, headers, ...(body.length === 0 ? {} : { body: new Uint8Array(body) }) });

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { accept, 'content-type': type } = incoming.headers;
    const request: Request = {
      path: incoming.url ?? '/',
      method: incoming.method ?? 'GET',
      headers: { ...(accept && { accept }), ...(type && { 'content-type': type }) },
      body: Buffer.concat(chunks),
    };
    const awaited = holding.findIndex((path) => request.method !== 'GET' && request.path.includes(path));
    if (awaited >= 0) {
      holding = holding.toSpliced(awaited, 1);
      held.push(request);
      response.destroy();
      return;
    }
    const passed = await send(request);
    response.writeHead(passed.status, {
      'content-type': passed.headers.get('content-type') ?? 'application/json',
      'x-elastic-product': 'Elasticsearch',
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
    url: `http://127.0.0.1:${port}`,
    holdNext: (path = '/_bulk') => {
      holding.push(path);
    },
    get held() {
      return held.length;
    },
    async release(times = 1) {
      const answers: string[] = [];
      for (const request of held.splice(0).reverse()) {
        for (let time = 0; time < times; time += 1) answers.push(await (await send(request)).text());
      }
      return answers;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
