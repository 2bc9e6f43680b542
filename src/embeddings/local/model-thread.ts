import { Worker } from 'node:worker_threads';
import { EmbeddingError, type EmbeddingFailure } from '../provider.ts';
import type { TextMessage, ThreadData, ThreadMessage, ThreadOrder } from './messages.ts';

/** A model at work in a thread of its own, which takes one text at a time. */
export interface ModelThread {
  /** Resolves when the model is loaded. Rejects with `EmbeddingError`. */
  readonly ready: Promise<void>;
  /** Resolves when the thread has ended, whatever the reason. */
  readonly ended: Promise<void>;
  /** Rejects with `EmbeddingError`. */
  embed(message: TextMessage): Promise<Float32Array>;
  /**
   * Lets it end when it is done with what it does. It is never terminated: machine code that comes back to a thread that
   * is being terminated ends the whole process.
   */
  stop(): void;
}

/** JavaScript's own memory in the thread; the model is outside of it. */
const heapMb = 128;

/** Starts the thread. It keeps the process from ending only while it has something to do. */
export function startModelThread(data: ThreadData): ModelThread {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: data,
    // It needs none of the process's secrets, and none of its flags.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  const tell = (order: ThreadOrder): void => worker.postMessage(order);
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let pending: PromiseWithResolvers<Float32Array> | null = null;

  /** What is waited for has an outcome, and nobody need wait for the process any more. */
  const settle = (act: (waiting: PromiseWithResolvers<Float32Array> | null) => void): void => {
    worker.unref();
    act(pending);
    pending = null;
  };
  const fail = (reason: EmbeddingFailure, message: string, options?: ErrorOptions): void => {
    const error = new EmbeddingError(reason, message, options);
    ready.reject(error);
    settle((waiting) => waiting?.reject(error));
  };
  worker.on('message', (message: ThreadMessage) => {
    if (message.type === 'ready') settle(() => ready.resolve());
    else if (message.type === 'unusable') fail('misconfigured', message.message);
    else if (message.type === 'vector') settle((waiting) => waiting?.resolve(message.vector));
    else
      settle((waiting) =>
        waiting?.reject(new EmbeddingError('rejected', `The model can't read a text: ${message.message}`)),
      );
  });
  worker.on('error', (cause) => fail('unreachable', 'The thread of the model has failed.', { cause }));
  worker.on('exit', () => {
    fail('unreachable', 'The thread of the model has ended.');
    ended.resolve();
  });
  // Whoever starts the thread waits for it; that nobody does is no error of its own.
  ready.promise.catch(() => undefined);
  return {
    ready: ready.promise,
    ended: ended.promise,
    embed(message) {
      tell({ type: 'embed', message });
      worker.ref();
      const waiting = Promise.withResolvers<Float32Array>();
      pending = waiting;
      return waiting.promise;
    },
    stop: () => tell({ type: 'stop' }),
  };
}
