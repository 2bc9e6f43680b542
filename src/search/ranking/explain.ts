import { z } from 'zod';
import { kindOfIndex } from '../../kinds/index-names.ts';
import { matchClause, type PreparedQuery } from '../query.ts';
import { type Clause, popularityWeight, reportNames } from './clauses.ts';
import type { Pass, RankedText } from './ranked-query.ts';
import { otherTable, type TierName, tierTable } from './tier-table.ts';

/** Returns a body that ranks as a search does. Its response lists the matched clauses and their points. */
export function explainBody(query: PreparedQuery, pass: Pass, size: number): Clause {
  let clauses = 0;
  return {
    size,
    track_total_hits: true,
    _source: { includes: ['id', 'name', 'search.popularity'] },
    query: reportNames(matchClause(query, pass, []), (name) => {
      clauses += 1;
      // Elasticsearch reports only one of several clauses of a name.
      return `${name} ${clauses}`;
    }),
    sort: [{ _score: 'desc' }, { id: 'asc' }],
    track_scores: true,
  };
}

const explainedResponse = z.object({
  hits: z.object({
    total: z.object({ value: z.number() }),
    max_score: z.number().nullable(),
    hits: z.array(
      z.object({
        _index: z.string(),
        _score: z.number(),
        _source: z.object({ id: z.number(), name: z.string(), search: z.object({ popularity: z.number() }) }),
        matched_queries: z.record(z.string(), z.number()).default({}),
      }),
    ),
  }),
});
export type ExplainedResponse = z.infer<typeof explainedResponse>;

/** Throws if it isn't a response to `explainBody`, sent with `include_named_queries_score`. */
export function parseExplained(body: unknown): ExplainedResponse {
  return explainedResponse.parse(body);
}

export function understandingLines({ analyzed, question, rest }: RankedText): string[] {
  const { text, withConcepts, dated, corrected } = analyzed;
  return [
    `names are asked for:    ${text}`,
    ...(withConcepts === text ? [] : [`contents are asked for: ${withConcepts}   (by the vocabulary)`]),
    ...(corrected === null ? [] : [`corrected:              ${corrected.text}`]),
    ...(question === null
      ? []
      : [
          `understood:             ${question.parts.map((part) => `${part.as} (${part.text})`).join(', ')}`,
          `left to search for:     ${rest?.text ?? 'nothing'}`,
        ]),
    ...(dated === null ? [] : [`read as a name and year: ${dated.rest} | ${dated.year}`]),
  ];
}

/** Returns a line with the similarity from which on a document is near in meaning, if meanings are compared. */
export function floorLines({ meaning: { text } }: PreparedQuery): string[] {
  return text === null ? [] : [`near in meaning:        with a cosine of at least ${text.similarityMin.toFixed(3)}`];
}

export function hitLines({ hits: { hits } }: ExplainedResponse): string[] {
  return hits.flatMap((hit, at) => {
    const { id, name, search } = hit._source;
    const score = scoreBreakdown(hit.matched_queries);
    const head = `${at + 1}. ${name}  (${kindOfIndex(hit._index) ?? hit._index} ${id}): ${hit._score.toFixed(1)} points`;
    return [
      head,
      ...(score.best === null ? ['   no tier: found by its contents alone'] : [line(score.best)]),
      ...score.beside.map(
        (tier) =>
          `           - also matched, but only the best tier counts: ${tier.name} (${tierTable[tier.name].points})`,
      ),
      ...score.added.map(line),
      `   ${signed(popularityWeight * Math.log10(1 + search.popularity))} popularity: ${search.popularity} sources, links and mentions`,
      ...distance(hit._score, hits[at + 1]?._score),
    ];
  });
}

interface Scored {
  readonly name: string;
  readonly scored: number;
  readonly meaning: string;
}

function scoreBreakdown(clauses: Readonly<Record<string, number>>) {
  const matched: Record<string, number> = {};
  for (const [clause, score] of Object.entries(clauses)) {
    const name = clause.split(' ')[0] ?? clause;
    matched[name] = Math.max(matched[name] ?? 0, score);
  }
  const tiers = (Object.keys(tierTable) as TierName[])
    .filter((name) => matched[name] !== undefined)
    .map((name) => ({ name, scored: matched[name] ?? 0, meaning: tierTable[name].meaning }))
    .sort((a, b) => b.scored - a.scored);
  const [best = null, ...beside] = tiers;
  const sure = best !== null && tierTable[best.name].isSure === true;
  const added = Object.entries(otherTable)
    .filter(([name, row]) => matched[name] !== undefined && (!sure || 'countsBesideSure' in row))
    .map(([name, { meaning }]) => ({ name, scored: matched[name] ?? 0, meaning }));
  return { best, beside, added };
}

function line({ name, scored, meaning }: Scored): string {
  return `   ${signed(scored)} ${name}: ${meaning}`;
}

function signed(value: number): string {
  return `+${value.toFixed(1)}`.padStart(7);
}

function distance(score: number, next: number | undefined): string[] {
  return next === undefined ? [] : [`           ${(score - next).toFixed(1)} points before the next one`];
}
