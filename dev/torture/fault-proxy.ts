import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * The proxy's treatment of connections, including open ones:
 * - `pass`: forwards everything
 * - `refuse`: nothing listens, open connections are reset
 * - `hang`: accepts everything, answers nothing
 * - `mute`: forwards requests, and drops the answers
 * - `cut`: forwards requests, and resets the connection in the middle of the answer
 * - `noise`: answers every request with random bytes
 * - `page`: answers every request with an HTML page, like a misconfigured proxy
 * - `busy`, `broken`: answers every request as Elasticsearch does when it has too much to do (429), or no master
 *   (503)
 * - `slow`: forwards everything, and delays answers
 */
export type Fault = 'pass' | 'refuse' | 'hang' | 'mute' | 'cut' | 'noise' | 'page' | 'busy' | 'broken' | 'slow';

export interface FaultProxy extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  set(fault: Fault): Promise<void>;
}

/** The delay of `slow`: far too long for people, too short for timeouts. */
const slowMs = 300;

const httpAnswer = (status: string, headers: string, body: string): string =>
  `HTTP/1.1 ${status}\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const ours = 'X-Elastic-Product: Elasticsearch\r\nContent-Type: application/vnd.elasticsearch+json;compatible-with=9';
const refusal = (status: number, type: string): string =>
  JSON.stringify({ error: { type, reason: 'not now, says 10.0.0.7', root_cause: [] }, status });

const canned: Partial<Record<Fault, string>> = {
  noise: '\u0000\u0001 no protocol at all\r\n\r\n',
  page: httpAnswer('200 OK', 'Content-Type: text/html', '<!doctype html><title>Welcome</title>'),
  busy: httpAnswer('429 Too Many Requests', ours, refusal(429, 'es_rejected_execution_exception')),
  broken: httpAnswer('503 Service Unavailable', ours, refusal(503, 'master_not_discovered_exception')),
};

/** A TCP proxy on loopback to a real engine, which simulates its failures. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const url = new URL(target);
  const sockets = new Set<Socket>();
  let fault: Fault = 'pass';

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // Resets are intended here. The other end notices them by itself.
    socket.on('error', () => undefined);
  }

  const server: Server = createServer((near) => {
    const far = connect(Number(url.port), url.hostname);
    keep(near);
    keep(far);
    near.on('data', (bytes) => {
      const answer = canned[fault];
      if (answer !== undefined) near.write(answer);
      else if (fault !== 'hang') far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (fault === 'cut') near.write(bytes.subarray(0, bytes.length / 2), () => near.resetAndDestroy());
      else if (fault === 'pass') near.write(bytes);
      else if (fault === 'slow') setTimeout(() => near.writable && near.write(bytes), slowMs);
    });
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });

  async function listen(port: number): Promise<void> {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  }

  async function stop(): Promise<void> {
    const closed = server.listening ? once(server, 'close') : Promise.resolve();
    server.close();
    for (const socket of sockets) sever(socket);
    await closed;
  }

  await listen(0);
  const { port } = server.address() as AddressInfo;
  const shown = new URL(target);
  shown.hostname = '127.0.0.1';
  shown.port = String(port);
  return {
    port,
    url: shown.href,
    async set(next) {
      const was = fault;
      fault = next;
      if (next === 'refuse' && was !== 'refuse') await stop();
      if (next !== 'refuse' && was === 'refuse') await listen(port);
      // A connection that hung never continues by itself.
      if (next === 'pass') for (const socket of sockets) sever(socket);
    },
    [Symbol.asyncDispose]: stop,
  };
}

/**
 * Resets a connection. A connection that is closing can't be reset any more, and Node would keep its handle forever.
 */
function sever(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
