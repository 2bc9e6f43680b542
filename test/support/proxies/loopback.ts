import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on loopback that can be down for a while. */
export interface LoopbackServer extends AsyncDisposable {
  readonly url: string;
  /** Listens again, at the same address. */
  listen(): Promise<void>;
  /** Cuts all connections, and refuses new ones. */
  close(): Promise<void>;
}

export async function startLoopback(listener: RequestListener): Promise<LoopbackServer> {
  const server = createServer(listener);
  let port = 0;
  const listen = async (): Promise<void> => {
    if (server.listening) return;
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  };
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  await listen();
  return { url: `http://127.0.0.1:${port}`, listen, close, [Symbol.asyncDispose]: close };
}

/** Answers unless the caller has left. */
export function send(response: ServerResponse, status: number, body: string, type = 'application/json'): void {
  if (!response.destroyed) response.writeHead(status, { 'content-type': type }).end(body);
}
