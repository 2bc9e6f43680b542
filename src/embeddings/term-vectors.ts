import { Backoff } from '../lib/backoff.ts';
import { sleepUnlessAborted } from '../lib/sleep.ts';
import {
  noTermVectors,
  phrasesMax,
  type TermPhrase,
  type TermVectors,
  termVectors,
} from '../search/meaning/term-vectors.ts';
import { vectorBytes } from './model.ts';
import { EmbeddingError, type EmbeddingProvider, type TextRole } from './provider.ts';

const batchTimeoutMs = 30_000;
/** How often it is looked whether the data has other tags. */
const lookEveryMs = 5 * 60_000;
/** As long as the data's tags are not known yet. */
const firstLooksMs = 2_000;
const pauses = { firstPauseMs: 1_000, longestPauseMs: 60_000 };

/** What is to be embedded, at the moment. */
export interface PhraseList {
  readonly list: readonly TermPhrase[];
  /** Texts such as people search for. */
  readonly queries: readonly string[];
  /** Whether the data's tags are among them. */
  readonly isWhole: boolean;
}

/** The vectors of the vocabulary's and the data's phrases. */
export interface TermVectorSource {
  /** Those that are there by now: none at first. Answers at once. */
  latest(): TermVectors;
  /** Makes them in the background, and again those that are new. */
  start(): void;
  close(): Promise<void>;
}

/**
 * @param random from 0 up to 1
 */
export function createTermVectorSource(
  provider: EmbeddingProvider,
  phrases: () => PhraseList,
  random: () => number,
): TermVectorSource {
  /** In bytes, as they are compared; null where the provider can't read a text. */
  const known: Readonly<Record<TextRole, Map<string, Int8Array | null>>> = { document: new Map(), query: new Map() };
  const stop = new AbortController();
  const backoff = new Backoff(pauses, random);
  let latest = noTermVectors;
  /** What the latest ones were made of. */
  let madeOf = '';
  let running: Promise<void> = Promise.resolve();

  async function embedMissing(texts: readonly string[], role: TextRole): Promise<void> {
    const wanted = new Set(texts);
    for (const text of known[role].keys()) if (!wanted.has(text)) known[role].delete(text);
    const missing = [...wanted].filter((text) => !known[role].has(text));
    for (let at = 0; at < missing.length; at += provider.batchSize) {
      await embedBatch(missing.slice(at, at + provider.batchSize), role);
    }
  }

  async function embedBatch(batch: readonly string[], role: TextRole): Promise<void> {
    try {
      const vectors = await provider.embed(batch, { role, timeoutMs: batchTimeoutMs, signal: stop.signal });
      for (const [place, text] of batch.entries()) {
        const vector = vectors[place];
        known[role].set(text, vector === undefined ? null : new Int8Array(vectorBytes(vector).buffer));
      }
    } catch (error) {
      if (!(error instanceof EmbeddingError) || error.reason !== 'rejected') throw error;
      const [first] = batch;
      if (first === undefined) return;
      if (batch.length === 1) return void known[role].set(first, null);
      // One of them keeps the others from their vectors.
      const half = Math.ceil(batch.length / 2);
      await embedBatch(batch.slice(0, half), role);
      await embedBatch(batch.slice(half), role);
    }
  }

  /** One look; how long to wait until the next. */
  async function look(): Promise<number> {
    const { list: all, queries, isWhole } = phrases();
    const list = all.slice(0, phrasesMax(provider.model.dimension));
    try {
      await embedMissing(queries, 'query');
      await embedMissing(
        list.map(({ phrase }) => phrase),
        'document',
      );
    } catch (error) {
      // Searches show by themselves that the provider is away, and say so.
      if (error instanceof EmbeddingError) return backoff.next();
      throw error;
    }
    backoff.reset();
    const made = list.flatMap((term) => {
      const vector = known.document.get(term.phrase);
      return vector == null ? [] : [{ term, vector }];
    });
    const makes = made.map(({ term: { kind, term, phrase } }) => [kind, term, phrase].join('\t')).join('\n');
    if (makes !== madeOf) {
      madeOf = makes;
      latest = termVectors(
        made.map(({ term }) => term),
        made.map(({ vector }) => vector),
        queries.flatMap((text) => known.query.get(text) ?? []),
      );
    }
    return isWhole ? lookEveryMs : firstLooksMs;
  }

  return {
    latest: () => latest,
    start() {
      running = (async () => {
        while (!stop.signal.aborted) {
          await sleepUnlessAborted(await look(), stop.signal);
        }
      })();
    },
    async close() {
      stop.abort();
      await running;
    },
  };
}
