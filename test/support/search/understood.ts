import { readQuestion } from '../../../src/search/questions/read-question.ts';
import { knowledge, now } from './knowledge.ts';

/** Returns the understood parts: only names of places, and times without their words. */
export function understood(text: string) {
  const {
    parts: _,
    nouns: __,
    unknownPlaces: ___,
    topics: _____,
    places,
    time,
    excluded,
    withoutTopics,
    amounts,
    chains,
    ...question
  } = readQuestion(text, knowledge, now);
  const plain = {
    ...question,
    excluded: excluded.map((one) => one.text),
    withoutTopics: withoutTopics.map((one) => one.text),
    amounts: amounts.map(({ about, from, until }) => `${about} ${from ?? ''}..${until ?? ''}`),
    chains: chains.map(({ names }) => names.join(' or ')),
    places: places.map((place) => place.text),
    time: time && `${time.about} ${time.from ?? ''}..${time.until ?? ''}`,
  };
  const isSaid = (value: unknown) => value !== null && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(plain).filter(([, value]) => isSaid(value)));
}

export const people = ['people'];
export const companies = ['companies'];
export const investors = ['investors'];
export const events = ['events'];

/** Returns a relation, and the remaining words. */
export const related = (role: string, of: string, kinds: readonly string[], rest = '') => ({
  rest,
  kinds,
  relation: { role, of, or: [] },
});
