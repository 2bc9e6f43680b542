import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { realClock } from './in-process.ts';

/** Connections that have sent requests and read nothing, or very slowly. */
export interface SilentClients extends AsyncDisposable {
  readonly sockets: readonly Socket[];
}

export interface Silence {
  readonly port: number;
  readonly connections: number;
  /** The bytes that each of them sends. */
  readonly request: string;
  /** Reads a byte a second instead of nothing. */
  readonly dripping?: boolean;
}

/** Number of clients that connect before other work gets its turn. */
const together = 50;
const dripMs = 1_000;

export async function silentClients({ port, connections, request, dripping }: Silence): Promise<SilentClients> {
  const sockets: Socket[] = [];
  for (let made = 0; made < connections; made += 1) {
    // With one byte of room, it reads one byte and stops.
    const slow = { onread: { buffer: Buffer.alloc(1), callback: () => false } };
    const socket = connect({ port, host: '127.0.0.1', ...(dripping ? slow : {}) });
    if (!dripping) socket.pause();
    // The connection may be cut.
    socket.on('error', () => undefined);
    socket.write(request);
    sockets.push(socket);
    if (made % together === together - 1) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const drip = setInterval(() => {
    if (dripping) for (const socket of sockets) if (!socket.destroyed) socket.resume();
  }, dripMs);
  return {
    sockets,
    [Symbol.asyncDispose]: async () => {
      clearInterval(drip);
      for (const socket of sockets) socket.resetAndDestroy();
    },
  };
}

/** Returns a process's present and peak memory in megabytes. */
export function memoryOf(pid: number | undefined): { readonly now: number; readonly most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string): number =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_024);
  return { now: megabytes('VmRSS'), most: megabytes('VmHWM') };
}

/** Makes the present memory of a process its peak. */
export function forgetPeak(pid: number | undefined): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Requests health on a new connection. Returns the milliseconds until the whole answer arrived. */
export async function freshHealth(port: number): Promise<{ readonly status: number; readonly ms: number }> {
  const startedMs = realClock.elapsed();
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /api/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  let text = '';
  for await (const chunk of socket) text += chunk;
  return { status: Number(text.split(' ')[1]), ms: realClock.elapsed() - startedMs };
}
