import type { Knowledge } from './questions/knowledge.ts';
import type { Question } from './questions/question.ts';
import { readQuestion } from './questions/read-question.ts';
import { lexiconOf } from './vocabulary/lexicon.ts';
import { noWordReading, readWords, type WordReading } from './vocabulary/name-candidates.ts';
import type { Vocabulary } from './vocabulary/vocabulary.ts';

/**
 * What a text was read as. It depends on the day and on what the data held when it was read, so a cursor carries it: all
 * pages of a list are of one reading.
 */
export interface Reading {
  /** Null where the text is to be taken literally, or nothing was understood. */
  readonly question: Question | null;
  readonly words: WordReading;
  /** Of what the question leaves to search for. */
  readonly restWords: WordReading;
}

export const nothingRead: Reading = { question: null, words: noWordReading, restWords: noWordReading };

export interface ReadingContext {
  readonly vocabulary: Vocabulary;
  readonly knowledge: Knowledge;
  /** For what texts say of time: "next month". */
  readonly now: Date;
}

/** @param text not empty, as `normalizeText` makes it */
export function readText(text: string, literal: boolean, { vocabulary, knowledge, now }: ReadingContext): Reading {
  const read = literal ? null : readQuestion(text, knowledge, now);
  const question = read === null || read.parts.length === 0 ? null : read;
  const lexicon = lexiconOf(vocabulary, knowledge);
  return {
    question,
    words: readWords(text, lexicon),
    restWords: question === null || question.rest === '' ? noWordReading : readWords(question.rest, lexicon),
  };
}
