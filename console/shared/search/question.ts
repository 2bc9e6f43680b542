import type { KindName } from '../../../src/kinds/kind.ts';
import { dayMs } from '../durations.ts';
import { kindWords } from '../kinds.ts';
import { daysText } from '../record.ts';

/** What the API read a query as, as far as pages show it. */
export interface Understood {
  readonly kinds: readonly KindName[];
  readonly like: string | null;
  readonly time: { readonly from: string | null; readonly until: string | null } | null;
  readonly parts: readonly QuestionPart[];
}

/** Words of a query, and what they were taken for. */
export interface QuestionPart {
  readonly as: string;
  readonly text: string;
}

/** What a part is shown as: the kind that it asks for, or its words. */
export function partLabel({ as, text }: QuestionPart, { kinds, parts }: Understood): string {
  const [kind] = kinds;
  const isOnly = kinds.length === 1 && parts.filter((part) => part.as === 'kind').length === 1;
  return as === 'kind' && kind !== undefined && isOnly ? kindWords[kind].many.toLowerCase() : text;
}

/** The days that are meant, where the words of a part leave it to the calendar; null where there is nothing to add. */
export function partDays({ as, text }: QuestionPart, { time }: Understood): string | null {
  if (as !== 'time' || time === null || /\d{4}|\d0s|century/.test(text)) return null;
  const { from, until } = time;
  // The range ends before the day that it names.
  const last = until === null ? null : new Date(Date.parse(until) - dayMs).toISOString().slice(0, 10);
  if (from !== null && last !== null) return daysText(from, last);
  return from === null ? `until ${daysText(last, null)}` : `from ${daysText(from, null)}`;
}

/** A query without the words of a part, as far as they stand in it: beside each other, or else in their order. */
export function withoutPart(query: string, { text }: QuestionPart): string {
  const words = query.trim().split(/\s+/);
  const taken = text.split(' ');
  const start = words.findIndex((_, at) => taken.every((word, index) => sameWord(words[at + index], word)));
  if (start >= 0) return [...words.slice(0, start), ...words.slice(start + taken.length)].join(' ');
  const left = [...taken];
  return words
    .filter((word) => {
      if (!sameWord(word, left[0])) return true;
      left.shift();
      return false;
    })
    .join(' ');
}

/** The API tells words in the form in which it searches for them. */
function sameWord(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one.normalize('NFKC') === other.normalize('NFKC');
}
