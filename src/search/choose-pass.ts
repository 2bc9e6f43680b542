import type { KindName } from '../kinds/kind.ts';
import { sentenceWordsMin } from './questions/words.ts';
import type { InitialPass, Pass, RankedText } from './ranking/ranked-query.ts';
import { isSure, tierTable } from './ranking/tier-table.ts';
import type { AnalyzedText } from './vocabulary/analyze-text.ts';
import { wordsOf } from './vocabulary/vocabulary.ts';

// The choice of passes, by the text and the result of the pass before.

/** Kinds with few entities: matching part of the words is cheap there, and a second request costs as much. */
const smallKinds: ReadonlySet<string> = new Set<KindName>(['investors', 'events']);

export function chooseInitialPass(type: KindName | 'all', text: ReadText | null): InitialPass {
  return smallKinds.has(type) && !mayBeName(text) ? 'partial' : 'strict';
}

/** Returns true for a text that only entities of a similar name can answer, apart from those with all of its words. */
export function mayBeName(text: ReadText | null): boolean {
  return text !== null && text.question === null && text.analyzed.mayBeName;
}

/** Points of a hit that answers a sentence: it meets the question, or its name has all of the words. */
const sentencePoints = 80;
/** The same for a question that only names a kind, because the kind alone can earn `sentencePoints`. */
const kindSentencePoints = 130;

function sentencePointsOf(text: ReadText, words: string): number | null {
  if (wordsOf(words).length < sentenceWordsMin) return null;
  return asksForKinds(text) ? kindSentencePoints : sentencePoints;
}

/** Returns true if some words of a text can be a match. One of two words is enough only if it is a concept. */
function canMatchInPart({ withConcepts, conceptTokens }: AnalyzedText): boolean {
  return wordsOf(withConcepts).length >= (conceptTokens === '' ? 3 : 2);
}

/**
 * With fewer hits, the partial pass may add some. At 50, texts that happen to have every word hid the intended entity
 * (topics fell from 0.907 to 0.846 among 216,000 entities). Above 200, nothing changed.
 */
const enoughHits = 200;

/**
 * Returns the pass that answers, given the first one's exact number of hits and points of the best, 0 if there is none;
 * undefined in orders that don't score. If few entities have every word, the partial pass adds those with enough words,
 * unless the text names one for sure. Large results stay strict: among hundreds of thousands of entities, many match
 * one word in three, which takes most of the time, and they rank last anyway.
 */
export function chooseFinalPass(initial: InitialPass, text: ReadText, hits: number, best?: number): Pass {
  const { analyzed } = text;
  // Below the tier of all words, no entity was named and some words were not found.
  const enough = sentencePointsOf(text, analyzed.text) ?? tierTable.contentWords.points;
  if (best === undefined ? hits === 0 : best < enough) return 'tolerant';
  if (initial === 'partial') return initial;
  return hits < enoughHits && !isSure(best ?? 0) && canMatchInPart(analyzed) ? 'partial' : 'strict';
}

/** Returns true if the best hit of a search for a name, by its points, has that name with two typing errors at most. */
export function isNamed(best: number): boolean {
  return best >= tierTable.fuzzyJoinedTwoEdits.points;
}

type ReadText = Omit<RankedText, 'rest'>;

/** Points of a hit for a concept of the vocabulary that the text names. */
const conceptPoints = 14;

/**
 * Returns true if meaning may answer better than this pass: than misspellings, or people with a part of the words. An
 * unknown word next to a topic is more likely a surname.
 */
export function mayBeMeant(text: ReadText, pass: Pass): boolean {
  return pass === 'tolerant' || (pass === 'partial' && asksForPeople(text) && !text.analyzed.isStrange);
}

/** Returns true if a tolerant pass found the name, all words, or a short text's concept: then meaning isn't needed. */
export function isFound(text: ReadText, best: number): boolean {
  const { analyzed } = text;
  const { text: words, conceptTokens } = analyzed.corrected ?? analyzed;
  const isFiled = conceptTokens !== '' && !asksForPeople(text);
  return best >= (sentencePointsOf(text, words) ?? (isFiled ? conceptPoints : tierTable.fuzzyJoinedTwoEdits.points));
}

export function asksForKinds({ question }: ReadText): boolean {
  return question?.parts.every((part) => part.as === 'kind') ?? false;
}

/** Returns true for searches for people. Few people have tags for their skills, so tags alone do not answer. */
function asksForPeople({ type, question }: ReadText): boolean {
  return type === 'all' ? question?.kinds.includes('people') === true : type === 'people';
}
