import { type EngineRequest, forward, replyWith, startEngineProxy } from './elasticsearch.ts';

/** An HTTP proxy in front of Elasticsearch that can delay requests. */
export interface LateProxy extends AsyncDisposable {
  readonly url: string;
  /** Keeps the next request whose path contains a text, and cuts its sender's connection. */
  holdNext(path?: string): void;
  /** Number of kept requests. */
  readonly held: number;
  /** Delivers the kept requests, each this many times, the last one first. Returns the engine's answers. */
  release(times?: number): Promise<readonly string[]>;
}

export async function startLateProxy(target: string): Promise<LateProxy> {
  const held: EngineRequest[] = [];
  let holding: string[] = [];
  const server = await startEngineProxy(async (request, response) => {
    const awaited = holding.findIndex((path) => request.method !== 'GET' && request.path.includes(path));
    if (awaited < 0) return replyWith(response, await forward(target, request));
    holding = holding.toSpliced(awaited, 1);
    held.push(request);
    response.destroy();
  });
  return {
    url: server.url,
    holdNext: (path = '/_bulk') => void holding.push(path),
    get held() {
      return held.length;
    },
    async release(times = 1) {
      const answers: string[] = [];
      for (const request of held.splice(0).reverse()) {
        for (let time = 0; time < times; time += 1) answers.push(await (await forward(target, request)).text());
      }
      return answers;
    },
    [Symbol.asyncDispose]: server.close,
  };
}
