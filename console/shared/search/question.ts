import type { KindName } from '../../../src/kinds/kind.ts';
import { dayMs, utcDay } from '../durations.ts';
import { daysText } from '../format.ts';
import { kindWords } from '../kinds.ts';

/** The API's reading of a query, limited to the parts that pages show. */
export interface Understood {
  readonly kinds: readonly KindName[];
  readonly like: string | null;
  readonly time: { readonly from: string | null; readonly until: string | null } | null;
  readonly parts: readonly (QuestionPart & { readonly met: boolean })[];
  /** A note on the conditions that no result meets together. */
  readonly note: string | null;
}

/** Words of a query and their role. */
export interface QuestionPart {
  readonly as: string;
  readonly text: string;
}

type Labelled = Pick<Understood, 'kinds'> & { readonly parts: readonly QuestionPart[] };

/** Returns the label of a part: the kind that it names, or its words. */
export function partLabel({ as, text }: QuestionPart, { kinds, parts }: Labelled): string {
  const [kind] = kinds;
  const isOnly = kinds.length === 1 && parts.filter((part) => part.as === 'kind').length === 1;
  return as === 'kind' && kind !== undefined && isOnly ? kindWords[kind].many.toLowerCase() : text;
}

/** Returns the days that a part means, if its words do not name them, as in "next month"; null otherwise. */
export function partDays({ as, text }: QuestionPart, { time }: Pick<Understood, 'time'>): string | null {
  if (as !== 'time' || time === null || /\d{4}|\d0s|century/.test(text)) return null;
  const { from, until } = time;
  // The range ends before the day that it names.
  const last = until === null ? null : utcDay(Date.parse(until) - dayMs);
  if (from !== null && last !== null) return daysText(from, last);
  return from === null ? `until ${daysText(last, null)}` : `from ${daysText(from, null)}`;
}

/** Removes the words of a part from a query: as a phrase if they are adjacent, else one by one in their order. */
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

/** Compares words in the normal form in which the API returns them. */
function sameWord(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one.normalize('NFKC') === other.normalize('NFKC');
}

/**
 * Compares the number of a kind's results among those of all kinds with the kind's own search, which may also include
 * close matches. Null if either may be larger.
 */
export function kindCountIs(query: string, parts: readonly QuestionPart[], matchedBy: string) {
  const read = parts.filter(({ as }) => as !== 'words');
  const words = read.reduce(withoutPart, query).match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  if (matchedBy !== 'semantic' && (words === 0 || (words === 1 && read.length === 0))) return 'exact';
  return matchedBy === 'strict' && read.length === 0 ? 'minimum' : null;
}
