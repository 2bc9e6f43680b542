import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** An HTTP proxy on loopback before a real engine that takes its time for documents, and counts who sends at once. */
export interface SlowBulkProxy extends AsyncDisposable {
  readonly url: string;
  /** The most bulk requests that were under way at the same time. */
  readonly mostAtOnce: number;
  /** By how much a bulk request is late. */
  delayMs: number;
}

export async function startSlowBulkProxy(target: string, delayMs: number): Promise<SlowBulkProxy> {
  let underWay = 0;
  let most = 0;
  const proxy = { delayMs };

  async function counted<Result>(work: () => Promise<Result>): Promise<Result> {
    underWay += 1;
    most = Math.max(most, underWay);
    try {
      await delay(proxy.delayMs);
      return await work();
    } finally {
      underWay -= 1;
    }
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const pass = () => passOn(new URL(incoming.url ?? '/', target), incoming, Buffer.concat(chunks));
    // Counted until just before whoever asked can send the next one.
    const { status, type, body } = incoming.url?.includes('/_bulk') ? await counted(pass) : await pass();
    response.writeHead(status, { 'content-type': type, 'x-elastic-product': 'Elasticsearch' });
    response.end(body);
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
    get mostAtOnce() {
      return most;
    },
    get delayMs() {
      return proxy.delayMs;
    },
    set delayMs(ms) {
      proxy.delayMs = ms;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function passOn(url: URL, { method = 'GET', headers }: IncomingMessage, body: Buffer) {
  const { accept, 'content-type': type } = headers;
  const passed = await fetch(url, {
    method,
    headers: { ...(accept && { accept }), ...(type && { 'content-type': type }) },
    ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
  });
  return {
    status: passed.status,
    type: passed.headers.get('content-type') ?? 'application/json',
    body: await passed.text(),
  };
}
