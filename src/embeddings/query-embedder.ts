import { LRUCache } from 'lru-cache';
import { CircuitBreaker } from '../lib/circuit-breaker.ts';
import { createLimiter } from '../lib/concurrency/limiter.ts';
import type { Clock, QueryEmbedder } from '../ports.ts';
import { type VectorHex, vectorField, vectorHex } from './model.ts';
import { EmbeddingError, type EmbeddingFailure, type EmbeddingProvider } from './provider.ts';

/** From the request to the vector, with all waiting; a search waits no longer. */
const queryTimeoutMs = 500;
const concurrentMax = 8;
const waitingMax = 64;
const waitMs = 250;
/** How many failures in a row show that the provider is away, and how long it is left alone then. */
const breakerLimits = { failuresMax: 3, pauseMs: 5_000 };
/** Texts whose vectors are kept, within so many bytes. */
const cachedMax = 5_000;
const cachedBytes = 16_777_216;
const digitsPerNumber = 2;

/** A text like any other: only whether there is an answer counts. */
const checkText = 'lending protocol';

/** Failures that say nothing about the provider. */
const ownFailures: ReadonlySet<EmbeddingFailure> = new Set(['aborted', 'busy', 'rejected']);

/** What became of a request: a vector, made now or before; none, as the provider is being left alone; or a failure. */
export type EmbeddingOutcome = 'ok' | 'cached' | 'skipped' | EmbeddingFailure;

/** Told what happens. Never throws. */
export interface QueryEmbedderObserver {
  /** @param seconds how long the provider took; null where it was not asked */
  embedded(outcome: EmbeddingOutcome, seconds: number | null): void;
  /** The provider is left alone for a while. */
  wentAway(cause: EmbeddingError): void;
  cameBack(): void;
  /** It has failed in a way that no provider should. */
  broke(error: unknown): void;
}

/** The same, for whoever starts it. */
export interface StartedQueryEmbedder extends Omit<QueryEmbedder, 'terms'> {
  /** Asks for a vector; resolves to the reason where there is none. */
  probe(timeoutMs: number): Promise<EmbeddingError | null>;
}

/**
 * Vectors of queries, for searches that can do without: what fails, takes too long or is too much is null, and a
 * provider that is away is not waited for.
 */
export function createQueryEmbedder(
  provider: EmbeddingProvider,
  clock: Pick<Clock, 'elapsed'>,
  observer: QueryEmbedderObserver,
): StartedQueryEmbedder {
  const breaker = new CircuitBreaker(breakerLimits, clock);
  const limiter = createLimiter({ slotsMax: concurrentMax, waitingMax, waitMs, stallMs: queryTimeoutMs });
  const cache = new LRUCache<string, VectorHex>({
    max: Math.max(1, Math.min(cachedMax, Math.floor(cachedBytes / (provider.model.dimension * digitsPerNumber)))),
  });

  /** As the last attempt has shown it. */
  let state: ReturnType<QueryEmbedder['state']> = 'ready';

  function failed(error: unknown): EmbeddingError {
    if (error instanceof EmbeddingError) return error;
    observer.broke(error);
    return new EmbeddingError('invalid', 'The provider of embeddings has failed.', { cause: error });
  }

  /** Asks the provider, and records how it went. */
  async function ask(text: string, timeoutMs: number, signal?: AbortSignal): Promise<VectorHex | EmbeddingError> {
    const startedMs = clock.elapsed();
    const seconds = () => (clock.elapsed() - startedMs) / 1_000;
    try {
      const [vector] = await provider.embed([text], { role: 'query', timeoutMs, ...(signal && { signal }) });
      if (vector === undefined) throw new EmbeddingError('invalid', 'The provider of embeddings answers with nothing.');
      observer.embedded('ok', seconds());
      state = 'ready';
      if (breaker.succeeded()) observer.cameBack();
      return vectorHex(vector);
    } catch (error) {
      const cause = failed(error);
      observer.embedded(cause.reason, seconds());
      if (ownFailures.has(cause.reason)) breaker.abandoned();
      else {
        state = 'unavailable';
        if (breaker.failed()) observer.wentAway(cause);
      }
      return cause;
    }
  }

  /** In its turn, and with what is left of its time then. */
  async function askInTurn(text: string, signal: AbortSignal): Promise<VectorHex | null> {
    const startedMs = clock.elapsed();
    const release = await limiter.acquire(signal);
    if (release === null) {
      breaker.abandoned();
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
      if (!breaker.allows()) {
        observer.embedded('skipped', null);
        return null;
      }
      return askInTurn(text, signal);
    },
    check: async () => ((await probe(queryTimeoutMs)) === null ? 'ready' : 'unavailable'),
    probe,
  };
}
