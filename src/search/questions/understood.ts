import type { Question } from './question.ts';

/** What callers are told of how their text was read. */
export interface Understood extends Omit<Question, 'rest'> {
  /** What is left to search for as words, '' for nothing. */
  readonly words: string;
}

export function understoodOf({ rest, ...question }: Question): Understood {
  return { words: rest, ...question };
}
