import { EmbeddingError, type TextRole } from '../provider.ts';
import type { TextMessage } from './model-thread.ts';

/** A text that waits for its vector. */
export interface QueuedText extends PromiseWithResolvers<Float32Array> {
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

  /** Removes and returns the next text, or undefined if none waits. */
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
