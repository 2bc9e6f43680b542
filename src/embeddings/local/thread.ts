import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { pooled, shortened, truncated } from './encoding.ts';
import { loadModel } from './load-model.ts';
import type { TextMessage, ThreadData, ThreadMessage, ThreadOrder } from './messages.ts';

// The thread of a model. Its computation would block the event loop of the service.

const port = parentPort;
if (port === null) throw new Error('This file is not a program; start it as a worker thread.');
const send = (message: ThreadMessage): void => port.postMessage(message);
// Only model-thread.ts starts the thread.
const { model, modelPath, isBackground } = workerData as ThreadData;
if (isBackground) lowerPriority();

try {
  const loaded = await loadModel(modelPath);
  const embed = async ({ text, tokensMax }: TextMessage): Promise<void> => {
    try {
      const tokens = truncated(loaded.tokensOf(shortened(text, tokensMax)), tokensMax);
      send({ type: 'vector', vector: pooled(await loaded.statesOf(tokens), model) });
    } catch (error) {
      send({ type: 'failed', message: String(error) });
    }
  };
  let last: Promise<void> = Promise.resolve();
  port.on('message', (order: ThreadOrder) => {
    if (order.type === 'embed') last = embed(order.message);
    // The open port is all that keeps the thread alive.
    else void last.then(() => port.close());
  });
  send({ type: 'ready' });
} catch (error) {
  send({ type: 'unusable', message: error instanceof Error ? error.message : String(error) });
}

function lowerPriority(): void {
  // On other systems this would set the priority of the whole process.
  if (process.platform !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A container may forbid it. Then the thread keeps the normal priority.
  }
}
