import type { Question } from './question.ts';

/**
 * The conditions of a question that are dropped one by one, in this order, while no entity meets all of them. Kinds and
 * exclusions always hold; `known` is that a place or time is known not to be an excluded one.
 */
export const relaxableConditions = ['known', 'words', 'amount', 'time', 'online', 'place', 'also', 'relation'] as const;
export type Condition = (typeof relaxableConditions)[number];

/** The part of a question that is different without a condition. */
const without: Readonly<Record<Condition, (question: Question) => Partial<Question>>> = {
  known: ({ excluded }) => ({
    excluded: excluded.map((one) => ({ ...one, orUnknown: one.orUnknown || one.relation === null })),
  }),
  words: ({ like, rest }) => ({ rest: like === null ? rest : '' }),
  amount: () => ({ amounts: [] }),
  time: ({ time, order }) => ({ time: null, order: time === null ? order : null }),
  online: () => ({ online: null }),
  place: () => ({ places: [] }),
  also: (question) => ({ relation: eitherOf(question), also: [] }),
  relation: () => ({ relation: null, also: [] }),
};

function isAsked(question: Question, condition: Condition): boolean {
  return JSON.stringify({ ...question, ...without[condition](question) }) !== JSON.stringify(question);
}

/** Returns true if a question has a condition that fields prove, whatever the words. */
export function hasConditions(question: Question): boolean {
  return (['amount', 'time', 'online', 'place'] as const).some((condition) => isAsked(question, condition));
}

/** Returns the question without some of its conditions. */
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
  const next = relaxableConditions.find((one) => isAsked(question, one));
  if (next === undefined) return null;
  const left = withoutConditions(question, [next]);
  const { rest, kinds, like } = left;
  const isAny =
    rest !== '' || kinds.length > 0 || like !== null || relaxableConditions.some((one) => isAsked(left, one));
  return isAny ? next : null;
}
