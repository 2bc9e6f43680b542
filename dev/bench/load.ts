import autocannon from 'autocannon';

export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Load {
  readonly url: string;
  readonly requests: readonly LoadRequest[];
  readonly connections: number;
  readonly seconds: number;
  readonly status: number;
  readonly signal: AbortSignal;
}

/** An answer under load did not have the expected status. */
export class WrongAnswerError extends Error {
  override readonly name = 'WrongAnswerError';
}

export async function underLoad(load: Load): Promise<number> {
  const { url, requests, connections, seconds, status, signal } = load;
  signal.throwIfAborted();
  const mix = requests.map(({ headers, ...request }) => ({ ...request, headers: { ...headers } }));
  let begun = 0;
  const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>();
  const options: autocannon.Options = {
    url,
    connections,
    duration: seconds,
    timeout: 30,
    setupClient(client) {
      const from = Math.floor((begun * mix.length) / connections);
      begun += 1;
      client.setRequests([...mix.slice(from), ...mix.slice(0, from)]);
    },
  };
  const running = autocannon(options, (error: unknown, result) => (error ? reject(error) : resolve(result)));
  const stop = (): void => running.stop();
  signal.addEventListener('abort', stop, { once: true });
  const result = await promise.finally(() => signal.removeEventListener('abort', stop));
  signal.throwIfAborted();
  const right = result.statusCodeStats?.[`${status}`]?.count ?? 0;
  const total = result['1xx'] + result['2xx'] + result['3xx'] + result['4xx'] + result['5xx'];
  if (result.errors > 0 || right < total || right === 0) {
    throw new WrongAnswerError(
      `${right} of ${total} answers under load had status ${status} (${JSON.stringify(result.statusCodeStats)}), and ${result.errors} did not arrive.`,
    );
  }
  return right / result.duration;
}
