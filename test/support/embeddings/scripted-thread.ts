import { parentPort, threadId } from 'node:worker_threads';
import type { ThreadAnswer, ThreadOrder } from '../../../src/embeddings/local/model-thread.ts';

// Replaces a model's thread. Some texts make it fail; the vector of others is the thread's number.

const answer = (message: ThreadAnswer): void => parentPort?.postMessage(message);

parentPort?.on('message', (order: ThreadOrder) => {
  const text = order === 'stop' ? 'end' : order.text;
  if (text === 'end') parentPort?.close();
  else if (text === 'crash') throw new Error('crashed');
  else if (text === 'stick') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  else if (text === 'refuse') answer({ type: 'failed', message: 'refused' });
  else if (text === 'lack a file') answer({ type: 'unusable', message: 'a file is missing' });
  else answer({ type: 'vector', vector: Float32Array.of(threadId) });
});
