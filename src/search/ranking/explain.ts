import { z } from 'zod';
import { kindOfIndex } from '../../kinds/index-names.ts';
import type { Pass } from '../passes.ts';
import type { AnalyzedText } from '../vocabulary/analyze-text.ts';
import { type Clause, popularityWeight } from './clauses.ts';
import { type ContentName, combineClauses, rankingClauses } from './ranked-query.ts';
import { sureTiers, type TierName, tierPoints } from './tiers.ts';

/** What it means that a tier matched, for people. */
const tierMeanings: Readonly<Record<TierName, string>> = {
  exactName: 'its name is exactly this text',
  exactOtherName: 'an alias or former name is exactly this text',
  joinedName: 'a name is this text when blanks and signs are left out',
  identifier: 'a ticker, handle, host or proposal number is this text',
  nameAndYear: 'a name is this text without its year, and the year is right',
  namePrefix: 'a name begins with this text, blanks left out',
  namePhrase: 'a name contains these words side by side, in this order',
  nameWordsAndYear: 'one name contains all the words, and the year is right',
  nameWords: 'a name contains all the words',
  labels: 'all the words are tags, place, year or words for the kind',
  fuzzyNameAndYear: 'a name differs by one or two letters from this text without its year, and the year is right',
  fuzzyJoinedOneEdit: 'a name differs from this text by one letter, blanks left out',
  beginningOrSlip: 'a name begins with this text, where the text may also be a misspelt name',
  contentWords: 'all the words occur somewhere in what is known about it',
  fuzzyJoinedTwoEdits: 'a name differs from this text by two letters, blanks left out',
  proposal: 'one of its proposals is named among the words',
  nameWordsPrefix: 'a name contains all the words, the last one perhaps unfinished',
  nameOfAnotherYear: 'a name is this text without its year, and the year is another',
  joinedPart: 'neighbouring words, written together, are one of its names',
  fuzzyWordsOneEdit: 'a name contains all the words, each with one wrong letter at most',
  fuzzyWordsTwoEdits: 'a name contains all the words, each with two wrong letters at most',
  grams: 'a name shares at least 65 % of its three-letter groups with this text',
};
const contentMeanings: Readonly<Record<ContentName, string>> = {
  content: 'words of the query in its names, tags, place, relations and texts; rare words count more',
  words: 'enough words of the query occur in it',
  concept: 'a concept of the query is among its tags',
  relation: 'an organisation, company or investor it is related to is named in the query',
  filedUnder: 'single words of the query among its tags, place and relations',
  city: 'its city or country is named in the query',
  typedLabel: 'one of its tags, as a whole, stands in the query',
  conceptLabel: 'one of its tags, as a whole, means what the query says in other words',
};

/** The body that ranks as a search does, and whose response tells which clauses matched with how many points. */
export function explainBody(text: AnalyzedText, pass: Pass, size: number): Clause {
  const clauses = rankingClauses(text, pass);
  return {
    size,
    track_total_hits: true,
    _source: { includes: ['id', 'name', 'search.popularity'] },
    query: combineClauses(clauses, ({ name, clause }) => ({ bool: { must: [clause], _name: name } })),
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

/** Throws where it is no response to `explainBody`, sent with `include_named_queries_score`. */
export function parseExplained(body: unknown): ExplainedResponse {
  return explainedResponse.parse(body);
}

/** What a text was understood as, in words. */
export function understandingLines({ text, concepts, dated }: AnalyzedText): string[] {
  return [
    `names are asked for:    ${text}`,
    ...(concepts === text ? [] : [`contents are asked for: ${concepts}   (by the vocabulary)`]),
    ...(dated === null ? [] : [`read as a name and year: ${dated.rest} | ${dated.year}`]),
  ];
}

/** Why each hit stands where it stands, in words. */
export function hitLines({ hits: { hits } }: ExplainedResponse): string[] {
  return hits.flatMap((hit, at) => {
    const { id, name, search } = hit._source;
    const score = scoreBreakdown(hit.matched_queries);
    const head = `${at + 1}. ${name}  (${kindOfIndex(hit._index) ?? hit._index} ${id}): ${hit._score.toFixed(1)} points`;
    return [
      head,
      ...(score.best === null ? ['   no tier: found by its contents alone'] : [line(score.best)]),
      ...score.beside.map(
        (tier) => `           - also matched, but only the best tier counts: ${tier.name} (${tierPoints[tier.name]})`,
      ),
      ...score.added.map(line),
      `   ${signed(popularityWeight * Math.log10(1 + search.popularity))} popularity: ${search.popularity} sources, links and mentions`,
      ...distance(hit._score, hits[at + 1]?._score),
    ];
  });
}

// To what is named already, contents add nothing.
const sureNames: ReadonlySet<TierName> = new Set(
  sureTiers({ text: '', concepts: '', typed: '', conceptTokens: '', labels: '', dated: { rest: '', year: '' } }).map(
    ({ name }) => name,
  ),
);

const notBesideSure: ReadonlySet<ContentName> = new Set([
  'words',
  'content',
  'concept',
  'city',
  'relation',
  'filedUnder',
]);

interface Scored {
  readonly name: string;
  readonly scored: number;
  readonly meaning: string;
}

function scoreBreakdown(matched: Readonly<Record<string, number>>) {
  const tiers = (Object.keys(tierPoints) as TierName[])
    .filter((name) => matched[name] !== undefined)
    .map((name) => ({ name, scored: matched[name] ?? 0, meaning: tierMeanings[name] }))
    .sort((a, b) => b.scored - a.scored);
  const [best = null, ...beside] = tiers;
  const sure = best !== null && sureNames.has(best.name);
  const added = (Object.keys(contentMeanings) as ContentName[])
    .filter((name) => matched[name] !== undefined && !(sure && notBesideSure.has(name)))
    .map((name) => ({ name, scored: matched[name] ?? 0, meaning: contentMeanings[name] }));
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
