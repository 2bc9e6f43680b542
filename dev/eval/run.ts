import { z } from 'zod';
import { kindNames } from '../../src/kinds/kind.ts';
import type { SearchQuery } from '../../src/search/query.ts';
import type { SearchResponse } from '../../src/search/response.ts';
import type { Hit, JudgedQuery, Judgments } from './judgments.ts';
import { percentile, type QueryScore, type Summary, scoreQuery, summarize } from './score.ts';

/** Runs a query with the service's own code; throws if that returns no answer. */
export type RunSearch = (query: SearchQuery) => Promise<SearchResponse>;

/** Results read. Judged ranks are ten; a condensed query may have any number of unjudged ones between them. */
const resultsPerQuery = 50;
const resultsPerCondensedQuery = 400;
const resultsPerPage = 20;

export interface QueryRun {
  readonly qid: string;
  readonly class: string;
  readonly type: JudgedQuery['type'];
  readonly q: string;
  readonly matchedBy: string;
  readonly score: QueryScore;
  readonly hits: readonly Hit[];
}

export interface Latency {
  readonly p50Ms: number;
  readonly p95Ms: number;
}

export interface Run {
  readonly summary: Summary;
  readonly latency: Latency;
  readonly queries: readonly QueryRun[];
}

export async function runQueries(judgments: Judgments, search: RunSearch, timed: boolean): Promise<Run> {
  const queries: QueryRun[] = [];
  for (const query of judgments.queries) queries.push(await runQuery(query, judgments, search));
  const latency = timed ? await measureLatency(judgments.queries, search) : { p50Ms: 0, p95Ms: 0 };
  return { summary: summarize(queries), latency, queries };
}

async function runQuery(query: JudgedQuery, judgments: Judgments, search: RunSearch): Promise<QueryRun> {
  const { qid, class: name, type, q } = query;
  const limit = query.eval === 'condensed' ? resultsPerCondensedQuery : resultsPerQuery;
  const response = await search({ type, text: q, page: 1, limit });
  const hits = response.results.map(({ entity_type, id, name }) => ({
    kind: entity_type,
    id: Number(id),
    name: String(name),
  }));
  const score = scoreQuery(query, hits, judgments.universes);
  return { qid, class: name, type, q, matchedBy: response.matchedBy, score, hits };
}

async function measureLatency(queries: readonly JudgedQuery[], search: RunSearch): Promise<Latency> {
  const tookMs: number[] = [];
  for (const { type, q } of queries) {
    const startedMs = performance.now();
    await search({ type, text: q, page: 1, limit: resultsPerPage });
    tookMs.push(performance.now() - startedMs);
  }
  return { p50Ms: percentile(tookMs, 0.5), p95Ms: percentile(tookMs, 0.95) };
}

const ranked = z.object({
  success1: z.number(),
  success5: z.number().default(0),
  mrr: z.number(),
  ndcg: z.number(),
  recall: z.number(),
});
const savedRun = z.object({
  summary: z.object({ macro: z.number() }),
  queries: z.array(
    z.object({
      qid: z.string(),
      class: z.string(),
      q: z.string(),
      score: z.union([ranked, z.object({ absentHits: z.number() })]),
      hits: z.array(z.object({ kind: z.enum(kindNames), id: z.number(), name: z.string() })),
    }),
  ),
});

/** The part of the output of `--json` that a comparison needs. */
export type SavedRun = z.infer<typeof savedRun>;

export function parseSavedRun(text: string): SavedRun {
  return savedRun.parse(JSON.parse(text));
}
