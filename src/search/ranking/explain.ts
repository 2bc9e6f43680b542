import { z } from 'zod';
import { kindOfIndex } from '../../kinds/index-names.ts';
import { matchClause, type PreparedQuery } from '../query.ts';
import { type Clause, popularityWeight, reportNames } from './clauses.ts';
import type { Pass, RankedText } from './ranked-query.ts';
import { type OtherRow, otherTable, tierTable } from './tier-table.ts';

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
type ExplainedResponse = z.infer<typeof explainedResponse>;

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
    const { best, beside, added } = scoreBreakdown(hit.matched_queries);
    const next = hits[at + 1]?._score;
    const popularity = signed(popularityWeight * Math.log10(1 + search.popularity));
    return [
      `${at + 1}. ${name}  (${kindOfIndex(hit._index) ?? hit._index} ${id}): ${hit._score.toFixed(1)} points`,
      best === null ? '   no tier: found by its contents alone' : line(best),
      ...beside.map((one) => `           - also matched, but only the best tier counts: ${one.name} (${one.points})`),
      ...added.map(line),
      `   ${popularity} popularity: ${search.popularity} sources, links and mentions`,
      ...(next === undefined ? [] : [`           ${(hit._score - next).toFixed(1)} points before the next one`]),
    ];
  });
}

function scoreBreakdown(clauses: Readonly<Record<string, number>>) {
  const matched: Record<string, number> = {};
  for (const [clause, score] of Object.entries(clauses)) {
    const name = clause.split(' ')[0] ?? clause;
    matched[name] = Math.max(matched[name] ?? 0, score);
  }
  const rowsOf = <Row extends object>(table: Readonly<Record<string, Row>>) =>
    Object.entries(table).flatMap(([name, row]) => {
      const scored = matched[name];
      return scored === undefined ? [] : [{ ...row, name, scored }];
    });
  const [best = null, ...beside] = rowsOf(tierTable).sort((a, b) => b.scored - a.scored);
  const added = rowsOf<OtherRow>(otherTable).filter((row) => best?.isSure !== true || row.countsBesideSure === true);
  return { best, beside, added };
}

function line({ name, scored, meaning }: { readonly name: string; readonly scored: number; readonly meaning: string }) {
  return `   ${signed(scored)} ${name}: ${meaning}`;
}

function signed(value: number): string {
  return `+${value.toFixed(1)}`.padStart(7);
}
