import { z } from 'zod';
import { type KindName, kindNames } from '../../kinds/kind.ts';
import { distinctVector } from '../meaning/term-vectors.ts';
import type { QueryVectors } from '../ports.ts';
import type { Question } from '../questions/question.ts';
import { joinedName } from '../questions/words.ts';
import { traits as kindTraits, valueAt, valuesAt } from '../shared-traits.ts';
import { readConcepts } from '../vocabulary/concepts.ts';
import { type Vocabulary, wordsOf } from '../vocabulary/vocabulary.ts';
import { questionBeside } from './asked.ts';
import { addPopularity, anyOf, type Clause, constantScore, type NearVector, nearVector, ofKind } from './clauses.ts';
import { type RankedText, textScores } from './ranked-query.ts';
import { named } from './tier-table.ts';
import { conceptsOccur, enoughOccur } from './word-fields.ts';

/** Maximum number of compared values of a field. More add no precision, and each costs time. */
const valuesMax = 24;
/** The same for the companies of an investor: each one in common counts among co-investors. */
const companiesMax = 200;
const companies = 'search.company_ids';
/** Longer values are not labels, and cursors contain them. */
const valueCharactersMax = 100;

export interface Seed {
  readonly kind: KindName;
  readonly id: number;
  readonly name: string;
  /** True if that name only resembles the one in the question. */
  readonly isGuessed?: boolean;
  /** Values that other entities may share, by field. */
  readonly traits: Readonly<Record<string, readonly (string | number)[]>>;
  /** Tokens of the vocabulary's concepts in its texts and tags. */
  readonly concepts: readonly string[];
  readonly words: string;
  /** Its distinct vector in hexadecimal digits; null if it has none of the model in use. */
  readonly vector: string | null;
}

export function seedFields(vectorField: string | null): readonly string[] {
  const fields = kindNames.flatMap((kind) => kindTraits[kind].map(({ field }) => field));
  return [
    ...new Set(['id', 'name', 'tagline', 'headline', 'overview', ...fields]),
    ...(vectorField === null ? [] : [`search.${vectorField}`]),
  ];
}

/**
 * @param source of a document, with `seedFields`
 * @param sharing what others must share: more of its values are compared, and no vectors
 */
export function seedOf(
  kind: KindName,
  source: Readonly<Record<string, unknown>>,
  vectors: Pick<QueryVectors, 'field' | 'terms'> | null,
  vocabulary: Vocabulary,
  sharing: Question['sharing'] = null,
): Seed {
  const valuesOf = (field: string) =>
    valuesAt(source, field)
      .filter((value) => String(value).length <= valueCharactersMax)
      .slice(0, sharing !== null && field === companies ? companiesMax : valuesMax);
  const traits = kindTraits[kind].map(({ field }) => [field, valuesOf(field)]);
  const texts = `${source.tagline ?? source.headline ?? ''} ${source.overview ?? ''}`;
  const words = texts.slice(0, wordsCharactersMax).trim();
  const vector = vectors === null || sharing !== null ? null : valueAt(source, `search.${vectors.field}`);
  return {
    kind,
    id: z.int().positive().parse(source.id),
    name: String(source.name),
    traits: Object.fromEntries(traits),
    concepts: readConcepts([...valuesOf('tags'), words].join(', '), vocabulary)
      .named.map(({ token }) => token)
      .slice(0, valuesMax),
    words,
    vector: vectors !== null && typeof vector === 'string' ? distinctVector(vector, vectors.terms()) : null,
  };
}

/** Returns true if others can be compared with the seed. Some entities have only a name. */
export function isComparable({ traits, vector, words }: Seed): boolean {
  return vector !== null || words !== '' || Object.values(traits).some((values) => values.length > 0);
}

/** Matches entities whose texts share rare words with this one, for entities without tags. */
function sharingWords(text: string): Clause {
  return {
    more_like_this: {
      fields: ['search.short', 'overview'],
      like: text,
      // Leaves out words of grammar, which are rare if most texts are short.
      analyzer: 'english_question',
      min_term_freq: 1,
      min_doc_freq: 3,
      max_query_terms: 12,
      minimum_should_match: '25%',
      boost: wordsWeight,
    },
  };
}

/** Maximum number of compared characters of an entity's texts. More add little. */
const wordsCharactersMax = 400;
const wordsWeight = 0.6;

/** Events of the same series or fashion: "ETHPrague" and "ETHWarsaw", "TOKEN2049 Dubai" and "TOKEN2049 Singapore". */
function calledAlike({ kind, name }: Seed): Clause[] {
  if (kind !== 'events') return [];
  const first = /^(\p{Lu}{3,})(?=\p{Lu}\p{Ll})/u.exec(name)?.[1] ?? name.split(' ')[0] ?? '';
  const value = joinedName(first);
  if (value.length < seriesLettersMin) return [];
  return [constantScore(seriesPoints, { prefix: { 'search.names.joined': { value } } })];
}

const seriesLettersMin = 3;
const seriesPoints = 6;

/** Points of an entity with the seed's own vector; the nearest others have some nine tenths of them. */
const vectorPoints = 100;
/** Points for each unit of BM25 of a concept's rarity. */
const conceptWeight = 0.5;
/** Shared tags or concepts that make an entity similar to the seed: one of up to three, three of many. */
const commonShare = '1<1 3<2 7<3';
/** Traits of less weight, such as a chain, only add points. */
const tellingWeightMin = 0.3;
/** Points of an entity that has the other words of the question: "insurance protocols like X". */
const askedWordsPoints = 6;
/** Maximum number of entities that are alike otherwise and get points for their vectors. */
const alikeMax = 200;

/**
 * Finds entities like the seed, the most similar first, without the seed itself. A question may have further conditions
 * and words: "companies like X in Berlin".
 * @param nearIn null if vectors are not compared
 */
export function similarQuery(
  seed: Seed,
  nearIn: Pick<NearVector, 'field' | 'filter'> | null,
  { question, rest }: Pick<RankedText, 'question' | 'rest'>,
): Clause {
  // All results are of the seed's kind.
  const asked = questionBeside(question === null ? null : { ...question, kinds: [] });
  // Co-investors have one of the seed's companies, and companies with the same backers one of its investors.
  const shared = seed.kind === 'investors' ? companies : 'search.investor_ids';
  const invested = question?.sharing ? [{ terms: { [shared]: seed.traits[shared] ?? [] } }] : null;
  const traits = kindTraits[seed.kind].flatMap(({ field, weight }) =>
    (seed.traits[field] ?? []).map((value) => ({ term: { [field]: { value, boost: weight } } })),
  );
  const concepts = seed.concepts.length === 0 ? [] : [conceptsOccur(seed.concepts.join(' '), conceptWeight)];
  const words = [...(seed.words === '' ? [] : [sharingWords(seed.words)]), ...calledAlike(seed)];
  const others = rest === null ? [] : [enoughOccur(rest.withConcepts)];
  // "Like uniswap but on solana". Several words may describe the seed.
  const isOneWord = rest !== null && wordsOf(rest.text).length === 1;
  const filter = [ofKind(seed.kind), ...asked.filter];
  const { vector } = seed;
  const all = nearIn === null || vector === null ? null : { ...nearIn, vector, filter: [...nearIn.filter, ...filter] };
  // In an answer to a question, entities that the vectors don't find must be alike in two ways.
  const alike = sharingIn(question !== null && all !== null ? 2 : 1, [...sharingEnough(seed), ...words]);
  const near = all === null ? [] : [nearVector({ ...all, points: vectorPoints }, alike, alikeMax)];
  const found = [...(alike === null ? [] : [alike]), ...near.map((clause) => named('nearEntity', clause))];
  return addPopularity({
    bool: {
      must: invested ?? [anyOf(found.length > 0 ? found : traits)],
      should: [
        ...(traits.length === 0 ? [] : [named('sharedTrait', anyOf(traits))]),
        ...concepts.map((clause) => named('sharedConcept', clause)),
        ...words.map((clause) => named('sharedWords', clause)),
        ...asked.should,
        ...others.map((clause) => constantScore(askedWordsPoints, clause)),
        ...(rest === null ? [] : textScores(rest)),
      ],
      filter: [...filter, ...(isOneWord ? others : [])],
      must_not: [{ term: { id: seed.id } }, ...asked.must_not, ...(question === null ? [] : otherEditions(seed))],
    },
  });
}

/** Matches entities that are alike in this number of ways, or in all of them if they are fewer; null if there is none. */
function sharingIn(waysMin: number, ways: readonly Clause[]): Clause | null {
  if (ways.length === 0) return null;
  return constantScore(0, { bool: { should: ways, minimum_should_match: Math.min(waysMin, ways.length) } });
}

/** Matches entities with enough of the seed's traits or concepts. */
function sharingEnough({ kind, traits, concepts }: Seed): Clause[] {
  const shared = kindTraits[kind].flatMap(({ field, weight }): Clause[] => {
    const should = (traits[field] ?? []).map((value) => ({ term: { [field]: value } }));
    const isTelling = weight >= tellingWeightMin && should.length > 0;
    return isTelling ? [{ bool: { should, minimum_should_match: commonShare } }] : [];
  });
  const about = concepts.length === 0 ? [] : [conceptsOccur(concepts.join(' '), 1, commonShare)];
  return [...shared, ...about].map((clause) => constantScore(0, clause));
}

/** Excludes other editions of an event: callers who search for events like it know that it is held again. */
function otherEditions({ kind, name }: Seed): Clause[] {
  const series = name.replace(/\b(\d+|[ivx]+)\b/giu, ' ').trim();
  return kind === 'events' && series !== '' ? [{ match: { 'search.names': { query: series, operator: 'and' } } }] : [];
}
