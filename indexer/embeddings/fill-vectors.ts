import type pg from 'pg';
import { EmbeddingError, type EmbeddingProvider } from '../../src/embeddings/provider.ts';
import { type KindName, mapKinds } from '../../src/kinds/kind.ts';
import { embedTexts } from './embed-texts.ts';
import { type NewVector, storeVectors, type WaitingText } from './vector-rows.ts';

/** Observes the results of texts. */
export interface EmbeddingObserver {
  /** `changed`: whose texts were others by then; they wait again. */
  onStored(kind: KindName, counts: { readonly stored: number; readonly changed: number }): void;
  /** The provider makes no vector of this text; it is asked again with the next full scan. */
  onSkipped(kind: KindName, id: number, reason: string): void;
  /** No vectors can be made just now: the provider or Postgres fails. It is tried again after a pause. */
  onFailure(text: string, pauseMs: number): void;
  /** They can be made again. */
  onRecovered(): void;
  /** Reports the number of pending texts, as far as it is known. */
  onBacklog(kind: KindName, texts: number): void;
  /** Vectors were removed: of entities that are gone, or of a model that no index uses any more. */
  onRemoved(kind: KindName, vectors: number): void;
}

/** The provider and store of vectors. */
export interface EmbeddingDeps {
  readonly pool: pg.Pool;
  readonly provider: EmbeddingProvider;
  /** For each request to the provider. */
  readonly timeoutMs: number;
  readonly observer: EmbeddingObserver;
}

/** While one batch is stored, the provider works at another one. */
const lanes = 2;
/** Texts of a kind remembered as refused; beyond them some are asked about once more. */
const skippedAtMost = 10_000;

/** Makes vectors of texts and stores them, batch by batch. */
export class VectorFiller {
  readonly #deps: EmbeddingDeps;
  /** Since this was made. `changed`: vectors that came too late for their texts. */
  readonly counts = { stored: 0, changed: 0, skipped: 0 };
  /** Hashes of texts that the provider refused, by id. */
  readonly #skipped = mapKinds(() => new Map<number, string>());

  constructor(deps: EmbeddingDeps) {
    this.#deps = deps;
  }

  /** The provider is asked again for what it refused. */
  forgetSkipped(kind: KindName): void {
    this.#skipped[kind].clear();
  }

  /** Those of some texts that the provider has not refused. */
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
        // The other lane must not begin another batch; why it gives up then is not what went wrong.
        if (!failed.signal.aborted) failed.abort(error);
      }),
    );
    await Promise.all(each);
    failed.signal.throwIfAborted();
  }

  async #fillBatch(kind: KindName, batch: readonly WaitingText[], signal: AbortSignal): Promise<void> {
    const { pool, provider, timeoutMs, observer } = this.#deps;
    const texts = batch.map(({ text }) => text);
    const answers = await embedTexts(provider, texts, { timeoutMs, signal });
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
    observer.onStored(kind, { stored, changed });
  }

  #skip(kind: KindName, { id, hash }: Pick<WaitingText, 'id' | 'hash'>, error: EmbeddingError): void {
    const skipped = this.#skipped[kind];
    if (skipped.size >= skippedAtMost) skipped.clear();
    skipped.set(id, hash);
    this.counts.skipped += 1;
    this.#deps.observer.onSkipped(kind, id, error.message);
  }
}

/**
 * Texts of like length together: a model pads all texts of a batch to the longest one. The longest come first, so that
 * what fails for being too much fails at once.
 */
export function batchesOf(texts: readonly WaitingText[], size: number): readonly (readonly WaitingText[])[] {
  const sorted = texts.toSorted((one, other) => other.text.length - one.text.length);
  const count = Math.ceil(sorted.length / size);
  return Array.from({ length: count }, (_, at) => sorted.slice(at * size, (at + 1) * size));
}
