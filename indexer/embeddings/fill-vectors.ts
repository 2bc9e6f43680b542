import type { EventEmitter } from 'node:events';
import type pg from 'pg';
import { EmbeddingError, type EmbeddingProvider, embedTexts } from '../../src/embeddings/provider.ts';
import { type KindName, mapKinds } from '../../src/kinds/kind.ts';
import { type NewVector, storeVectors, type WaitingText } from './vector-rows.ts';

/** The events of making vectors, with their arguments. */
export interface EmbeddingEvents {
  /** `changed`: vectors of texts that changed meanwhile and need another one. */
  stored: [kind: KindName, counts: { readonly stored: number; readonly changed: number }];
  /** The provider refused this text; the next full scan tries it again. */
  skipped: [kind: KindName, id: number, reason: string];
  /** No vectors can be made now, because the provider or Postgres fails. Retried after a pause. */
  failure: [text: string, pauseMs: number];
  recovered: [];
  backlog: [kind: KindName, texts: number];
  /** Vectors of removed entities were removed. */
  removed: [kind: KindName, vectors: number];
}

export interface EmbeddingDeps {
  readonly pool: pg.Pool;
  readonly provider: EmbeddingProvider;
  readonly timeoutMs: number;
  readonly events: EventEmitter<EmbeddingEvents>;
}

/** While one batch is stored, the provider works on another. */
const lanes = 2;
/** Refused texts remembered per kind; some of those beyond it are sent once more. */
const skippedAtMost = 10_000;

export class VectorFiller {
  readonly #deps: EmbeddingDeps;
  /** `changed`: vectors that came too late for their texts. */
  readonly counts = { stored: 0, changed: 0, skipped: 0 };
  /** Hashes of texts that the provider refused, by id. */
  readonly #skipped = mapKinds(() => new Map<number, string>());

  constructor(deps: EmbeddingDeps) {
    this.#deps = deps;
  }

  /** Lets refused texts be sent again. */
  forgetSkipped(kind: KindName): void {
    this.#skipped[kind].clear();
  }

  /** Leaves out texts that the provider has refused. */
  acceptable(kind: KindName, texts: readonly WaitingText[]): readonly WaitingText[] {
    return texts.filter(({ id, hash }) => this.#skipped[kind].get(id) !== hash);
  }

  /**
   * Makes and stores the vectors of texts. Stored vectors stay, whatever fails after them. Rejects with
   * `EmbeddingError` if the provider makes no vectors at all, with an error of Postgres, or with the signal's reason.
   */
  async fill(kind: KindName, texts: readonly WaitingText[], signal: AbortSignal): Promise<void> {
    const batches = batchesOf(texts, this.#deps.provider.batchSize).values();
    const failed = new AbortController();
    const stop = AbortSignal.any([signal, failed.signal]);
    const work = async (): Promise<void> => {
      for (const batch of batches) {
        stop.throwIfAborted();
        await this.#fillBatch(kind, batch, stop);
      }
    };
    const each = Array.from({ length: lanes }, () =>
      work().catch((error: unknown) => {
        // Stops the other lane; its later error is not the cause.
        if (!failed.signal.aborted) failed.abort(error);
      }),
    );
    await Promise.all(each);
    failed.signal.throwIfAborted();
  }

  async #fillBatch(kind: KindName, batch: readonly WaitingText[], signal: AbortSignal): Promise<void> {
    const { pool, provider, timeoutMs, events } = this.#deps;
    const texts = batch.map(({ text }) => text);
    const answers = await embedTexts(provider, texts, { role: 'document', timeoutMs, signal });
    const vectors: NewVector[] = [];
    for (const [at, { id, hash }] of batch.entries()) {
      const answer = answers[at];
      if (answer instanceof EmbeddingError) this.#skip(kind, { id, hash }, answer);
      else if (answer !== undefined) vectors.push({ id, hash, vector: answer });
    }
    if (vectors.length === 0) return;
    const stored = await storeVectors(pool, { kind, model: provider.model }, vectors);
    const changed = vectors.length - stored;
    this.counts.stored += stored;
    this.counts.changed += changed;
    events.emit('stored', kind, { stored, changed });
  }

  #skip(kind: KindName, { id, hash }: Pick<WaitingText, 'id' | 'hash'>, error: EmbeddingError): void {
    const skipped = this.#skipped[kind];
    if (skipped.size >= skippedAtMost) skipped.clear();
    skipped.set(id, hash);
    this.counts.skipped += 1;
    this.#deps.events.emit('skipped', kind, id, error.message);
  }
}

/**
 * Groups texts of similar length: a model pads all texts of a batch to the longest. The longest come first, so that a
 * batch that is too large fails at once.
 */
export function batchesOf(texts: readonly WaitingText[], size: number): readonly (readonly WaitingText[])[] {
  const sorted = texts.toSorted((one, other) => other.text.length - one.text.length);
  const count = Math.ceil(sorted.length / size);
  return Array.from({ length: count }, (_, at) => sorted.slice(at * size, (at + 1) * size));
}
