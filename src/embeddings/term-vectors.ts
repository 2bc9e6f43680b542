import { Backoff } from '../lib/backoff.ts';
import { sleepUnlessAborted } from '../lib/sleep.ts';
import { vectorBytes } from '../lib/vector-bytes.ts';
import type { Clock } from '../ports.ts';
import {
  noTermVectors,
  phrasesMax,
  type TermPhrase,
  type TermVectors,
  termVectors,
} from '../search/meaning/term-vectors.ts';
import { EmbeddingError, type EmbeddingProvider, embedTexts, type TextRole } from './provider.ts';

const batchTimeoutMs = 30_000;
const pauses = { firstPauseMs: 1_000, longestPauseMs: 60_000 };

export interface PhraseList {
  readonly list: readonly TermPhrase[];
  readonly queries: readonly string[];
  /** Texts of other fields. */
  readonly offTopic: readonly string[];
}

/** The vectors of the vocabulary's phrases. */
export interface TermVectorSource {
  /** Returns the vectors that exist by now, none at first. */
  latest(): TermVectors;
  /** Embeds the phrases that have no vectors. Rejects with `EmbeddingError` if the provider fails. */
  refresh(): Promise<void>;
  /** Starts to embed the phrases in the background. */
  start(): void;
  close(): Promise<void>;
}

/**
 * @param tools `random` returns numbers from 0 up to 1
 */
export function createTermVectorSource(
  provider: EmbeddingProvider,
  { list: all, queries, offTopic }: PhraseList,
  { random, elapsed }: { readonly random: () => number } & Pick<Clock, 'elapsed'>,
): TermVectorSource {
  /** Vectors in bytes by text. Null marks a text that the provider rejects. */
  const known: Readonly<Record<TextRole, Map<string, Int8Array | null>>> = { document: new Map(), query: new Map() };
  const stop = new AbortController();
  const backoff = new Backoff(pauses, random);
  const list = all.slice(0, phrasesMax(provider.model.dimension));
  let latest = noTermVectors;
  let running: Promise<void> = Promise.resolve();

  async function embedMissing(texts: readonly string[], role: TextRole): Promise<void> {
    const missing = [...new Set(texts)].filter((text) => !known[role].has(text));
    for (let at = 0; at < missing.length; at += provider.batchSize) {
      const batch = missing.slice(at, at + provider.batchSize);
      const startedMs = elapsed();
      const answers = await embedTexts(provider, batch, { role, timeoutMs: batchTimeoutMs, signal: stop.signal });
      for (const [place, text] of batch.entries()) {
        const answer = answers[place];
        const isVector = answer !== undefined && !(answer instanceof EmbeddingError);
        known[role].set(text, isVector ? new Int8Array(vectorBytes(answer).buffer) : null);
      }
      // A local model must leave half of its processor to searches.
      if (at + batch.length < missing.length) await sleepUnlessAborted(elapsed() - startedMs, stop.signal);
    }
  }

  async function refresh(): Promise<void> {
    await embedMissing([...queries, ...offTopic], 'query');
    await embedMissing(
      list.map(({ phrase }) => phrase),
      'document',
    );
    const made = list.flatMap((term) => {
      const vector = known.document.get(term.phrase);
      return vector == null ? [] : [{ term, vector }];
    });
    latest = termVectors(
      made.map(({ term }) => term),
      made.map(({ vector }) => vector),
      queries.flatMap((text) => known.query.get(text) ?? []),
      offTopic.flatMap((text) => known.query.get(text) ?? []),
    );
  }

  /** Embeds the missing texts, again and again while the provider fails. */
  async function embedAll(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        return await refresh();
      } catch (error) {
        // Searches detect and log that the provider fails.
        if (!(error instanceof EmbeddingError || stop.signal.aborted)) throw error;
        await sleepUnlessAborted(backoff.next(), stop.signal);
      }
    }
  }

  return {
    latest: () => latest,
    refresh,
    start() {
      running = embedAll();
    },
    async close() {
      stop.abort();
      await running;
    },
  };
}
