import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { pooled, shortened, truncated } from './encoding.ts';
import { loadModel } from './load-model.ts';
import type { TextMessage, ThreadData, ThreadMessage, ThreadOrder } from './messages.ts';

// The thread of a model. It computes without a pause, which the event loop of a service could not stand.

const port = parentPort;
if (port === null) throw new Error('This is no program: it is started as a thread.');
const send = (message: ThreadMessage): void => port.postMessage(message);
// Only the code beside this file starts the thread.
const { model, modelPath, isBackground } = workerData as ThreadData;
if (isBackground) letOthersComeFirst();

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
    // Nothing else keeps the thread.
    else void last.then(() => port.close());
  });
  send({ type: 'ready' });
} catch (error) {
  send({ type: 'unusable', message: error instanceof Error ? error.message : String(error) });
}

function letOthersComeFirst(): void {
  // Elsewhere it would be the priority of the whole process.
  if (process.platform !== 'linux') return;
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A container may forbid it: then the thread is one among others.
  }
}
