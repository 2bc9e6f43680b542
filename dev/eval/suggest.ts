import type { Client } from '@elastic/elasticsearch';
import { createSearchPort } from '../../src/elasticsearch/search-port.ts';
import { aliasName } from '../../src/kinds/index-names.ts';
import { kindNames } from '../../src/kinds/kind.ts';
import { suggest } from '../../src/search/suggest.ts';
import { type Corpus, indexPrefix } from './corpus.ts';
import { percentile } from './score.ts';

/** The share of the most prominent names among the first five suggestions after a number of letters. */
export interface SuggestMeasure {
  readonly letters: number;
  readonly names: number;
  readonly shown: number;
  readonly missed: readonly string[];
  readonly p50Ms: number;
  readonly p95Ms: number;
}

const prominentNames = 200;
const suggestionsSeen = 5;
const timeoutMs = 10_000;

/** Types the first letters of the 200 most prominent names, of all kinds together. */
export async function measureSuggest(corpus: Corpus, client: Client): Promise<SuggestMeasure[]> {
  const names = await mostProminentNames(corpus, client);
  const measures: SuggestMeasure[] = [];
  for (const letters of [2, 3, 4, 5]) measures.push(await measureLetters(corpus, client, names, letters));
  return measures;
}

async function mostProminentNames(corpus: Corpus, client: Client): Promise<string[]> {
  const found = await client.search<{ name: string }>({
    index: kindNames.map((kind) => aliasName(indexPrefix(corpus), kind)),
    size: prominentNames * 2,
    _source: ['name'],
    sort: [{ 'search.popularity': 'desc' }, { id: 'asc' }],
  });
  const names = found.hits.hits.flatMap((hit) => (hit._source === undefined ? [] : [hit._source.name]));
  return [...new Set(names)].slice(0, prominentNames);
}

async function measureLetters(
  corpus: Corpus,
  client: Client,
  names: readonly string[],
  letters: number,
): Promise<SuggestMeasure> {
  const port = createSearchPort(client);
  const indices = kindNames.map((kind) => aliasName(indexPrefix(corpus), kind));
  const missed: string[] = [];
  const tookMs: number[] = [];
  for (const name of names) {
    const typed = Array.from(name).slice(0, letters).join('').toLowerCase();
    const startedMs = performance.now();
    const outcome = await suggest({ text: typed, limit: suggestionsSeen, indices }, (request) =>
      port.search({ ...request, timeoutMs }),
    );
    tookMs.push(performance.now() - startedMs);
    if (!outcome.ok) throw new Error(`"${typed}" got no suggestions: ${outcome.reason}`);
    if (!outcome.suggestions.some((suggestion) => suggestion.name === name)) missed.push(name);
  }
  const shown = names.length - missed.length;
  return {
    letters,
    names: names.length,
    shown,
    missed,
    p50Ms: percentile(tookMs, 0.5),
    p95Ms: percentile(tookMs, 0.95),
  };
}

export function suggestLines(measures: readonly SuggestMeasure[]): string[] {
  return [
    '',
    `suggestions: of the most prominent names, shown among the first ${suggestionsSeen}`,
    ...measures.map(({ letters, names, shown, missed, p50Ms, p95Ms }) => {
      const share = `${((100 * shown) / names).toFixed(1)} % of ${names}`;
      const latency = `p50 ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms`;
      return `${letters} letters: ${share}, ${latency}; missed: ${missed.slice(0, 8).join(', ') || 'none'}`;
    }),
  ];
}
