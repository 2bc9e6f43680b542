import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * What the proxy does with connections, those that are open included:
 * - `pass`: hands all on
 * - `refuse`: nothing listens, open connections are reset
 * - `hang`: takes everything, answers nothing
 * - `mute`: hands requests on, and swallows the answers
 * - `cut`: hands requests on, and resets the connection in the middle of the answer
 * - `noise`: answers every request with bytes that are no protocol
 * - `page`: answers every request with an HTML page, as a wrong proxy on the way would
 */
export type Fault = 'pass' | 'refuse' | 'hang' | 'mute' | 'cut' | 'noise' | 'page';

export interface FaultProxy extends AsyncDisposable {
  readonly port: number;
  /** The address of the other side, with the proxy in place of its host and port. */
  readonly url: string;
  set(fault: Fault): Promise<void>;
}

const page = '<!doctype html><title>Welcome</title>';
const canned: Partial<Record<Fault, string>> = {
  noise: '\u0000\u0001 no protocol at all\r\n\r\n',
  page: `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${page.length}\r\n\r\n${page}`,
};

/** A TCP proxy on loopback to a real engine, which is made to fail by it. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const url = new URL(target);
  const sockets = new Set<Socket>();
  let fault: Fault = 'pass';

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // A reset is what these tests are about: whoever was talking notices it on its side.
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
      // What hung under a fault never goes on by itself.
      if (next === 'pass') for (const socket of sockets) sever(socket);
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** Resets a connection. One that has begun to end can't be reset any more, and Node would keep its handle for ever. */
function sever(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
