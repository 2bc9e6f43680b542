import { Backoff } from '../../lib/backoff.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { EmbeddingError } from '../provider.ts';
import type { TextMessage } from './messages.ts';
import type { ModelThread } from './model-thread.ts';

/** After a thread that could not start, or has died. */
const restarts = { firstPauseMs: 250, longestPauseMs: 30_000 };

export interface ThreadDeps {
  /** Monotonic milliseconds. */
  elapsed(): number;
  /** From 0 up to 1. */
  random(): number;
  /** A thread that has one text for so long is given up. */
  readonly stuckMs: number;
}

/** How long a thread may take to end. One that loads its model ends when it has. */
const endMs = 2_000;

/** One thread at a time, started when it is needed; not at once after one that failed, and not before that has ended. */
export class ModelThreads {
  readonly #start: () => ModelThread;
  readonly #deps: ThreadDeps;
  readonly #backoff: Backoff;
  /** The one that takes texts. */
  #thread: ModelThread | null = null;
  /** Has it, or the one before it, ended? */
  #ended: Promise<void> = Promise.resolve();
  #isThere = false;
  /** Why there is none, and until when none is tried. */
  #failure: { readonly error: EmbeddingError; readonly untilMs: number } | null = null;

  constructor(start: () => ModelThread, deps: ThreadDeps) {
    this.#start = start;
    this.#deps = deps;
    this.#backoff = new Backoff(restarts, deps.random);
  }

  /**
   * One text's vector. Not to be called again before it has settled. Rejects with `EmbeddingError`: of reason `rejected`
   * the next text may be given, of any other there is no thread now.
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

  /** Resolves when the thread has ended, or does not in time. */
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
        // It may end while nothing is asked of it.
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
