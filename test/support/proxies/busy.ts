import type { ServerResponse } from 'node:http';
import { seededRandom } from '../../../dev/torture/random.ts';
import { type EngineRequest, forward, reply, replyWith, startEngineProxy } from './elasticsearch.ts';

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
  readonly answered: { requests429: number; items429: number; tooLarge: number };
}

/** An HTTP proxy on loopback before a real engine that is too busy, at random from a seed. */
export async function startBusyProxy(target: string, busyness: Busyness, seed: number): Promise<BusyProxy> {
  const random = seededRandom(seed).next;
  const answered = { requests429: 0, items429: 0, tooLarge: 0 };

  async function passSome(request: EngineRequest, response: ServerResponse): Promise<void> {
    const lines = request.body.toString('utf8').trimEnd().split('\n');
    const pairs = lines.flatMap((line, at) => (at % 2 === 0 ? [{ action: line, document: lines[at + 1] ?? '' }] : []));
    const taken = pairs.map(() => random() >= busyness.items);
    const sent = pairs.filter((_, at) => taken[at]).map((pair) => `${pair.action}\n${pair.document}\n`);
    const body = Buffer.from(sent.join(''));
    const passed = sent.length === 0 ? undefined : await forward(target, { ...request, body });
    const results = passed === undefined ? [] : (JSON.parse(await passed.text()).items as unknown[]);
    const items = pairs.map((pair, at) => {
      if (taken[at]) return results.shift();
      answered.items429 += 1;
      const { _id } = JSON.parse(pair.action).index;
      return { index: { _id, status: 429, error: { type: 'es_rejected_execution_exception', reason: 'busy' } } };
    });
    reply(response, 200, JSON.stringify({ errors: true, items }));
  }

  const server = await startEngineProxy(async (request, response) => {
    if (!request.path.includes('/_bulk')) return replyWith(response, await forward(target, request));
    if (request.body.length > busyness.maxBodyBytes) {
      answered.tooLarge += 1;
      return reply(response, 413, '{}');
    }
    if (random() >= busyness.requests) return passSome(request, response);
    answered.requests429 += 1;
    reply(response, 429, '{"error":{"type":"circuit_breaking_exception","reason":"busy"},"status":429}');
  });
  return { url: server.url, answered, [Symbol.asyncDispose]: server.close };
}
