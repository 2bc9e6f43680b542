import { describe, expect, test } from '@jest/globals';
import { readQuestion } from '../../../../src/search/questions/read-question.ts';
import {
  type Condition,
  isMet,
  nextCondition,
  relaxableConditions,
  withoutConditions,
} from '../../../../src/search/questions/relax.ts';
import { relaxedNote } from '../../../../src/search/questions/relaxed-note.ts';
import { knowledge, now } from '../../../support/search/knowledge.ts';

const read = (text: string) => readQuestion(text, knowledge, now);

function inOrder(text: string): readonly Condition[] {
  const question = read(text);
  const relaxed: Condition[] = [];
  for (let next = nextCondition(question); next !== null; next = nextCondition(withoutConditions(question, relaxed)))
    relaxed.push(next);
  return relaxed;
}

describe('Conditions of a question', () => {
  test('are relaxed in a fixed order, whatever the order of the words', () => {
    expect(inOrder('online hackathons in berlin next month')).toEqual(['time', 'online', 'place']);
    expect(inOrder('next month in berlin, online hackathons')).toEqual(['time', 'online', 'place']);
    expect(inOrder('founders of aave in berlin')).toEqual(['place', 'relation']);
    expect(relaxableConditions).not.toContain('kind');
  });

  test('are kept if nothing else is searched for', () => {
    expect(inOrder('based in berlin')).toEqual([]);
    expect(inOrder('staking based in berlin')).toEqual(['place']);
  });

  test('are removed one by one, without the others', () => {
    const question = read('zk rollup startups in berlin founded after 2020');
    expect(withoutConditions(question, ['time'])).toEqual({ ...question, time: null });
    expect(withoutConditions(question, ['time', 'place'])).toMatchObject({ kinds: ['companies'], places: [] });
  });

  test('are met unless they are relaxed, and "upcoming" counts as a time', () => {
    const question = read('upcoming events in berlin');
    const met = (relaxed: readonly Condition[]) =>
      Object.fromEntries(question.parts.map((part) => [part.as, isMet(part, question, relaxed)]));
    expect(met([])).toEqual({ order: true, kind: true, place: true });
    expect(met(['time'])).toEqual({ order: false, kind: true, place: true });
  });
});

describe('The note on relaxed conditions', () => {
  const note = (text: string, ...relaxed: readonly Condition[]) => {
    const question = read(text);
    return relaxedNote(text, { ...question, parts: question.parts.map((part) => ({ ...part, met: true })), relaxed });
  };

  test.each<[string, readonly Condition[], string]>([
    ['upcoming events in berlin', ['time'], 'No upcoming events in Berlin. Past ones:'],
    ['Events in lisbon in june 2031', ['time'], 'No events in Lisbon in june 2031. Results at other times:'],
    ['DeFi startups in berlin?', ['place'], 'No DeFi startups in Berlin. Results elsewhere:'],
    ['who founded aave', ['relation'], 'No results for “who founded aave”. Results matching its words:'],
    [
      'online events in berlin in 2031',
      ['time', 'place'],
      'No online events in Berlin in 2031. Results at other times, elsewhere:',
    ],
  ])('%s without %j', (text, relaxed, expected) => expect(note(text, ...relaxed)).toBe(expected));

  test('is missing if all conditions are met', () => expect(note('events in berlin')).toBeNull());
});
