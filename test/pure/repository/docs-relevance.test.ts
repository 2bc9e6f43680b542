import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kindNames } from '../../../src/kinds/kind.ts';
import { chooseFinalPass, isFound, isNamed, isSure } from '../../../src/search/passes.ts';
import type { Question } from '../../../src/search/questions/question.ts';
import { askedClauses, questionBeside } from '../../../src/search/ranking/asked.ts';
import { type Clause, popularityWeight } from '../../../src/search/ranking/clauses.ts';
import { misspeltNameAmongWordsTiers, nameAmongWordsTiers } from '../../../src/search/ranking/name-among-words.ts';
import { contentTable } from '../../../src/search/ranking/ranked-query.ts';
import { semanticQuery } from '../../../src/search/ranking/semantic-query.ts';
import { similarQuery } from '../../../src/search/ranking/similar.ts';
import { type TierName, tierTable } from '../../../src/search/ranking/tier-table.ts';
import { traits } from '../../../src/search/shared-traits.ts';
import { analyzeText } from '../../../src/search/vocabulary/analyze-text.ts';
import type { NameCandidate } from '../../../src/search/vocabulary/name-candidates.ts';
import { vocabularyOf } from '../../../src/search/vocabulary/vocabulary.ts';

// docs/relevance.md gives the points and thresholds that the code has.

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs/relevance.md'), 'utf8');

/** The rows of the table whose first heading is such, as their cells. */
function table(...headings: readonly string[]): readonly (readonly string[])[] {
  const [, below = ''] = page.split(`| ${headings.join(' | ')} |\n`);
  const [lines = ''] = below.split('\n\n');
  const rows = lines.split('\n').filter((line) => !line.startsWith('| ---'));
  return rows.map((line) => line.slice(2, -2).split(' | '));
}

function numbers(text: string): readonly number[] {
  return (text.match(/\d+(\.\d+)?/g) ?? []).map(Number);
}

/** What the row says that begins so: its last cell. */
function said(rows: readonly (readonly string[])[], beginning: string): string {
  const found = rows.filter(([first = '']) => first.startsWith(beginning));
  expect([beginning, found.length]).toEqual([beginning, 1]);
  return found[0]?.at(-1) ?? '';
}

/** The points of every clause that gives the same to all it matches. */
function constants(clause: unknown): readonly number[] {
  if (typeof clause !== 'object' || clause === null) return [];
  const own = 'constant_score' in clause ? (clause.constant_score as { readonly boost: number }).boost : null;
  return [...(own === null ? [] : [own]), ...Object.values(clause).flatMap(constants)];
}

const sorted = (points: Iterable<number>): readonly number[] => [...new Set(points)].sort((one, other) => other - one);

test('every boost', () => {
  const rows = table('boost', 'points', 'for').map(([name = '', points = '']) => [name, points] as const);
  const { city, preferredKind, relation, typedLabel, conceptLabel } = contentTable;
  expect(numbers(said(rows, 'its city or country'))).toEqual([city.points]);
  expect(numbers(said(rows, 'it is a company'))).toEqual([preferredKind.points]);
  expect(numbers(said(rows, 'a related organisation'))).toEqual([relation.points]);
  expect(numbers(said(rows, 'a complete tag'))).toEqual([typedLabel.points, conceptLabel.points]);
  expect(rows.map(([name]) => name)).toContain(`popularity: ${popularityWeight}·log10(1 + popularity)`);
});

/** The tiers of each row, in its order. */
const tierRows: readonly (readonly TierName[])[] = [
  ['exactName', 'exactOtherName', 'joinedName'],
  ['shortenedName'],
  ['identifier', 'nameAndYear'],
  ['fuzzyNameAndYear', 'fuzzyJoinedOneEdit', 'beginningOrSlip'],
  ['namePrefix'],
  ['fuzzyWordsOneEdit', 'fuzzyWordsTwoEdits'],
  ['namePhrase', 'nameWordsAndYear', 'nameWords'],
  ['misspeltNameAmongWords'],
  ['labels', 'correctedLabels'],
  ['topicInName'],
  ['contentWords', 'correctedWords'],
  ['nameAmongWords'],
  ['proposal', 'nameWordsPrefix'],
  ['fuzzyJoinedTwoEdits'],
  ['nameOfAnotherYear', 'joinedPart'],
  ['grams'],
];

test('every tier', () => {
  const documented = table('tier', 'points', 'pass').map(([, points = '']) => numbers(points));
  const expected = tierRows.map((names) => names.map((name) => tierTable[name].points));
  // A common word that is a name gives less: the table of words has both.
  const [common] = numbers(said(table('word', 'points'), 'is a whole name, and such a word'));
  expect(documented).toEqual(
    expected.map((points, at) => (tierRows[at]?.[0] === 'nameAmongWords' ? [...points, common] : points)),
  );
  expect(tierRows.flat().toSorted()).toEqual(Object.keys(tierTable).toSorted());
});

const lending = {
  name: 'lending',
  token: 'clending',
  phrases: ['lending'],
  queryPhrases: [],
  descriptions: [],
  broader: null,
};
const analyzed = (text: string) => analyzeText(text, vocabularyOf([lending]));

describe('The pass', () => {
  const pages = table('pass', 'asks for', 'is sent');
  const sentence = 'where do i find somebody who lays tiles';

  test('behind strict', () => {
    const [few = 0] = numbers(said(pages, '*partial*'));
    const pass = (hits: number) => chooseFinalPass('strict', analyzed('floor tiles spain'), { best: 60, hits });
    expect([pass(few - 1), pass(few)]).toEqual(['partial', 'strict']);
  });

  test('that allows for misspellings', () => {
    const [weak = 0, inSentence = 0, ofKinds = 0] = numbers(said(pages, '*tolerant*'));
    const isTolerant = (text: string, best: number, asksForKinds = false) =>
      chooseFinalPass('partial', analyzed(text), { best, hits: 500, asksForKinds }) === 'tolerant';
    const short = 'floor tiles spain';
    expect([isTolerant(short, weak - 1), isTolerant(short, weak)]).toEqual([true, false]);
    expect([isTolerant(sentence, inSentence - 1), isTolerant(sentence, inSentence)]).toEqual([true, false]);
    expect([isTolerant(sentence, ofKinds - 1, true), isTolerant(sentence, ofKinds, true)]).toEqual([true, false]);
  });

  test('by meaning', () => {
    const [, text = ''] = /The semantic pass answers where ([^.]+)\./.exec(page) ?? [];
    const [named = 0, concept = 0, inSentence = 0, ofKinds = 0] = numbers(text);
    const kindOnly: Question = { ...nothing, parts: [{ as: 'kind', text: 'somebody' }] };
    const foundFrom = (words: string, points: number, question: Question | null = null) =>
      [points - 1, points].map((best) => isFound({ type: 'all', analyzed: analyzed(words), question }, best));
    expect(foundFrom('floor tiles', named)).toEqual([false, true]);
    expect(foundFrom('lending tiles', concept)).toEqual([false, true]);
    expect(foundFrom(sentence, inSentence)).toEqual([false, true]);
    expect(foundFrom(sentence, ofKinds, kindOnly)).toEqual([false, true]);
  });

  test('of what is like an entity', () => {
    const [found = 0, sure = 0] = numbers(said(pages, '*similar*'));
    expect([isNamed(found - 1), isNamed(found), isSure(sure - 1), isSure(sure)]).toEqual([false, true, false, true]);
  });
});

test('a name among other words', () => {
  const rows = table('word', 'points');
  const word = (change: Partial<NameCandidate>): readonly NameCandidate[] => [
    { text: 'unswaping', isCommon: false, misspelt: 'no', beside: 'common', ...change },
  ];
  const spelt = (change: Partial<NameCandidate>) => sorted(constants(nameAmongWordsTiers(word(change), ['common'])));
  const slips = (misspelt: 'likely' | 'unlikely') => sorted(constants(misspeltNameAmongWordsTiers(word({ misspelt }))));
  const [likely = 0] = numbers(said(rows, 'is one letter off a name, and'));
  const [unlikely = 0] = numbers(said(rows, 'the same, but it is closer'));
  const [less = 0] = numbers(said(rows, 'two letters off'));
  const others = numbers(said(rows, 'is one letter off a word of a longer name'));
  expect(numbers(said(rows, 'is a whole name, and not'))).toEqual(spelt({}));
  expect(numbers(said(rows, 'is a whole name, and such'))).toEqual(spelt({ isCommon: true }));
  expect(sorted([likely, likely - less, ...others])).toEqual(slips('likely'));
  expect(sorted([unlikely, unlikely - less])).toEqual(slips('unlikely'));
  const [rarity = 0] = numbers(said(rows, 'how rare'));
  const [tier] = nameAmongWordsTiers(word({}), ['common']);
  expect(JSON.stringify(tier)).toContain(`"boost":${rarity}}`);
});

const nothing: Question = {
  rest: '',
  kinds: [],
  relation: null,
  like: null,
  without: [],
  places: [],
  time: null,
  online: null,
  order: null,
  parts: [],
};

test('the points of questions', () => {
  const rows = table('an entity', 'points');
  const rest: Clause = { match: { words: 'rest' } };
  const pointsOf = (question: Partial<Question>) => {
    const asked = askedClauses(
      { ...nothing, ...question },
      { type: 'all', rest, restAsWritten: rest, filed: rest, told: rest, tolerant: true },
    );
    return sorted(constants(asked));
  };
  const first = (beginning: string) => numbers(said(rows, beginning))[0] ?? Number.NaN;
  const berlin = { text: 'berlin', countries: [], cities: ['Berlin'] };
  expect(pointsOf({ places: [berlin] })).toEqual([
    first('has the kind, places and time'),
    first('fits, and its texts name the place'),
    first('fits but for its place'),
  ]);
  expect(pointsOf({ relation: { role: 'founder', of: 'aave' } })).toEqual(
    sorted([
      ...numbers(said(rows, 'is related to the entity that is named')),
      ...numbers(said(rows, 'has the name in its short text')),
      first('is related to an entity of a similar name'),
      ...numbers(said(rows, 'its texts say the role')),
      ...numbers(said(rows, 'its texts do not say')),
      first('the other words fit, too'),
    ]),
  );
});

test('what else makes neighbours', () => {
  const [, section = ''] = page.split('\n### Neighbours\n');
  const figure = (pattern: RegExp): number => Number(pattern.exec(section)?.[1]);
  const seed = {
    kind: 'companies' as const,
    id: 1,
    name: 'One',
    traits: {},
    concepts: ['clending'],
    words: 'lends',
    vector: '7f',
  };
  const near = { field: 'vector_0a1b2c3d', filter: [] };
  const query = similarQuery(seed, near, { question: nothing, rest: analyzed('wallets') });
  const text = JSON.stringify(query);
  expect(text).toContain(`"analyzer":"stems","boost":${figure(/- ([\d.]+) × BM25 of the vocabulary/)}}`);
  expect(text).toContain(`"boost":${figure(/- ([\d.]+) × BM25 of the rarest/)}}}`);
  expect(text).toContain(`"num_candidates":100,"boost":${figure(/- (\d+) × \(1 \+ cosine\)/)}`);
  expect(constants(query)).toContain(figure(/(\d+) points where most/));
});

test.each(kindNames)('what neighbours among %s share', (kind) => {
  const fields = traits[kind].map(({ field }) => field);
  const seed = { kind, id: 1, name: 'One', traits: Object.fromEntries(fields.map((field) => [field, ['x']])) };
  const text = JSON.stringify(
    similarQuery({ ...seed, concepts: [], words: '', vector: null }, null, { question: null, rest: null }),
  );
  const weights = [...text.matchAll(/"value":"x","boost":([\d.]+)/g)].map(([, weight]) => Number(weight));
  expect(weights).toHaveLength(fields.length);
  expect(numbers(said(table('kind', 'weights'), kind))).toEqual(weights);
});

test('the points of what is near in meaning', () => {
  const [, section = ''] = page.split('\n### Meaning\n');
  const figure = (pattern: RegExp): number => Number(pattern.exec(section)?.[1]);
  const berlin = { text: 'berlin', countries: [], cities: ['Berlin'] };
  const question = { ...nothing, kinds: ['companies'] as const, places: [berlin] };
  const term = { term: 'one', weight: 1 };
  const query = semanticQuery(
    { type: 'all', analyzed: analyzed('floor tiles'), question, rest: null },
    { vector: '7f', concepts: [term], tags: [term] },
    { field: 'vector_0a1b2c3d', filter: [] },
    ({ name, clause }) => ({ [name]: clause }),
  );
  const text = JSON.stringify(query);
  expect(/"k":(\d+),"num_candidates":\d+,"boost":(\d+)/.exec(text)?.slice(1).map(Number)).toEqual([
    figure(/for the (\d+)\s+nearest/),
    figure(/: (\d+) × \(1 \+ cosine\)/),
  ]);
  expect(text).toContain(`"analyzer":"stems"}},"boost":${figure(/with (\d+)\s+points each/)}}`);
  expect(text).toContain(`"analyzer":"label","boost":${figure(/tags with ([\d.]+) × BM25/)}}`);
  const [kind, place] = [figure(/(\d+) points for the kind/), figure(/(\d+) for a known place/)];
  expect(constants(questionBeside(question))).toEqual([kind, place]);
});
