import { EmbeddingError, type TextRole } from '../provider.ts';
import type { TextMessage } from './messages.ts';

/** A text that waits for its vector. */
export interface QueuedText extends PromiseWithResolvers<Float32Array> {
  readonly message: TextMessage;
}

/** Texts that may wait, of each role. What waits longer than a query may is of no use to anybody. */
const waitingMax = { query: 64, document: 1_024 } as const satisfies Record<TextRole, number>;

/** Texts in the order of their turn: queries first, as somebody waits for their answer; else first come first served. */
export class TextQueue {
  // Each iterates in the order of arrival.
  readonly #waiting: Readonly<Record<TextRole, Set<QueuedText>>> = { query: new Set(), document: new Set() };

  /** Adds all of the texts, or none: throws `EmbeddingError` where too many wait. */
  add(role: TextRole, messages: readonly TextMessage[]): readonly QueuedText[] {
    const waiting = this.#waiting[role];
    if (waiting.size + messages.length > waitingMax[role]) {
      throw new EmbeddingError('busy', `The local model has ${waiting.size} texts waiting already.`);
    }
    const added = messages.map((message) => ({ message, ...Promise.withResolvers<Float32Array>() }));
    for (const text of added) waiting.add(text);
    return added;
  }

  /** Takes the next one out; undefined where none waits. */
  next(): QueuedText | undefined {
    for (const waiting of [this.#waiting.query, this.#waiting.document]) {
      const [first] = waiting;
      if (first === undefined) continue;
      waiting.delete(first);
      return first;
    }
    return undefined;
  }

  /** Those of the texts that still wait are taken out, and fail. */
  drop(texts: Iterable<QueuedText>, error: EmbeddingError): void {
    for (const text of texts) {
      const waited = this.#waiting.query.delete(text) || this.#waiting.document.delete(text);
      if (waited) text.reject(error);
    }
  }

  /** None waits any more: all fail. */
  clear(error: EmbeddingError): void {
    this.drop([...this.#waiting.query, ...this.#waiting.document], error);
  }
}
