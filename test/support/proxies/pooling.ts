import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import pg from 'pg';

/** Works in front of a database like PgBouncer in transaction mode. */
export interface PoolingProxy extends AsyncDisposable {
  /** The address of the database, with the proxy in place of its host and port. */
  readonly url: string;
}

/** A connection to Postgres, lent to a client from its first message until the server reports "idle". */
interface ServerConnection {
  readonly stream: Socket;
  onData: (bytes: Buffer) => void;
}

const sslRequest = 80_877_103;
const readyForQuery = 0x5a;
const terminate = 0x58;
const idle = 0x49;

/**
 * A pooler in transaction mode on loopback: a server connection belongs to a client for one transaction, and the one
 * that was given back last is lent next. @param most server connections; clients beyond wait
 */
export async function startPoolingProxy(target: string, most = 10): Promise<PoolingProxy> {
  const pool = new ServerPool(target, most);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // 'close' informs the pool that a client has left.
    socket.on('error', () => undefined);
    serve(socket, pool);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
      pool.close();
    },
  };
}

class ServerPool {
  readonly #target: string;
  readonly #most: number;
  readonly #all = new Set<ServerConnection>();
  readonly #idle: ServerConnection[] = [];
  readonly #waiting: ((connection: ServerConnection) => void)[] = [];
  #opened = 0;

  constructor(target: string, most: number) {
    this.#target = target;
    this.#most = most;
  }

  async take(): Promise<ServerConnection> {
    const free = this.#idle.pop();
    if (free !== undefined) return free;
    if (this.#opened >= this.#most) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#opened += 1;
    return this.#open();
  }

  giveBack(connection: ServerConnection): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(connection);
    else next(connection);
  }

  /** A transaction was left in the middle. */
  drop(connection: ServerConnection): void {
    this.#all.delete(connection);
    this.#opened -= 1;
    connection.stream.destroy();
  }

  close(): void {
    for (const { stream } of this.#all) stream.destroy();
  }

  /** Authenticated by the driver, then taken from it: what follows is handed on as it is. */
  async #open(): Promise<ServerConnection> {
    const client = new pg.Client({ connectionString: this.#target });
    client.on('error', () => undefined);
    await client.connect();
    // The driver's own socket, which its types keep to themselves.
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    stream.removeAllListeners('data');
    const connection: ServerConnection = { stream, onData: () => undefined };
    stream.on('data', (bytes) => connection.onData(bytes));
    this.#all.add(connection);
    return connection;
  }
}

/** Cuts a stream of messages, each a type, a length and a body. */
class Frames {
  #rest = Buffer.alloc(0);

  push(bytes: Buffer): readonly Buffer[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const frames: Buffer[] = [];
    while (this.#rest.length >= 5) {
      const length = this.#rest.readInt32BE(1) + 1;
      if (this.#rest.length < length) break;
      frames.push(this.#rest.subarray(0, length));
      this.#rest = this.#rest.subarray(length);
    }
    return frames;
  }
}

function serve(socket: Socket, pool: ServerPool): void {
  const fromClient = new Frames();
  let fromServer = new Frames();
  let started = false;
  let lent: Promise<ServerConnection> | undefined;

  const lend = (): Promise<ServerConnection> => {
    fromServer = new Frames();
    return pool.take().then((connection) => {
      connection.onData = (bytes) => {
        socket.write(bytes);
        const last = fromServer.push(bytes).at(-1);
        if (last?.[0] !== readyForQuery || last[5] !== idle) return;
        lent = undefined;
        pool.giveBack(connection);
      };
      return connection;
    });
  };

  socket.on('data', (bytes) => {
    if (!started) {
      if (bytes.readInt32BE(4) === sslRequest) return void socket.write('N');
      started = true;
      return void socket.write(greeting);
    }
    for (const frame of fromClient.push(bytes)) {
      if (frame[0] === terminate) return void socket.end();
      lent ??= lend();
      void lent.then(({ stream }) => stream.write(frame));
    }
  });
  socket.once('close', () => void lent?.then((connection) => pool.drop(connection)));
}

/** AuthenticationOk, an unused cancellation key, as PgBouncer sends one, and "ready". */
const greeting = Buffer.concat([
  Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]),
  Buffer.from([0x4b, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 2]),
  Buffer.from([readyForQuery, 0, 0, 0, 5, idle]),
]);
