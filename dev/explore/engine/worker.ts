import { parentPort, workerData } from 'node:worker_threads';
import { textOf } from './execution.ts';
import { type FromWorker, fulfil, type Order, type Shared } from './lane.ts';
import type { Scenario } from './types.ts';

/** The thread of a `workerLane`: does the orders that arrive, one after the other. */
const { module, shared } = workerData as { readonly module: string; readonly shared: Shared };
const port = parentPort;
if (!port) throw new Error('Not a worker thread.');
const send = (message: FromWorker): void => port.postMessage(message);
const loaded = import(module) as Promise<{ readonly scenarios: readonly Scenario[] }>;

async function obey(order: Order): Promise<void> {
  try {
    const { scenarios } = await loaded;
    const done = await fulfil(order, scenarios, shared, (jobs) => send({ type: 'donated', jobs }));
    send({ type: 'done', done });
  } catch (error) {
    send({ type: 'broken', message: textOf(error) });
  }
}

port.on('message', (order: Order) => void obey(order));
