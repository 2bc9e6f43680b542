import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { send, startLoopback } from './loopback.ts';

/** The parameters of `eth_getLogs`. */
interface BlockFilter {
  readonly fromBlock: string;
  readonly toBlock: string;
}

export type NodeBehaviour = (request: NodeRequest) => Promise<void> | void;

export interface NodeRequest {
  readonly method: string;
  readonly id: unknown;
  readonly params: readonly BlockFilter[];
  readonly response: ServerResponse;
  /** Forwards the request to the real node, and returns its answer. */
  forward(): Promise<void>;
}

/** A real node of a chain, whose answers can be replaced. */
export interface NodeProxy extends AsyncDisposable {
  readonly url: string;
  /** Bytes that `endless` has sent. */
  sent: number;
  /** Number of calls of each method. */
  readonly asked: Map<string, number>;
  /** Sets what happens to all further requests, or to those of some methods. */
  set(behaviour: NodeBehaviour, methods?: readonly string[]): void;
}

const json = { 'content-type': 'application/json' } as const;

const failing = (error: object) => (request: NodeRequest) =>
  send(request.response, 200, JSON.stringify({ jsonrpc: '2.0', id: request.id, error }));

/** Ways of a broken or hostile node. */
export const nodeFaults = {
  honest: (request: NodeRequest) => request.forward(),
  never: () => undefined,
  cut: ({ response }: NodeRequest) => void response.socket?.resetAndDestroy(),
  html: ({ response }: NodeRequest) => send(response, 200, '<!doctype html><title>10.0.0.7</title>', 'text/html'),
  error500: ({ response }: NodeRequest) => send(response, 500, 'boom at https://key@10.0.0.7/'),
  busy: failing({ code: -32005, message: 'limit exceeded, see https://10.0.0.7/?key=secret-of-the-node' }),
  garbage: ({ response }: NodeRequest) => send(response, 200, '{"jsonrpc":"2.0","resu'),
  wrongShape: (request: NodeRequest) =>
    send(request.response, 200, JSON.stringify({ jsonrpc: '2.0', id: request.id, result: { a: 1 } })),
  saying: (message: string) => failing({ code: -32000, message }),
  redirect: ({ response }: NodeRequest) => void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
} as const;

const bytesMax = 100 * 1_048_576;

export async function startNodeProxy(target: string): Promise<NodeProxy> {
  let usual: NodeBehaviour = nodeFaults.honest;
  const special = new Map<string, NodeBehaviour>();
  const asked = new Map<string, number>();
  const server = await startLoopback((incoming, response) => {
    response.on('error', () => undefined);
    void text(incoming).then((body) => {
      const { method, id, params = [] }: Pick<NodeRequest, 'method' | 'id' | 'params'> = JSON.parse(body);
      asked.set(method, (asked.get(method) ?? 0) + 1);
      const forward = async (): Promise<void> => {
        const real = await fetch(target, { method: 'POST', headers: json, body });
        send(response, real.status, await real.text());
      };
      return (special.get(method) ?? usual)({ method, id, params, response, forward });
    });
  });
  return {
    url: server.url,
    sent: 0,
    asked,
    set(behaviour, methods) {
      special.clear();
      usual = methods === undefined ? behaviour : nodeFaults.honest;
      for (const method of methods ?? []) special.set(method, behaviour);
    },
    [Symbol.asyncDispose]: server.close,
  };
}

/** Answers with a text of a hundred megabytes, as fast as it is read, and counts the sent bytes. */
export const endless =
  (proxy: NodeProxy): NodeBehaviour =>
  async ({ id, response }) => {
    response.writeHead(200, json).write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":"`);
    const chunk = 'f'.repeat(65_536);
    for (let left = bytesMax; left > 0 && !response.destroyed; left -= chunk.length) {
      proxy.sent += chunk.length;
      if (!response.write(chunk)) await drainedOrClosed(response);
    }
    response.end('"}');
  };

function drainedOrClosed(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = (): void => {
    response.off('drain', done).off('close', done);
    resolve();
  };
  response.once('drain', done).once('close', done);
  return promise;
}
