import { Agent, request } from 'node:http';
import type { LoadRequest } from './load.ts';

export class SequentialClient implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** The milliseconds until the whole answer was there. Rejects for a status other than 200. */
  ask({ method, path, headers = {}, body }: LoadRequest): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const startedMs = performance.now();
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const options = { agent: this.#agent, method, headers: { ...headers, ...length } };
    const sending = request(`${this.#url}${path}`, options, (response) => {
      response.on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - startedMs);
        else reject(new Error(`${method} ${path} was answered with ${response.statusCode}`));
      });
      response.on('error', reject).resume();
    });
    sending.once('error', reject);
    sending.end(body);
    return promise;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
