import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** Times of a drain, in milliseconds. */
interface DrainSettings {
  /** Time for which idle connections stay open, so that requests on their way are answered. */
  readonly graceMs: number;
  /** Time after which all open connections are cut. */
  readonly timeoutMs: number;
}

/** Closes a server without losing a request. Resolves with the number of requests that were cut. */
export type Drain = (settings: DrainSettings) => Promise<number>;

/**
 * Makes a server drainable. Must be called before it listens.
 *
 * A drain accepts no new connections and sends `Connection: close` with each answer. It closes idle connections after a
 * grace period, and cuts the rest at the timeout. Node's `server.close()` would close idle connections at once,
 * although requests may be on their way.
 */
export function drainable(server: Server): Drain {
  // Counted per connection: when one closes, Node emits `close` only on its current answer, and not on those queued
  // behind it.
  const sockets = new Map<Socket, Set<ServerResponse>>();
  let draining = false;
  server.on('connection', (socket: Socket) => {
    sockets.set(socket, new Set());
    socket.once('close', () => sockets.delete(socket));
  });
  server.prependListener('request', ({ socket }, response: ServerResponse) => {
    if (draining) response.setHeader('Connection', 'close');
    const answering = sockets.get(socket);
    answering?.add(response);
    response.once('close', () => answering?.delete(response));
  });
  const unanswered = () => [...sockets.values()].flatMap((answering) => [...answering]);

  const closeQuiet = () => {
    server.closeIdleConnections();
    // Node doesn't count connections without any request as idle.
    for (const socket of sockets.keys()) {
      if (socket.bytesRead === 0) socket.destroy();
    }
  };

  return async ({ graceMs, timeoutMs }) => {
    draining = true;
    for (const response of unanswered()) {
      if (!response.headersSent) response.setHeader('Connection', 'close');
    }
    const closed = Promise.withResolvers<void>();
    // Only stops accepting connections. The HTTP server's own method would also close idle ones.
    NetServer.prototype.close.call(server, () => closed.resolve());
    let cut = 0;
    const grace = setTimeout(closeQuiet, Math.min(graceMs, timeoutMs));
    const end = setTimeout(() => {
      cut = unanswered().length;
      server.closeAllConnections();
    }, timeoutMs);
    await closed.promise;
    clearTimeout(grace);
    clearTimeout(end);
    // No connection is open any more, so this only stops the server's timer.
    server.close();
    return cut;
  };
}
