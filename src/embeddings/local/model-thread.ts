import { Worker } from 'node:worker_threads';
import { EmbeddingError, type EmbeddingFailure } from '../provider.ts';
import type { TextMessage, ThreadData, ThreadMessage, ThreadOrder } from './messages.ts';

/** A model in its own thread, which embeds one text at a time. */
export interface ModelThread {
  /** Resolves when the model is loaded. Rejects with `EmbeddingError`. */
  readonly ready: Promise<void>;
  /** Resolves when the thread has ended, whatever the reason. */
  readonly ended: Promise<void>;
  /** Rejects with `EmbeddingError`. */
  embed(message: TextMessage): Promise<Float32Array>;
  /**
   * Ends the thread after its current text. It is never terminated: native code that returns to a terminating thread
   * crashes the process.
   */
  stop(): void;
}

/** JavaScript heap of the thread. The model is outside of it. */
const heapMb = 128;

/** Starts the thread. It keeps the process alive only while it has work. */
export function startModelThread(data: ThreadData): ModelThread {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: data,
    // The thread gets neither the process's secrets nor its flags.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  const send = (order: ThreadOrder): void => worker.postMessage(order);
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let pending: PromiseWithResolvers<Float32Array> | null = null;

  /** Settles the pending text and lets the process end. */
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
  // A failure without a waiting caller is not an unhandled rejection.
  ready.promise.catch(() => undefined);
  return {
    ready: ready.promise,
    ended: ended.promise,
    embed(message) {
      send({ type: 'embed', message });
      worker.ref();
      const waiting = Promise.withResolvers<Float32Array>();
      pending = waiting;
      return waiting.promise;
    },
    stop: () => send({ type: 'stop' }),
  };
}
