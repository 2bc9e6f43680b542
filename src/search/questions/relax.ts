import { wordsOf } from '../vocabulary/vocabulary.ts';
import { beyondKinds } from './kind-nouns.ts';
import type { Question } from './question.ts';
import { fillsTopic } from './words.ts';

/**
 * The conditions of a question that are dropped one by one, in this order, while no entity meets all of them. Kinds and
 * exclusions always hold; `known` is that a place or time is known not to be an excluded one.
 */
export const relaxableConditions = [
  'known',
  'words',
  'amount',
  'time',
  'online',
  'place',
  'chain',
  'also',
  'relation',
] as const;
export type Condition = (typeof relaxableConditions)[number];

/** Returns the part of a question that is different without a condition; null if the question lacks it. */
const without: Readonly<Record<Condition, (question: Question) => Partial<Question> | null>> = {
  known: ({ excluded }) =>
    excluded.every((one) => one.orUnknown || one.relation !== null)
      ? null
      : { excluded: excluded.map((one) => ({ ...one, orUnknown: one.relation === null })) },
  words: (question) => {
    const { rest, topics, relation, like } = question;
    if (rest === '') return null;
    if (like !== null) return relation === null ? { rest: '' } : null;
    if (relation !== null) {
      // Topics don't keep the "or" between them.
      const hasOthers = topics !== '' && topics !== rest && !/ or /.test(rest);
      return hasOthers ? { rest: topics } : isOnlyKind(question) ? null : { rest: '' };
    }
    return topics !== rest && question.kinds.length > 0 && (topics !== '' || hasConditions(question))
      ? { rest: topics }
      : null;
  },
  amount: ({ amounts }) => (amounts.length === 0 ? null : { amounts: [] }),
  time: ({ time }) => (time === null ? null : { time: null, order: null }),
  online: ({ online }) => (online === null ? null : { online: null }),
  chain: ({ chains }) => (chains.length === 0 ? null : { chains: [] }),
  place: ({ places }) => (places.length === 0 ? null : { places: [] }),
  also: (question) => (question.also.length === 0 ? null : { relation: eitherOf(question), also: [] }),
  // Entities that only mention the words aren't sorted by date.
  relation: ({ relation }) => (relation === null ? null : { relation: null, also: [], order: null }),
};

function hasConditions({ places, time, amounts, online, chains }: Question): boolean {
  return places.length + chains.length + amounts.length > 0 || time !== null || online !== null;
}

export function withoutConditions(question: Question, relaxed: readonly Condition[]): Question {
  let left = question;
  for (const condition of relaxed) left = { ...left, ...without[condition](left) };
  return left;
}

/** Returns the first relation, with the entities of those of the same role as alternatives. */
function eitherOf({ relation, also }: Question): Question['relation'] {
  const others = also.filter(({ role, of }) => role === relation?.role && of !== '');
  return relation === null ? null : { ...relation, or: [...relation.or, ...others.map(({ of }) => of)] };
}

/** Returns the next condition to drop; null if none is left, or nothing would remain to be searched for. */
export function nextCondition(question: Question): Condition | null {
  const isAsked = (of: Question) => (condition: Condition) => without[condition](of) !== null;
  const next = relaxableConditions.find(isAsked(question));
  if (next === undefined) return null;
  const left = withoutConditions(question, [next]);
  const isAny = left.rest !== '' || left.kinds.length > 0 || left.like !== null;
  return isAny || relaxableConditions.some(isAsked(left)) ? next : null;
}

/** Words that apply to every entity. */
const impliedWords: ReadonlySet<string> = new Set(['crypto', 'blockchain', 'web3', 'cryptocurrency', 'tech']);

/** Returns the remaining words of a question that neither name a kind nor apply to every entity. */
export function tellingWords({ rest }: Pick<Question, 'rest'>): readonly string[] {
  return beyondKinds(wordsOf(rest).filter((word) => !impliedWords.has(word) && !fillsTopic(word)));
}

export function isOnlyKind(question: Question): boolean {
  return tellingWords(question).length === 0;
}
