import { createServer } from 'node:net';
import { hasCode } from './processes.ts';

const loopback = '127.0.0.1';

/** Returns true if a server could listen on this loopback port now. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await tryListen(port)) !== undefined;
}

/** Returns a free loopback port, chosen by the operating system. */
async function findFreePort(): Promise<number> {
  const port = await tryListen(0);
  if (port === undefined) throw new Error('No free port is left on 127.0.0.1: end some programs that listen there.');
  return port;
}

/** Returns the preferred port if it is free, so that addresses survive restarts, otherwise another one. */
export async function choosePort(wanted: number | undefined, taken: readonly number[] = []): Promise<number> {
  if (wanted !== undefined && !taken.includes(wanted) && (await isPortFree(wanted))) return wanted;
  const port = await findFreePort();
  return taken.includes(port) ? choosePort(undefined, taken) : port;
}

/** The first port and two more. */
const portsTried = 3;

/**
 * Starts a server on a free port, preferably `wanted`. If the start fails and the port is taken, another program was
 * faster: tries again with another port.
 */
export async function startOnFreePort<Started>(
  start: (port: number) => Promise<Started>,
  wanted?: number,
  signal?: AbortSignal,
): Promise<Started> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort(attempt === 1 ? wanted : undefined);
    try {
      return await start(port);
    } catch (error) {
      if (attempt < portsTried && !signal?.aborted && !(await isPortFree(port))) continue;
      throw error;
    }
  }
}

function tryListen(port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      if (hasCode(error, 'EADDRINUSE') || hasCode(error, 'EACCES')) resolve(undefined);
      else reject(error);
    });
    server.listen({ port, host: loopback, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : undefined;
      server.close(() => resolve(bound));
    });
  });
}
