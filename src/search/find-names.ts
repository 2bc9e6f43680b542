import { aliasName } from '../kinds/index-names.ts';
import { type KindName, kindNames } from '../kinds/kind.ts';
import type { SearchFailure, SearchTools } from './ports.ts';
import { type PreparedQuery, prepareQuery, type QueryContext, readText } from './query.ts';
import { type KnownName, type NameSpan, possibleNames } from './questions/relations/possible-names.ts';
import type { Unexplained } from './questions/relations/word-uses.ts';
import { joinedName } from './questions/words.ts';
import { anyOf, type Clause, constantScore } from './ranking/clauses.ts';
import { hitsFilterPath, hitsOf } from './response.ts';
import { valuesAt } from './shared-traits.ts';
import { searchedText } from './vocabulary/analyze-text.ts';
import { nameEnds } from './vocabulary/name-candidates.ts';

/** Ends that people leave out; those of investors more often than others. */
const ends = [...nameEnds, 'venture partners', 'capital ventures', 'capital partners', 'vc'];

const namesField = 'search.names';

/** Few texts have more names, and few names more entities. */
const entitiesMax = 60;

/** Returns the names of entities in a query's text, found by one request, if its other words may ask for a relation. */
export async function findNames(
  { text, literal, context }: PreparedQuery,
  tools: Pick<SearchTools, 'send'>,
): Promise<readonly KnownName[] | SearchFailure> {
  const spans = literal ? [] : possibleNames(searchedText(text), context.knowledge);
  return spans.length === 0 ? [] : lookUp(context, spans, tools);
}

/** Returns the query as read by the names in its text; the query itself if there are none. */
export function readByNames(query: PreparedQuery, names: readonly KnownName[], unexplained: Unexplained) {
  if (names.length === 0) return query;
  const plain = query.reading.question;
  const reading = readText(searchedText(query.text), false, query.context, { names, plain, unexplained });
  return prepareQuery(query, query.context, { reading, meaning: query.meaning });
}

/** Looks possible names of a text up in the data. Returns those that are names, with their usual ends or without. */
async function lookUp(
  { indexPrefix, knowledge }: QueryContext,
  spans: readonly NameSpan[],
  { send }: Pick<SearchTools, 'send'>,
): Promise<readonly KnownName[] | SearchFailure> {
  const indices = kindNames.map((kind) => aliasName(indexPrefix, kind));
  const written = spans.map(({ name }) => joinedName(name));
  const inFull = (name: string) => ends.map((end) => joinedName(name + end));
  const query = anyOf([isNamed(2, written), isNamed(1, written.flatMap(inFull))]);
  const body = { size: entitiesMax, track_total_hits: false, _source: { includes: [namesField] }, query };
  const reply = hitsOf(await send({ indices, body, filterPath: hitsFilterPath, flatScores: true }));
  // A search of one kind doesn't need the indices of others.
  if (!reply.ok) return reply.status === 404 ? [] : reply;
  const kindsOf = new Map<string, Set<KindName>>();
  for (const { kind, _source: source } of reply.hits)
    for (const value of valuesAt(source, namesField)) {
      const name = joinedName(String(value));
      kindsOf.set(name, (kindsOf.get(name) ?? new Set()).add(kind));
    }
  return spans.flatMap((span, at) => {
    const name = written[at] ?? '';
    // "Solana" is not Solana Ventures.
    const isWhole = kindsOf.has(name) || knowledge.isTopicOrChain([name]);
    const kindsWith = (end: string) => kindsOf.get(joinedName(name + end));
    const found = (isWhole ? [''] : ends).filter((end) => kindsWith(end) !== undefined);
    const kinds = new Set(found.flatMap((end) => [...(kindsWith(end) ?? [])]));
    // "Multicoin" is Multicoin Capital.
    const full = found.length === 1 ? `${span.name} ${found[0] ?? ''}`.trim() : span.name;
    return kinds.size === 0 ? [] : [{ ...span, name: full, written: span.name, kinds }];
  });
}

function isNamed(points: number, names: readonly string[]): Clause {
  return constantScore(points, { match: { [`${namesField}.joined`]: { query: names.join(' '), analyzer: 'words' } } });
}
