import { describe, expect, test } from '@jest/globals';
import { readQuestion } from '../../../../src/search/questions/read-question.ts';
import {
  type Condition,
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
    expect(inOrder('something like aave but cheaper')).toEqual(['words']);
    expect(inOrder('speakers at devcon on privacy')).toEqual(['words', 'relation']);
    expect(inOrder('speakers at devcon, can you name those on privacy')).toEqual(['words', 'words', 'relation']);
    expect(inOrder('engineers at consensys')).toEqual(['relation']);
    expect(inOrder('staking companies for teams in berlin')).toEqual(['place']);
  });

  test('are relaxed after the words of a long question that name no topic', () => {
    const text = 'our desk is looking at staking companies on base chain established in berlin';
    expect(inOrder(text)).toEqual(['words', 'place', 'chain']);
    expect(withoutConditions(read(text), ['words']).rest).toBe('staking');
    expect(inOrder('is there any of the Devcon events in berlin next month')).toEqual(['time', 'place']);
  });

  test('are removed one by one, without the others', () => {
    const question = read('zk rollup startups in berlin founded after 2020');
    expect(withoutConditions(question, ['time'])).toEqual({ ...question, time: null });
    expect(withoutConditions(read('newest companies backed by paradigm'), ['relation']).order).toBeNull();
    expect(withoutConditions(question, ['time', 'place'])).toMatchObject({ kinds: ['companies'], places: [] });
  });
});

describe('The note on relaxed conditions', () => {
  const note = (text: string, ...relaxed: readonly Condition[]) => {
    const question = read(text);
    return relaxedNote(text, { ...question, parts: question.parts.map((part) => ({ ...part, met: true })), relaxed });
  };

  test.each<[string, readonly Condition[], string]>([
    ['upcoming events in berlin', ['time'], 'No upcoming events in Berlin. Showing past ones.'],
    ['Events in lisbon in june 2031', ['time'], 'No events in Lisbon in june 2031. Showing results from other times.'],
    ['The DeFi startups in berlin?', ['place'], 'No DeFi startups in Berlin. Showing results in other places.'],
    ['women in defi', [], '“women” was not understood.'],
    ['most popular companies in berlin', [], '“most popular” was not understood.'],
    ['who founded aave', ['relation'], 'No results for “who founded aave”. Showing results that mention its words.'],
    [
      'online events in berlin in 2031',
      ['time', 'place'],
      'No online events in Berlin in 2031. Showing results from other times and in other places.',
    ],
  ])('%s without %j', (text, relaxed, expected) => expect(note(text, ...relaxed)).toBe(expected));

  test('names the parts that results may lack', () => {
    const question = read('DeFi startups in berlin');
    const parts = question.parts.map((part) => ({ ...part, met: false }));
    const doubt = 'Some results may not match “startups”, “in berlin”, or “defi”.';
    const all = [...parts, { as: 'words', text: 'defi', met: false } as const];
    expect(relaxedNote('', { ...question, parts: all, relaxed: [] })).toBe(doubt);
    expect(relaxedNote('DeFi in berlin', { ...question, parts: all, relaxed: ['place'] })).toMatch(
      /“startups” or “defi”\. No/,
    );
  });

  test('is missing if all conditions are met', () => expect(note('events in berlin')).toBeNull());
});
