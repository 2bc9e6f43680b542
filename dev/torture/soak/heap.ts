import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { until } from '../../lib/processes.ts';

/** Asks a process, through Node's inspector, what its heap holds when all garbage is collected. */
export interface HeapProbe {
  /** In megabytes. */
  measure(): Promise<number>;
  close(): void;
}

const address = /Debugger listening on (ws:\/\/127\.0\.0\.1:\S+)/;
const startMs = 10_000;
const reply = z.object({ id: z.int(), result: z.looseObject({ usedSize: z.number().optional() }) });

/** @param logFile output of the process, which names the address of its inspector */
export async function heapAfterGc(logFile: string): Promise<HeapProbe> {
  const listens = (): boolean => address.test(readFileSync(logFile, 'utf8'));
  if (!(await until(listens, { timeoutMs: startMs }))) throw new Error(`No inspector listens, says ${logFile}.`);
  const [, url = ''] = address.exec(readFileSync(logFile, 'utf8')) ?? [];
  const socket = new WebSocket(url);
  const opened = Promise.withResolvers<void>();
  socket.addEventListener('open', () => opened.resolve(), { once: true });
  socket.addEventListener('error', () => opened.reject(new Error(`The inspector at ${url} does not answer.`)), {
    once: true,
  });
  await opened.promise;
  const waiting = new Map<number, (usedSize: number | undefined) => void>();
  socket.addEventListener('message', ({ data }) => {
    const parsed = reply.safeParse(JSON.parse(String(data)));
    if (parsed.success) waiting.get(parsed.data.id)?.(parsed.data.result.usedSize);
  });
  let asked = 0;
  const call = (method: string): Promise<number | undefined> => {
    asked += 1;
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    waiting.set(asked, resolve);
    socket.send(JSON.stringify({ id: asked, method }));
    return promise;
  };
  return {
    async measure() {
      await call('HeapProfiler.collectGarbage');
      return ((await call('Runtime.getHeapUsage')) ?? Number.NaN) / 1_048_576;
    },
    close: () => socket.close(),
  };
}
