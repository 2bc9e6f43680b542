import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { LoaderData, LoaderMessage, LoaderOrder } from './messages.ts';

/** A thread that does not end by itself is ended after this: a load's own draining, and a little more. */
const endMs = 10_000;

/**
 * Starts threads that help with the loads of a reindex, until they are disposed or the signal is aborted. Each reads and
 * sends by itself, on a core of its own where there is one.
 * @param onTrouble told in a sentence what keeps a thread from loading; it tries again
 */
export function startLoaders(
  count: number,
  data: LoaderData,
  { signal, onTrouble }: { readonly signal: AbortSignal; readonly onTrouble: (text: string) => void },
): AsyncDisposable {
  const loaders = Array.from({ length: count }, (_, at) =>
    startLoader({ ...data, name: `${data.name}, thread ${at + 2}` }, onTrouble),
  );
  const stop = (): void => {
    for (const { worker } of loaders) worker.postMessage({ type: 'stop' } satisfies LoaderOrder);
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return {
    async [Symbol.asyncDispose]() {
      signal.removeEventListener('abort', stop);
      stop();
      await Promise.all(loaders.map(endLoader));
    },
  };
}

interface Loader {
  readonly worker: Worker;
  readonly ended: Promise<void>;
}

function startLoader(data: LoaderData, onTrouble: (text: string) => void): Loader {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: data,
    // It is given what it needs, and none of the process's flags.
    env: {},
    execArgv: [],
  });
  worker.on('message', ({ text }: LoaderMessage) => onTrouble(text));
  worker.on('error', (error) => onTrouble(`It ended: ${error instanceof Error ? error.message : String(error)}`));
  return { worker, ended: once(worker, 'exit').then(() => undefined) };
}

async function endLoader({ worker, ended }: Loader): Promise<void> {
  const timer = setTimeout(() => void worker.terminate(), endMs);
  try {
    await ended;
  } finally {
    clearTimeout(timer);
  }
}
