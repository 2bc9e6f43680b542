import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { loadModel } from './load-model.ts';
import { firstVector, localModel, shortened, truncated } from './local-model.ts';
import type { TextMessage, ThreadAnswer, ThreadData, ThreadOrder } from './model-thread.ts';

// The thread of a model. Its computation would block the event loop of the service.

const port = parentPort;
if (port === null) throw new Error('This file is not a program; start it as a worker thread.');
const answer = (message: ThreadAnswer): void => port.postMessage(message);
// Only model-thread.ts starts the thread.
const { modelPath, isBackground } = workerData as ThreadData;
if (isBackground) lowerPriority();

const loading = loadModel(modelPath).catch((error: unknown) => textOf(error));
let last: Promise<void> = Promise.resolve();
port.on('message', (order: ThreadOrder) => {
  // The open port is all that keeps the thread alive.
  if (order === 'stop') void last.then(() => port.close());
  else last = embed(order);
});

async function embed({ text, tokensMax }: TextMessage): Promise<void> {
  const loaded = await loading;
  if (typeof loaded === 'string') return answer({ type: 'unusable', message: loaded });
  try {
    const tokens = truncated(loaded.tokensOf(shortened(text, tokensMax)), tokensMax);
    answer({ type: 'vector', vector: firstVector(await loaded.statesOf(tokens), localModel.dimension) });
  } catch (error) {
    answer({ type: 'failed', message: textOf(error) });
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
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
