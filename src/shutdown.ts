import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** How a server drains. Times in milliseconds. */
interface DrainSettings {
  /** How long idle connections stay open, so that a request already on its way is answered. */
  readonly graceMs: number;
  /** After this everything that is still open is cut. */
  readonly timeoutMs: number;
}

/** Ends a server without losing a request; resolves with the number of requests that had to be cut. */
export type Drain = (settings: DrainSettings) => Promise<number>;

/**
 * Makes a server drainable; to be called before it listens.
 *
 * Draining: accept no more connections; tell every caller with the answer to its present or next request that the
 * connection closes; after a grace close the connections on which nothing happens; cut the rest at the time-out.
 * Node's own `server.close()` would close idle connections at once, under requests that are already on their way.
 */
export function drainable(server: Server): Drain {
  // By connection: when one closes, Node emits `close` on the answer whose turn it is, and not on those queued behind.
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
    // Those on which nothing ever came are not idle in Node's eyes.
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
    // Only stops accepting: the HTTP server's method would do more than that.
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
    // Now that nothing is open, this only stops the server's own timer.
    server.close();
    return cut;
  };
}
