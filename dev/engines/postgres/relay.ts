import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP address on loopback that stays the same, whichever server answers behind it. */
export interface Relay extends AsyncDisposable {
  readonly port: number;
  /** Resets all present and later connections: for both ends, the other one has vanished. */
  cut(): void;
}

export async function startRelay(target: () => number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // Resets are intended here. Each end notices them by itself.
    socket.on('error', () => undefined);
  };
  const server = createServer({ noDelay: true }, (near) => {
    keep(near);
    if (isCut) {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ port: target(), host: '127.0.0.1', noDelay: true });
    keep(far);
    near.pipe(far);
    far.pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    [Symbol.asyncDispose]: async () => {
      cut();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}
