import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP server between one explored program and a service that it needs. */
export interface LoopbackServer extends AsyncDisposable {
  readonly url: string;
  closeAllConnections(): void;
}

/** Listens on a free port of the loopback address. A request whose answer rejects is cut off. */
export async function startLoopbackServer(
  answer: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<LoopbackServer> {
  const server = createServer((incoming, response) => {
    // Intended: a program may be cut off, or stop waiting.
    answer(incoming, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    closeAllConnections: () => server.closeAllConnections(),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
