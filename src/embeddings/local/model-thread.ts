import { Worker } from 'node:worker_threads';
import { withTimeout } from '../../lib/sleep.ts';
import { EmbeddingError, type EmbeddingFailure } from '../provider.ts';

export interface ThreadData {
  /** Folder of the model's files. */
  readonly modelPath: string;
  /** True if the thread has a lower priority than other threads. */
  readonly isBackground: boolean;
}

/** A text to embed. The next one is sent after its answer. */
export interface TextMessage {
  readonly text: string;
  readonly tokensMax: number;
}

/** An order to the thread. After `stop` it finishes its text and ends. */
export type ThreadOrder = TextMessage | 'stop';

/** The thread's answer to a text. It is `unusable` if the model can't be loaded. */
export type ThreadAnswer =
  | { readonly type: 'vector'; readonly vector: Float32Array }
  | { readonly type: 'failed' | 'unusable'; readonly message: string };

export interface ThreadOptions {
  readonly data: ThreadData;
  /** A thread that needs longer for one text is given up. */
  readonly stuckMs: number;
  readonly script?: URL;
}

/** JavaScript heap of the thread. The model is outside of it. */
const heapMb = 128;
/** Time that `stop` waits for the thread to end. A thread that loads its model ends only after that. */
const endMs = 2_000;

/**
 * A model in its own thread, which starts with the first text and embeds one text at a time. It keeps the process alive
 * only while it has work. After a failure, another thread starts with the next text, but not before the failed one has
 * ended. A thread is never terminated: native code that returns to a terminating thread crashes the process.
 */
export class ModelThread {
  readonly #options: ThreadOptions;
  #worker: Worker | null = null;
  #pending: PromiseWithResolvers<Float32Array> | null = null;
  /** The failure of a thread that has not ended yet. */
  #failure: EmbeddingError | null = null;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /**
   * Returns the vector of a text. Must not be called again before it has settled. Rejects with `EmbeddingError`. After
   * any reason other than `rejected`, there is no thread.
   */
  async embed(message: TextMessage): Promise<Float32Array> {
    if (this.#failure !== null) throw this.#failure;
    const { stuckMs } = this.#options;
    const pending = Promise.withResolvers<Float32Array>();
    const stuck = () => this.#fail('unreachable', `The local model is stuck for ${stuckMs} ms.`);
    const timer = setTimeout(stuck, stuckMs);
    try {
      this.#worker ??= this.#start();
      this.#pending = pending;
      this.#worker.ref();
      this.#worker.postMessage(message satisfies ThreadOrder);
      return await pending.promise;
    } catch (cause) {
      if (cause instanceof EmbeddingError) throw cause;
      throw new EmbeddingError('unreachable', 'The thread of the local model cannot be started.', { cause });
    } finally {
      clearTimeout(timer);
      this.#pending = null;
      this.#worker?.unref();
    }
  }

  /** Stops the thread. Resolves when it has ended, or after a timeout. */
  async stop(): Promise<void> {
    this.#worker?.postMessage('stop' satisfies ThreadOrder);
    await withTimeout(endMs, undefined, () => this.#ended);
  }

  #start(): Worker {
    const { data, script = new URL('./thread.ts', import.meta.url) } = this.#options;
    const worker = new Worker(script, {
      workerData: data,
      // The thread gets neither the process's secrets nor its flags.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    const ended = Promise.withResolvers<void>();
    this.#ended = ended.promise;
    worker.on('message', (answer: ThreadAnswer) => {
      if (answer.type === 'vector') this.#pending?.resolve(answer.vector);
      else if (answer.type === 'unusable') this.#fail('misconfigured', answer.message);
      else this.#pending?.reject(new EmbeddingError('rejected', `The model can't read a text: ${answer.message}`));
    });
    worker.on('error', (cause) => this.#fail('unreachable', 'The thread of the model has failed.', { cause }));
    worker.on('exit', () => {
      this.#worker = null;
      this.#pending?.reject(new EmbeddingError('unreachable', 'The thread of the model has ended.'));
      this.#failure = null;
      ended.resolve();
    });
    return worker;
  }

  #fail(reason: EmbeddingFailure, message: string, options?: ErrorOptions): void {
    this.#failure = new EmbeddingError(reason, message, options);
    this.#pending?.reject(this.#failure);
    this.#worker?.postMessage('stop' satisfies ThreadOrder);
  }
}
