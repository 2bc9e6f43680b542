import type { Question, ReadPart } from './question.ts';
import type { Condition } from './relax.ts';

const others: Readonly<Record<Condition, string>> = {
  known: 'whose place or time is unknown',
  words: 'without some of its words',
  amount: 'of any size',
  time: 'from other times',
  online: 'online or in person',
  chain: 'on other chains',
  place: 'in other places',
  also: 'that meet a part of it',
  relation: 'that mention its words',
};

const and = new Intl.ListFormat('en');
const or = new Intl.ListFormat('en', { type: 'disjunction' });

const isSentence = /^(who|whose|what|which|where|when|how|is|are|was|were|do|does|did|show|find|list|give)\b/i;

/** The parts of an understood query that the note needs. */
interface Relaxed extends Pick<Question, 'time'> {
  readonly parts: readonly (ReadPart & { readonly met: boolean })[];
  readonly places: readonly Pick<Question['places'][number], 'text' | 'cities' | 'countries'>[];
  readonly relaxed: readonly Condition[];
}

/** Returns a note on conditions that were not met or understood: "No upcoming events in Berlin. Showing past ones." */
export function relaxedNote(query: string, question: Relaxed): string | null {
  const ignored = question.parts
    .filter(({ as }) => as === 'ignored')
    .map(({ text }) => `“${text}” was not understood.`);
  const unmet = question.parts.filter(({ as, met }) => {
    const isKept = as === 'kind' || (as === 'words' && !question.relaxed.includes('words'));
    const isExplained = question.relaxed.length > 0 && !isKept;
    return !met && !isExplained && as !== 'ignored';
  });
  const doubtful = or.format(unmet.map(({ text }) => `“${text}”`));
  const doubt = unmet.length === 0 ? [] : [`Some results may not match ${doubtful}.`];
  const notes = [...ignored, ...doubt, ...(question.relaxed.length === 0 ? [] : [noteOn(query, question)])];
  return notes.length === 0 ? null : notes.join(' ');
}

function noteOn(query: string, { places, time, relaxed }: Relaxed): string {
  const asked = places.reduce(withPlaceName, query.trim().replace(/^(the|an?) |[?!.]+$/gi, ''));
  const none =
    isSentence.test(asked) || relaxed.includes('words') ? `No results for “${asked}”.` : `No ${withoutCapital(asked)}.`;
  // Without an end, a time is in the future.
  const isPast = time !== null && time.about === 'starts' && time.until === null;
  if (isPast && relaxed.length === 1 && relaxed[0] === 'time') return `${none} Showing past ones.`;
  return `${none} Showing results ${and.format(relaxed.map((condition) => others[condition]))}.`;
}

/** Makes the first letter lower case: "upcoming events". "DeFi events" and "Bain Capital companies" stay. */
function withoutCapital(text: string): string {
  return /^\p{Lu}\p{Ll}+(\s\p{Ll}|$)/u.test(text) ? `${text[0]?.toLowerCase()}${text.slice(1)}` : text;
}

/** Spells a place as the data does. */
function withPlaceName(text: string, place: Relaxed['places'][number]): string {
  const written = place.text.toLowerCase();
  const name = [...place.cities, ...place.countries].find((one) => one.toLowerCase() === written);
  const at = text.toLowerCase().indexOf(written);
  return name === undefined || at < 0 ? text : text.slice(0, at) + name + text.slice(at + written.length);
}
