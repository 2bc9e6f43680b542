import type { LocalEmbeddings } from '../../config/embeddings.ts';
import {
  checkedVectors,
  EmbeddingError,
  type EmbeddingProvider,
  type EmbedRequest,
  type TextRole,
} from '../provider.ts';
import { localModel } from './local-model.ts';
import { ModelThread, type TextMessage } from './model-thread.ts';

/** A text that waits for its vector. */
interface QueuedText extends PromiseWithResolvers<Float32Array> {
  readonly message: TextMessage;
}

/** Maximum number of waiting texts by role. Behind more queries, a query would time out. */
const waitingMax = { query: 64, document: 1_024 } as const satisfies Record<TextRole, number>;

/** Waiting texts: queries first, because a caller waits for them, then documents. Each role is in order of arrival. */
export class TextQueue {
  readonly #waiting: Readonly<Record<TextRole, Set<QueuedText>>> = { query: new Set(), document: new Set() };

  /** Adds all of the texts. Adds none and throws `EmbeddingError` if too many wait. */
  add(role: TextRole, messages: readonly TextMessage[]): readonly QueuedText[] {
    const waiting = this.#waiting[role];
    if (waiting.size + messages.length > waitingMax[role]) {
      throw new EmbeddingError('busy', `The local model has ${waiting.size} texts waiting already.`);
    }
    const added = messages.map((message) => ({ message, ...Promise.withResolvers<Float32Array>() }));
    for (const text of added) waiting.add(text);
    return added;
  }

  next(): QueuedText | undefined {
    for (const waiting of [this.#waiting.query, this.#waiting.document]) {
      const [first] = waiting;
      if (first === undefined) continue;
      waiting.delete(first);
      return first;
    }
    return undefined;
  }

  /** Removes those of the texts that still wait, and rejects them. */
  drop(texts: Iterable<QueuedText>, error: EmbeddingError): void {
    for (const text of texts) {
      const waited = this.#waiting.query.delete(text) || this.#waiting.document.delete(text);
      if (waited) text.reject(error);
    }
  }

  /** Removes and rejects all texts. */
  clear(error: EmbeddingError): void {
    this.drop([...this.#waiting.query, ...this.#waiting.document], error);
  }
}

/** Maximum number of tokens that are read from a text, including a query's prefix. Time grows with them. */
const tokensMax = { query: 64, document: 128 } as const satisfies Record<TextRole, number>;

/** Far longer than the model takes for a text, about 10 ms. */
const stuckMs = 30_000;

/**
 * Creates a provider that runs the model in a thread, which starts with the first text. Texts are embedded one by one:
 * in a batch of a quantised model, a vector would depend on the other texts, and a batch is not faster. Queries
 * overtake documents.
 */
export function createLocalProvider(
  settings: LocalEmbeddings,
  { isBackground }: { readonly isBackground: boolean },
): EmbeddingProvider {
  const queue = new TextQueue();
  const thread = new ModelThread({ data: { modelPath: settings.modelPath, isBackground }, stuckMs });
  const closing = new EmbeddingError('aborted', 'The process is about to end.');
  let working = false;
  let closed = false;

  /** Sends texts to the thread, one after the other, until none waits. */
  async function work(): Promise<void> {
    if (working) return;
    working = true;
    for (let text = queue.next(); text !== undefined; text = queue.next()) {
      try {
        text.resolve(await thread.embed(text.message));
      } catch (cause) {
        // `thread.embed` throws only `EmbeddingError`.
        const error = closed ? closing : (cause as EmbeddingError);
        text.reject(error);
        // Waiting texts fail at once. The next request starts another thread.
        if (error.reason !== 'rejected') queue.clear(error);
      }
    }
    working = false;
  }

  return {
    model: settings.model,
    batchSize: settings.batchSize,
    async embed(texts, request) {
      if (closed) throw closing;
      if (texts.length > settings.batchSize) {
        throw new Error(`${texts.length} texts at once are more than ${settings.batchSize}.`);
      }
      const prefix = request.role === 'query' ? localModel.queryPrefix : '';
      const queued = queue.add(
        request.role,
        texts.map((text) => ({ text: `${prefix}${text}`, tokensMax: tokensMax[request.role] })),
      );
      const ended = Promise.withResolvers<never>();
      const detach = onEnd(request, (error) => {
        queue.drop(queued, error);
        // The text in the thread can't be cancelled, but its request ends now.
        ended.reject(error);
      });
      void work();
      try {
        const vectors = await Promise.race([Promise.all(queued.map(({ promise }) => promise)), ended.promise]);
        return checkedVectors(vectors, texts.length, settings.model);
      } finally {
        detach();
      }
    },
    async close() {
      closed = true;
      queue.clear(closing);
      await thread.stop();
    },
  };
}

/** Calls `end` at the timeout or when the caller aborts, unless the returned function was called before. */
function onEnd({ timeoutMs, signal }: EmbedRequest, end: (error: EmbeddingError) => void): () => void {
  const onAbort = (): void => end(new EmbeddingError('aborted', 'The caller cancelled the request for vectors.'));
  const onTimeout = (): void => end(new EmbeddingError('timeout', `The local model took longer than ${timeoutMs} ms.`));
  const timer = setTimeout(onTimeout, timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  };
}
