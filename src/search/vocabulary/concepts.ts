import { type Concept, isFiller, isLinking, phraseKey, stemOf, type Vocabulary, wordsOf } from './vocabulary.ts';

/** A concept that a query names, or a word without a concept. */
interface Segment {
  readonly token: string;
  readonly isConcept: boolean;
  /** Positions of its words in the query, ascending. */
  readonly places: readonly number[];
}

export interface ConceptReading {
  /** Its words with the tokens of its concepts in place of their phrases; the unchanged text if it names none. */
  readonly withConcepts: string;
  /** The concepts that it names, in the vocabulary's order. */
  readonly named: readonly Concept[];
  /** Its words as typed, but with a concept's phrase as one word: "blockchain games" means games, not blockchains. */
  readonly withJoinedPhrases: string;
}

/** Replaces phrases by their concepts' tokens, from the left, the longest phrase first. */
export function readConcepts(text: string, vocabulary: Vocabulary): ConceptReading {
  const words = wordsOf(text);
  const segments = segmentsOf(words, words.map(stemOf), vocabulary);
  const tokens = new Set(segments.flatMap((segment) => (segment.isConcept ? [segment.token] : [])));
  return {
    withConcepts: tokens.size === 0 ? text : withoutWordsInsidePhrases(segments).join(' '),
    named: tokens.size === 0 ? [] : vocabulary.concepts.filter((concept) => tokens.has(concept.token)),
    withJoinedPhrases: joinPhrases(words, segments, vocabulary),
  };
}

/** Returns the tokens. Words inside a phrase belong to it: "buy bitcoin with a card". */
function withoutWordsInsidePhrases(segments: readonly Segment[]): string[] {
  const isFilled = ([at = 0]: readonly number[]): boolean =>
    segments.some(({ isConcept, places }) => isConcept && at > (places[0] ?? at) && at < (places.at(-1) ?? at));
  return segments.flatMap(({ isConcept, places, token }) => (isConcept || !isFilled(places) ? token : []));
}

function segmentsOf(words: readonly string[], stems: readonly string[], vocabulary: Vocabulary): Segment[] {
  const taken = new Set<number>();
  const segments: Segment[] = [];
  for (const [at, word] of words.entries()) {
    if (taken.has(at) || isFiller(word)) continue;
    // No phrase begins with most words.
    const longest = isLinking(word) ? 0 : (vocabulary.longestFrom.get(stems[at] ?? '') ?? 0);
    const found = longest === 0 ? null : phraseAt(telling(words, at, taken, longest), stems, longest, vocabulary);
    const segment = found ?? { token: word, isConcept: false, places: [at] };
    for (const place of segment.places) taken.add(place);
    segments.push(segment);
  }
  return segments;
}

/** Maximum number of words between those of a phrase, because people insert words. */
const gapsMax = 2;

/** Returns the positions of words that a phrase may consist of: words with a meaning, and not in another phrase. */
function telling(words: readonly string[], at: number, taken: ReadonlySet<number>, longest: number): readonly number[] {
  const places = [...words.keys()].slice(at + 1).filter((place) => {
    const word = words[place] ?? '';
    return !taken.has(place) && !isFiller(word) && !isLinking(word);
  });
  return [at, ...places].slice(0, longest + 2);
}

function phraseAt(
  following: readonly number[],
  stems: readonly string[],
  longest: number,
  { tokenOf }: Vocabulary,
): Segment | null {
  for (let size = Math.min(longest, following.length); size > 0; size -= 1) {
    for (let gaps = 0; gaps <= Math.min(size - 1, gapsMax, following.length - size); gaps += 1) {
      for (const places of leavingOut(following.slice(0, size + gaps), gaps)) {
        const token = tokenOf.get(places.map((place) => stems[place]).join(' '));
        if (token !== undefined) return { token, isConcept: true, places };
      }
    }
  }
  return null;
}

/** Returns all ways to leave out a number of positions, except the first and the last. */
function leavingOut(places: readonly number[], gaps: number, from = 1): (readonly number[])[] {
  if (gaps === 0) return [places];
  return places.slice(from, -1).flatMap((_, index) => {
    const out = from + index;
    return leavingOut(places.slice(out + 1), gaps - 1, 0).map((rest) => [...places.slice(0, out), ...rest]);
  });
}

function joinPhrases(words: readonly string[], segments: readonly Segment[], { tokenOf }: Vocabulary): string {
  const joinedTo = new Set<number>();
  const alone: string[] = [];
  for (const { places, token } of segments) {
    const [first = 0] = places;
    const last = places.at(-1) ?? first;
    const between = words.slice(first, last + 1).filter((word) => !isFiller(word) && !isLinking(word));
    if (between.length > places.length) continue;
    for (let place = first + 1; place <= last; place += 1) joinedTo.add(place);
    // "Creator economy": one of its words may mean the same concept by itself.
    if (last > first) alone.push(...between.filter((word) => tokenOf.get(phraseKey(word)) === token));
  }
  const joined = words.map((word, at) => (at === 0 || joinedTo.has(at) ? word : ` ${word}`)).join('');
  return [joined, ...alone].join(' ');
}
