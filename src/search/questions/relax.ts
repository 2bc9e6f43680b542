import type { Question } from './question.ts';

/**
 * The conditions of a question that are dropped one by one, in this order, while no entity meets all of them. Kinds and
 * exclusions always hold; `known` is that a place or time is known not to be an excluded one.
 */
export const relaxableConditions = ['known', 'amount', 'time', 'online', 'place', 'also', 'relation'] as const;
export type Condition = (typeof relaxableConditions)[number];

function isAsked({ excluded, amounts, time, online, places, also, relation }: Question, condition: Condition): boolean {
  switch (condition) {
    case 'known':
      return excluded.some((one) => one.relation === null && !one.orUnknown);
    case 'amount':
      return amounts.length > 0;
    case 'time':
      return time !== null;
    case 'online':
      return online !== null;
    case 'place':
      return places.length > 0;
    case 'also':
      return also.length > 0;
    case 'relation':
      return relation !== null;
    default:
      return condition satisfies never;
  }
}

/** Returns true if a question has a condition that fields prove, whatever the words. */
export function hasConditions(question: Question): boolean {
  return (['amount', 'time', 'online', 'place'] as const).some((condition) => isAsked(question, condition));
}

/** Returns the question without some of its conditions. */
export function withoutConditions(question: Question, relaxed: readonly Condition[]): Question {
  return {
    ...question,
    ...(relaxed.includes('known') ? { excluded: question.excluded.map((one) => ({ ...one, orUnknown: true })) } : {}),
    ...(relaxed.includes('amount') ? { amounts: [] } : {}),
    ...(relaxed.includes('time') ? { time: null, order: null } : {}),
    ...(relaxed.includes('online') ? { online: null } : {}),
    ...(relaxed.includes('place') ? { places: [] } : {}),
    ...(relaxed.includes('also') ? { relation: eitherOf(question), also: [] } : {}),
    ...(relaxed.includes('relation') ? { relation: null, also: [] } : {}),
  };
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
  const isEmpty = left.rest === '' && left.kinds.length === 0 && !relaxableConditions.some((one) => isAsked(left, one));
  return isEmpty ? null : next;
}

/** Returns true if every result meets a part of a question. */
export function isMet({ as }: Question['parts'][number], question: Question, relaxed: readonly Condition[]): boolean {
  if (as === 'ignored') return false;
  if (as === 'relation' && relaxed.includes('also')) return false;
  if (as === 'without') return !relaxed.includes('known');
  // "Upcoming" is a time, too.
  if (as === 'order') return question.time === null || !relaxed.includes('time');
  return !(relaxed as readonly string[]).includes(as);
}
