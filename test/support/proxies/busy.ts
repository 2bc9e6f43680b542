import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers bulk requests like a cluster under load; forwards everything else. */
export interface Busyness {
  /** The share of bulk requests answered with 429. */
  readonly requests: number;
  /** The share of documents answered with 429 inside an answer; they do not reach the engine. */
  readonly items: number;
  /** A larger body is answered with 413. */
  readonly maxBodyBytes: number;
}

export interface BusyProxy extends AsyncDisposable {
  readonly url: string;
  /** Answers so far. */
  readonly answered: { requests429: number; items429: number; tooLarge: number };
}

type Random = () => number;

/** An HTTP proxy on loopback before a real engine that is too busy, at random from a seed. */
export async function startBusyProxy(target: string, busyness: Busyness, seed: number): Promise<BusyProxy> {
  const random = seededRandom(seed);
  const answered = { requests429: 0, items429: 0, tooLarge: 0 };
  const server = createServer((request, response) => {
    // The other end may leave at any time; tests look at what that leads to.
    answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const isBulk = request.url?.includes('/_bulk') ?? false;
    if (isBulk && body.length > busyness.maxBodyBytes) {
      answered.tooLarge += 1;
      return reply(response, 413, '{}');
    }
    if (isBulk && random() < busyness.requests) {
      answered.requests429 += 1;
      return reply(response, 429, '{"error":{"type":"circuit_breaking_exception","reason":"busy"},"status":429}');
    }
    if (!isBulk) return pass(request, body, response);
    await passSome(request, body.toString('utf8').trimEnd().split('\n'), response);
  }

  async function pass(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const passed = await send(request, body);
    return reply(response, passed.status, await passed.text());
  }

  async function passSome(request: IncomingMessage, lines: readonly string[], response: ServerResponse): Promise<void> {
    const pairs = lines.flatMap((line, at) => (at % 2 === 0 ? [{ action: line, document: lines[at + 1] ?? '' }] : []));
    const taken = pairs.map(() => random() >= busyness.items);
    const sent = pairs.filter((_, at) => taken[at]).map((pair) => `${pair.action}\n${pair.document}\n`);
    const passed = sent.length === 0 ? undefined : await send(request, Buffer.from(sent.join('')));
    const results = passed === undefined ? [] : (JSON.parse(await passed.text()).items as unknown[]);
    const items = pairs.map((pair, at) => {
      if (taken[at]) return results.shift();
      answered.items429 += 1;
      const { _id } = JSON.parse(pair.action).index;
      return { index: { _id, status: 429, error: { type: 'es_rejected_execution_exception', reason: 'busy' } } };
    });
    return reply(response, 200, JSON.stringify({ errors: true, items }));
  }

  function send(request: IncomingMessage, body: Buffer): Promise<Response> {
    const { accept, 'content-type': type } = request.headers;
    return fetch(new URL(request.url ?? '/', target), {
      method: request.method ?? 'GET',
      headers: { ...(accept && { accept }), ...(type && { 'content-type': type }) },
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    answered,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function reply(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': 'application/vnd.elasticsearch+json;compatible-with=9',
    'x-elastic-product': 'Elasticsearch',
  });
  response.end(body);
}

// mulberry32: small, and the same for the same seed.
function seededRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
