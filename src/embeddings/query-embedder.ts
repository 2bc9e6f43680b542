import { LRUCache } from 'lru-cache';
import { createLimiter } from '../lib/concurrency/limiter.ts';
import { type VectorHex, vectorHex } from '../lib/vector-bytes.ts';
import type { Clock, QueryEmbedder } from '../ports.ts';
import { vectorField } from './model.ts';
import { EmbeddingError, type EmbeddingFailure, type EmbeddingProvider } from './provider.ts';

/** Time that a search waits for its vector, including waiting for a slot. */
const queryTimeoutMs = 500;
const concurrentMax = 8;
const waitingMax = 64;
const waitMs = 250;
/** Number of consecutive failures after which the provider is skipped, except for one query in each pause. */
const failuresMax = 3;
const pauseMs = 5_000;
/** Limits of the cache of vectors. */
const cachedMax = 5_000;
const cachedBytes = 16_777_216;
const digitsPerNumber = 2;

/** Any text works: a check only needs an answer. */
const checkText = 'lending protocol';

/** Failures that are not caused by the provider. */
const ownFailures: ReadonlySet<EmbeddingFailure> = new Set(['aborted', 'busy', 'rejected']);

/** The outcome of a request: a new vector, a cached one, none because the provider is skipped, or a failure. */
export type EmbeddingOutcome = 'ok' | 'cached' | 'skipped' | EmbeddingFailure;

/** A receiver of events, for logs and metrics. Never throws. */
export interface QueryEmbedderObserver {
  /** @param seconds time that the provider took, or null without a request */
  embedded(outcome: EmbeddingOutcome, seconds: number | null): void;
  /** Called when the provider starts to be skipped. */
  wentAway(cause: EmbeddingError): void;
  cameBack(): void;
  /** Called for an error that is not an `EmbeddingError`. */
  broke(error: unknown): void;
}

export interface StartedQueryEmbedder extends Omit<QueryEmbedder, 'terms'> {
  /** Requests a vector. Resolves to the error if there is none. */
  probe(timeoutMs: number): Promise<EmbeddingError | null>;
}

/**
 * Creates the source of vectors of queries. Searches also work without a vector, so every failure, timeout or overload
 * gives null, and a failing provider is skipped for a while.
 */
export function createQueryEmbedder(
  provider: EmbeddingProvider,
  clock: Pick<Clock, 'elapsed'>,
  observer: QueryEmbedderObserver,
): StartedQueryEmbedder {
  let failures = 0;
  let nextTryMs = 0;
  const limiter = createLimiter({ slotsMax: concurrentMax, waitingMax, waitMs, stallMs: queryTimeoutMs });
  const cache = new LRUCache<string, VectorHex>({
    max: Math.max(1, Math.min(cachedMax, Math.floor(cachedBytes / (provider.model.dimension * digitsPerNumber)))),
  });

  /** The result of the last request. */
  let state: ReturnType<QueryEmbedder['state']> = 'ready';

  function failed(error: unknown): EmbeddingError {
    if (error instanceof EmbeddingError) return error;
    observer.broke(error);
    return new EmbeddingError('invalid', 'The provider of embeddings has failed.', { cause: error });
  }

  /** Requests a vector and records the outcome. */
  async function ask(text: string, timeoutMs: number, signal?: AbortSignal): Promise<VectorHex | EmbeddingError> {
    const startedMs = clock.elapsed();
    const seconds = () => (clock.elapsed() - startedMs) / 1_000;
    try {
      const [vector] = await provider.embed([text], { role: 'query', timeoutMs, ...(signal && { signal }) });
      if (vector === undefined) throw new EmbeddingError('invalid', 'The provider of embeddings answers with nothing.');
      observer.embedded('ok', seconds());
      state = 'ready';
      if (failures >= failuresMax) observer.cameBack();
      failures = 0;
      return vectorHex(vector);
    } catch (error) {
      const cause = failed(error);
      observer.embedded(cause.reason, seconds());
      if (!ownFailures.has(cause.reason)) {
        state = 'unavailable';
        failures += 1;
        if (failures === failuresMax) {
          nextTryMs = clock.elapsed() + pauseMs;
          observer.wentAway(cause);
        }
      }
      return cause;
    }
  }

  /** Returns true if the provider fails and was tried within the pause. Otherwise the caller tries it now. */
  function skipped(): boolean {
    if (failures < failuresMax) return false;
    if (clock.elapsed() < nextTryMs) return true;
    nextTryMs = clock.elapsed() + pauseMs;
    return false;
  }

  /** Waits for a slot and uses the remaining time for the request. */
  async function askInTurn(text: string, signal: AbortSignal): Promise<VectorHex | null> {
    const startedMs = clock.elapsed();
    const release = await limiter.acquire(signal);
    if (release === null) {
      observer.embedded(signal.aborted ? 'aborted' : 'busy', null);
      return null;
    }
    try {
      const leftMs = Math.floor(queryTimeoutMs - (clock.elapsed() - startedMs));
      const answer = await ask(text, Math.max(1, leftMs), signal);
      if (answer instanceof EmbeddingError) return null;
      cache.set(text, answer);
      return answer;
    } finally {
      release();
    }
  }

  async function probe(timeoutMs: number): Promise<EmbeddingError | null> {
    const answer = await ask(checkText, timeoutMs);
    return answer instanceof EmbeddingError ? answer : null;
  }

  return {
    model: provider.model,
    field: vectorField(provider.model),
    state: () => state,
    async embed(given, signal) {
      if (signal.aborted) return null;
      const text = given.trim().replace(/\s+/g, ' ');
      const cached = cache.get(text);
      if (cached !== undefined) {
        observer.embedded('cached', null);
        return cached;
      }
      if (skipped()) {
        observer.embedded('skipped', null);
        return null;
      }
      return askInTurn(text, signal);
    },
    check: async () => ((await probe(queryTimeoutMs)) === null ? 'ready' : 'unavailable'),
    probe,
  };
}
