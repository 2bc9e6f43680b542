import type { KindName } from '../kinds/kind.ts';
import type { Question } from './questions/question.ts';
import { popularityMax } from './ranking/clauses.ts';
import { tierTable } from './ranking/tier-table.ts';
import type { AnalyzedText } from './vocabulary/analyze-text.ts';
import { wordsOf } from './vocabulary/vocabulary.ts';

/** The passes that trust the spelling; each search begins with one of them. */
export type InitialPass = 'strict' | 'partial';
/**
 * How a query is asked. `strict` trusts the spelling and wants every word; `partial` is content with enough of them;
 * `tolerant` allows for misspellings, too. `semantic` adds what is near in meaning; `similar` asks for what is like an
 * entity that the query names.
 */
export type Pass = InitialPass | 'tolerant' | 'semantic' | 'similar';

/**
 * Kinds whose entities are some thousands at most, in any database: matches of part of the words cost nothing there, and
 * a second request costs as much as the first.
 */
const smallKinds: ReadonlySet<string> = new Set<KindName>(['investors', 'events']);

export function chooseInitialPass(type: KindName | 'all'): InitialPass {
  return smallKinds.has(type) ? 'partial' : 'strict';
}

/** What a first response says about itself. */
export interface InitialResult {
  /** Points of the best hit, 0 where there is none; unknown in orders that don't score. */
  readonly best?: number;
  /** Exact. */
  readonly hits: number;
  /** Whether nothing was understood of the text but which kinds it asks for. */
  readonly asksForKinds?: boolean;
}

/** From so many characters on, a text that only begins a name may as well be another name, misspelt. */
const misspeltCharactersMin = 5;
/** From so many words on, a text is a sentence, not names and labels: that they all occur in a text happens by chance. */
const sentenceWordsMin = 7;
/** Points of a hit that answers a sentence: it fulfils what is asked as a question, or has a name with all of it. */
const sentencePoints = 80;
/** The same where a question says no more than the kind, for which alone a hit gets as many. */
const kindSentencePoints = 130;
/** More hits than this are many names that begin so, or many texts with the word: the text is hardly misspelt. */
const fewHits = 3;

/**
 * Whether a first response leaves room for the tolerant pass, by the points of its best hit and the number of its hits.
 * Below the tier of all words, nothing was named and not all was found. And where a text is nothing but the beginning
 * of a few names ("raydim"), or a word that only a few texts happen to have ("tiles"), a name that it misspells may be
 * meant ("raydium", "titles").
 */
function isWeak(text: string, { best, hits, asksForKinds }: Required<InitialResult>): boolean {
  if (wordsOf(text).length >= sentenceWordsMin) return best < (asksForKinds ? kindSentencePoints : sentencePoints);
  if (best < tierTable.contentWords.points) return true;
  if (hits > fewHits || Array.from(text).length < misspeltCharactersMin) return false;
  const beginningOnly = best >= tierTable.namePrefix.points && best < tierTable.namePrefix.points + popularityMax;
  const wordOnly = best < tierTable.namePhrase.points && !text.includes(' ');
  return beginningOnly || wordOnly;
}

/** Whether less than every word of a text can be a match: of two words one only where it is a concept. */
function canMatchInPart({ withConcepts, conceptTokens }: AnalyzedText): boolean {
  return wordsOf(withConcepts).length >= (conceptTokens === '' ? 3 : 2);
}

/**
 * Fewer hits than this leave room. 50 were too few: among 216,000 entities, texts that happen to have every word hid
 * the one entity that was meant by some of them (topics 0.907 → 0.846); from 200 on nothing moved.
 */
const enoughHits = 200;

/**
 * Which pass answers, now that the first one is known. Where little has every word, what has enough of them follows;
 * but who names an entity for sure wants that one. Large results stay strict: among hundreds of thousands of entities,
 * those with one word of three are many, cost most of the time, and stand behind everything else anyway.
 */
export function chooseFinalPass(
  initial: InitialPass,
  text: AnalyzedText,
  { best, hits, asksForKinds = false }: InitialResult,
): Pass {
  if (best === undefined ? hits === 0 : isWeak(text.text, { best, hits, asksForKinds })) return 'tolerant';
  if (initial === 'partial') return initial;
  return hits < enoughHits && !isSure(best ?? 0) && canMatchInPart(text) ? 'partial' : 'strict';
}

/**
 * Whether the text names the best hit for sure, whatever else it may mean.
 * @param best the hit's points
 */
export function isSure(best: number): boolean {
  return best >= tierTable.nameAndYear.points;
}

/**
 * Whether the best hit of a search for a name alone is called so, but for a slip or two.
 * @param best the hit's points
 */
export function isNamed(best: number): boolean {
  return best >= tierTable.fuzzyJoinedTwoEdits.points;
}

/** A text, and what it was read as. */
export interface ReadText {
  readonly type: KindName | 'all';
  readonly analyzed: AnalyzedText;
  readonly question: Question | null;
}

/** Points of a hit that is found by a concept of the vocabulary which the text names. */
const conceptPoints = 14;

/**
 * Whether a tolerant pass has found what was searched for, so that nothing has to be guessed by meaning: a name, all of
 * the words, or the concept that a short text names.
 * @param best points of its best hit
 */
export function isFound(text: ReadText, best: number): boolean {
  const { analyzed } = text;
  const { text: words, conceptTokens } = analyzed.corrected ?? analyzed;
  if (wordsOf(words).length >= sentenceWordsMin)
    return best >= (asksForKinds(text) ? kindSentencePoints : sentencePoints);
  const isFiled = conceptTokens !== '' && !asksForPeople(text) && !hasConditions(text);
  return best >= (isFiled ? conceptPoints : tierTable.fuzzyJoinedTwoEdits.points);
}

/** Whether nothing was understood of the text but which kinds it asks for. */
export function asksForKinds({ question }: ReadText): boolean {
  return question?.parts.every((part) => part.as === 'kind') ?? false;
}

/** Most people are not filed under what they know: those few who are do not answer for all. */
function asksForPeople({ type, question }: ReadText): boolean {
  return type === 'all' ? question?.kinds.includes('people') === true : type === 'people';
}

/** Whether points may be those of the right place or time, without any of the words. */
function hasConditions({ question }: ReadText): boolean {
  return question !== null && (question.places.length > 0 || question.time !== null || question.online !== null);
}
