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

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const isBulk = incoming.url?.includes('/_bulk') ?? false;
    if (isBulk) {
      underWay += 1;
      most = Math.max(most, underWay);
    }
    try {
      if (isBulk) await delay(proxy.delayMs);
      const { accept, 'content-type': type } = incoming.headers;
      const passed = await fetch(new URL(incoming.url ?? '/', target), {
        method: incoming.method ?? 'GET',
        headers: { ...(accept && { accept }), ...(type && { 'content-type': type }) },
        ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
      });
      const text = await passed.text();
      // Before whoever asked can send the next one.
      if (isBulk) underWay -= 1;
      response.writeHead(passed.status, {
        'content-type': passed.headers.get('content-type') ?? 'application/json',
        'x-elastic-product': 'Elasticsearch',
      });
      response.end(text);
    } catch (error) {
      if (isBulk) underWay -= 1;
      throw error;
    }
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
