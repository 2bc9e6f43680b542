import fc from 'fast-check';
import { partDays, partLabel, withoutPart } from '../../../console/shared/search/question.ts';
import { readQuestion } from '../../../src/search/questions/read-question.ts';
import { knowledge, now } from '../../support/search/knowledge.ts';

const read = (text: string) => readQuestion(text, knowledge, now);
const labels = (text: string) => {
  const understood = read(text);
  return understood.parts.map((part) => partLabel(part, understood));
};
const days = (text: string) => {
  const understood = read(text);
  return understood.parts.map((part) => partDays(part, understood));
};

describe('parts of a question on the page', () => {
  test('are the kind that is asked for, and else their words', () => {
    expect(labels('zk rollup startups in Berlin founded after 2020')).toEqual([
      'companies',
      'in Berlin',
      'founded after 2020',
    ]);
    expect(labels('startups and investors in Berlin')).toEqual(['startups', 'investors', 'in Berlin']);
    expect(labels('who founded aave')).toEqual(['who founded aave']);
  });

  test('name the days where the words do not', () => {
    expect(days('events in lisbon next month')).toEqual([null, null, expect.stringMatching(/1.*31.*Dec.*2026/)]);
    expect(days('upcoming events next week')).toEqual([null, null, expect.stringMatching(/23.*29.*Nov.*2026/)]);
    expect(days('events since june')).toEqual([null, expect.stringMatching(/^from 1 Jun 2027/)]);
    expect(days('events in june 2025')).toEqual([null, null]);
  });

  test('can be left out, wherever they stand', () => {
    const text = 'zk rollup startups  in Berlin founded after 2020';
    const [kind, place, time] = read(text).parts;
    if (kind === undefined || place === undefined || time === undefined) throw new Error('three parts are read');
    expect(withoutPart(text, kind)).toBe('zk rollup in Berlin founded after 2020');
    expect(withoutPart(text, place)).toBe('zk rollup startups founded after 2020');
    expect(withoutPart(text, time)).toBe('zk rollup startups in Berlin');
    expect(withoutPart('startups', { as: 'kind', text: 'startups' })).toBe('');
    expect(withoutPart('a b c b', { as: 'place', text: 'a c' })).toBe('b b');
  });

  test('leave nothing of themselves behind, and take nothing else along', () => {
    const words = fc.constantFrom(
      ...'startups events in berlin uk founded after 2020 like aave next month zk'.split(' '),
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 14 }), (all) => {
        const text = all.join(' ');
        for (const part of read(text).parts) {
          const left = withoutPart(text, part)
            .split(' ')
            .filter((word) => word !== '');
          expect([...left, ...part.text.split(' ')].sort()).toEqual([...all].sort());
        }
      }),
    );
  });
});
