import { parentPort, workerData } from 'node:worker_threads';
import { explainError } from '../../indexer/errors.ts';
import { Backoff } from '../../src/lib/backoff.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { helpLoads } from './help-loads.ts';
import type { LoaderData, LoaderMessage } from './messages.ts';

// A thread that helps with every load of the reindex that started it, until it is told to stop.

const port = parentPort;
if (port === null) throw new Error('This is no program: it is started as a thread.');
// Only the code beside this file starts the thread.
const data = workerData as LoaderData;
const stopping = new AbortController();
const { signal } = stopping;
port.on('message', () => stopping.abort(new Error('The reindex has ended.')));

const pauses = new Backoff({ firstPauseMs: 500, longestPauseMs: 30_000 }, () => 0.5);
while (!signal.aborted) {
  try {
    await helpLoads(data, data.kinds, { signal, patienceMs: Number.POSITIVE_INFINITY, name: data.name });
    pauses.reset();
  } catch (error) {
    if (signal.aborted) break;
    // What it had claimed is loaded by others meanwhile.
    port.postMessage({ type: 'trouble', text: explainError(error) } satisfies LoaderMessage);
    await sleep(pauses.next(), signal).catch(() => undefined);
  }
}
port.close();
