import { type Concept, isFiller, isLinking, phraseKey, type Vocabulary, wordsOf } from './vocabulary.ts';

/** A concept that a query names, or a word of it that is none. */
interface Part {
  readonly token: string;
  readonly concept: boolean;
  /** Places of its words in the query, rising. */
  readonly places: readonly number[];
}

/** A query read by the vocabulary. */
export interface ConceptReading {
  /** Its words with the tokens of its concepts in their place; the text as it was where it names none. */
  readonly concepts: string;
  /** The concepts that it names, in the vocabulary's order. */
  readonly named: readonly Concept[];
  /** Its words as typed, but those of a concept's phrase as one: "blockchain games" asks for games, not blockchains. */
  readonly typed: string;
}

/** From the left, the phrase of the most words that means a concept becomes its token. */
export function readConcepts(text: string, vocabulary: Vocabulary): ConceptReading {
  const words = wordsOf(text);
  const parts = partsOf(words, vocabulary);
  const tokens = new Set(parts.flatMap((part) => (part.concept ? [part.token] : [])));
  return {
    concepts:
      tokens.size === 0
        ? text
        : withoutGaps(parts)
            .map((part) => part.token)
            .join(' '),
    named: vocabulary.concepts.filter((concept) => tokens.has(concept.token)),
    typed: typedOf(words, parts, vocabulary),
  };
}

/** "Buy bitcoin with a card": what stands inside a phrase fills it, and is not asked for beside it. */
function withoutGaps(parts: readonly Part[]): Part[] {
  const filled = (at: number): boolean =>
    parts.some(({ concept, places }) => concept && at > (places[0] ?? at) && at < (places.at(-1) ?? at));
  return parts.filter(({ concept, places }) => concept || !filled(places[0] ?? 0));
}

function partsOf(words: readonly string[], vocabulary: Vocabulary): Part[] {
  const taken = new Set<number>();
  const parts: Part[] = [];
  for (const [at, word] of words.entries()) {
    if (taken.has(at) || isFiller(word)) continue;
    const found = isLinking(word) ? null : phraseAt(words, at, taken, vocabulary);
    const part = found ?? { token: word, concept: false, places: [at] };
    for (const place of part.places) taken.add(place);
    parts.push(part);
  }
  return parts;
}

/** How many words may stand between those of a phrase: people put more into it than the vocabulary has. */
function gapsMax(words: number): number {
  return Math.min(words - 1, 2);
}

function phraseAt(
  words: readonly string[],
  at: number,
  taken: ReadonlySet<number>,
  vocabulary: Vocabulary,
): Part | null {
  const { tokenOf, longestPhraseWords } = vocabulary;
  const following: number[] = [];
  for (let place = at; place < words.length && following.length < longestPhraseWords + 2; place += 1) {
    const word = words[place] ?? '';
    if (!taken.has(place) && (place === at || !(isFiller(word) || isLinking(word)))) following.push(place);
  }
  for (let size = Math.min(longestPhraseWords, following.length); size > 0; size -= 1) {
    for (let gaps = 0; gaps <= gapsMax(size) && size + gaps <= following.length; gaps += 1) {
      for (const places of chosen(following.slice(0, size + gaps), gaps)) {
        const token = tokenOf.get(phraseKey(places.map((place) => words[place] ?? '').join(' ')));
        if (token !== undefined) return { token, concept: true, places };
      }
    }
  }
  return null;
}

/** All ways to leave so many places out, but not the first and the last. */
function chosen(places: readonly number[], gaps: number): (readonly number[])[] {
  if (gaps === 0) return [places];
  const ways: (readonly number[])[] = [];
  for (let out = 1; out < places.length - 1; out += 1) {
    const before = places.slice(0, out);
    for (const rest of gaps === 1 ? [places.slice(out + 1)] : restsOf(places.slice(out + 1)))
      ways.push([...before, ...rest]);
  }
  return ways;
}

function restsOf(places: readonly number[]): (readonly number[])[] {
  return places.slice(0, -1).map((_, out) => places.toSpliced(out, 1));
}

function typedOf(words: readonly string[], parts: readonly Part[], { tokenOf }: Vocabulary): string {
  const joinedTo = new Set<number>();
  const alone: string[] = [];
  for (const { places, token } of parts) {
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
