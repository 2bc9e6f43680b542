import { Backoff } from '../../lib/backoff.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { EmbeddingError } from '../provider.ts';
import type { TextMessage } from './messages.ts';
import type { ModelThread } from './model-thread.ts';

/** Pauses after a thread that could not start or has died. */
const restarts = { firstPauseMs: 250, longestPauseMs: 30_000 };

export interface ThreadDeps {
  /** Monotonic milliseconds. */
  elapsed(): number;
  /** From 0 up to 1. */
  random(): number;
  /** A thread that needs longer for one text is given up. */
  readonly stuckMs: number;
}

/** Time that `stop` waits for a thread to end. A thread that loads its model ends only after that. */
const endMs = 2_000;

/**
 * Starts threads when needed, one at a time. After a failure, it waits for a pause and for the end of the failed
 * thread.
 */
export class ModelThreads {
  readonly #start: () => ModelThread;
  readonly #deps: ThreadDeps;
  readonly #backoff: Backoff;
  /** The current thread. */
  #thread: ModelThread | null = null;
  /** Resolves when the last started thread has ended. */
  #ended: Promise<void> = Promise.resolve();
  #isThere = false;
  /** The last failure, and the end of the pause after it. */
  #failure: { readonly error: EmbeddingError; readonly untilMs: number } | null = null;

  constructor(start: () => ModelThread, deps: ThreadDeps) {
    this.#start = start;
    this.#deps = deps;
    this.#backoff = new Backoff(restarts, deps.random);
  }

  /**
   * Returns the vector of a text. Must not be called again before it has settled. Rejects with `EmbeddingError`. After
   * any reason other than `rejected`, there is no thread.
   */
  async embed(message: TextMessage): Promise<Float32Array> {
    try {
      const thread = await this.#ready();
      const { stuckMs } = this.#deps;
      const vector = await withTimeout(stuckMs, null, () => thread.embed(message));
      if (vector === null) throw new EmbeddingError('unreachable', `The local model is stuck for ${stuckMs} ms.`);
      this.#backoff.reset();
      return vector;
    } catch (cause) {
      const error =
        cause instanceof EmbeddingError
          ? cause
          : new EmbeddingError('unreachable', 'The thread of the local model can not be started.', { cause });
      if (error.reason === 'rejected') throw error;
      if (error !== this.#failure?.error) this.#failed(error);
      throw error;
    }
  }

  /** Stops the thread. Resolves when it has ended, or after a timeout. */
  async stop(): Promise<void> {
    this.#thread?.stop();
    this.#thread = null;
    await withTimeout(endMs, undefined, () => this.#ended);
  }

  async #ready(): Promise<ModelThread> {
    if (this.#thread === null) {
      const isTooEarly = this.#failure !== null && this.#deps.elapsed() < this.#failure.untilMs;
      if (this.#failure !== null && (isTooEarly || this.#isThere)) throw this.#failure.error;
      const started = this.#start();
      this.#thread = started;
      this.#isThere = true;
      this.#ended = started.ended.then(() => {
        this.#isThere = false;
        // The thread may also end while it is idle.
        if (this.#thread === started) this.#thread = null;
      });
    }
    const thread = this.#thread;
    await thread.ready;
    return thread;
  }

  #failed(error: EmbeddingError): void {
    this.#failure = { error, untilMs: this.#deps.elapsed() + this.#backoff.next() };
    this.#thread?.stop();
    this.#thread = null;
  }
}
