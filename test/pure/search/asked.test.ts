import type { KindName } from '../../../src/kinds/kind.ts';
import type { Question } from '../../../src/search/questions/question.ts';
import { readQuestion } from '../../../src/search/questions/read-question.ts';
import { askedClauses, excludedBy, provenParts } from '../../../src/search/ranking/asked.ts';
import { allConditions } from '../../../src/search/ranking/asked-conditions.ts';
import { isOver, relationClause } from '../../../src/search/ranking/asked-relation.ts';
import { type Clause, clauseName } from '../../../src/search/ranking/clauses.ts';
import { similarQuery } from '../../../src/search/ranking/similar.ts';
import { knowledge, now } from '../../support/search/knowledge.ts';

// The Elasticsearch clauses of a question.

const words: Clause = { match: { 'search.telling': 'rest' } };

function asked(text: string, type: KindName | 'all' = 'all') {
  const question = readQuestion(text, knowledge, now);
  const rest = question.rest === '' ? null : words;
  return askedClauses(question, {
    type,
    rest,
    tolerant: false,
    chains: { known: [], told: [] },
    isRestEnough: text.split(' ').length > 6,
  });
}

const points = (clause: Clause | undefined): number => Number(/"boost":(\d+)/.exec(JSON.stringify(clause))?.[1]);
const named = (clauses: ReturnType<typeof asked>, name: string) => clauses.find((one) => one[clauseName] === name);

test.each([
  ['dex', [], []],
  ['dex not in berlin', ['asked'], ['without']],
  ['startups', ['asked'], ['kind']],
  ['dex that you can use on base or celo', ['asked', 'askedInPart'], ['chain']],
  ['online hackathons in berlin in 2024', ['asked', 'askedInPart'], ['kind', 'place', 'time', 'online']],
  ['hackathons in atlantis', ['asked'], ['kind', 'place']],
  ['companies with more than 100 employees', ['asked', 'askedInPart'], ['kind', 'amount']],
  ['founders of curve not at uniswap', ['askedRelation'], ['kind', 'relation', 'without']],
  ['companies like curve in berlin', [], ['kind', 'place', 'without']],
  ['hackathons not in 2024', ['asked'], ['kind', 'without']],
])('A question has clauses of its own, and one for the proof of each part: %s', (text, clauses, parts) => {
  expect(asked(text).map((one) => one[clauseName])).toEqual(clauses);
  const proven = JSON.stringify(provenParts(readQuestion(text, knowledge, now)));
  expect([...proven.matchAll(/"_name":"(\w+)"/g)].map(([, part]) => part)).toEqual(parts);
  expect(proven).not.toContain('"filter":[]');
});

test('One of the alternatives proves the words of a question', () => {
  const proof = JSON.stringify(provenParts(readQuestion('events in berlin', knowledge, now), ['dex eos', 'dex tron']));
  expect(proof).toMatch(/"should":\[\{"multi_match":\{"query":"dex eos".*"query":"dex tron"/);
});

test.each([
  ['online hackathons', '{"term":{"is_online":true}}'],
  ['companies with more than 100 employees', '{"range":{"total_employees":{"gte":101}}}'],
  ['companies with more than 5 investors', '{"range":{"search.size":{"gte":6}}}'],
  ['companies founded in 2020', '{"range":{"year_founded":{"gte":2020,"lt":2021}}}'],
  ['companies founded before march 2021', '{"range":{"year_founded":{"lte":2021}}}'],
])('A condition limits the values of its field: %s', (text, clause) => {
  expect(JSON.stringify(allConditions(readQuestion(text, knowledge, now), 'all', 'known'))).toContain(clause);
});

describe('A place', () => {
  test('without a value in its field is found in texts, by any name of its country', () => {
    const told = named(asked('swiss companies'), 'askedInPart');
    expect(JSON.stringify(told)).toMatch(/"must_not":\[\{"exists":\{"field":"location_json.country"/);
    expect(JSON.stringify(told)).toMatch(/switzerland/);
  });

  test('in a field scores more points than in a text', () => {
    const clauses = asked('defi startups in berlin');
    expect(points(named(clauses, 'asked'))).toBeGreaterThan(points(named(clauses, 'askedInPart')));
  });

  test('of people is where they spoke', () => {
    expect(JSON.stringify(named(asked('speakers in berlin'), 'askedInPart'))).toContain(
      '{"match_phrase":{"search.relations":"Berlin"}}',
    );
  });
});

describe('A time', () => {
  test('without a year is searched for in twenty years before the next one and two after it', () => {
    const ranges = JSON.stringify(named(asked('events in september'), 'asked')).match(/"gte":"\d{4}-09-01"/g) ?? [];
    expect([ranges[0], ranges.at(-1), ranges.length]).toEqual(['"gte":"2007-09-01"', '"gte":"2029-09-01"', 23]);
  });

  test.each([
    ['speakers in 2023', true],
    ['speakers since 2023', false],
    ['speakers between 2023 and 2025', false],
  ])('of people is a year in the names of events where they spoke, if it is one year: %s', (text, isOne) => {
    expect(JSON.stringify(named(asked(text), 'asked')).includes('{"match":{"search.relations":"2023"}}')).toBe(isOne);
  });
});

test('A kind is a condition only among all kinds', () => {
  const ofKind = '"search.kind_words":"company"';
  expect(JSON.stringify(asked('startups in berlin'))).toContain(ofKind);
  expect(JSON.stringify(asked('startups in berlin', 'companies'))).not.toContain(ofKind);
});

test('Entities with none of the other words match only if these name a kind or are true of every entity', () => {
  expect(points(named(asked('meetups in berlin in 2023'), 'askedInPart'))).toBeGreaterThan(48);
  expect(points(named(asked('crypto meetups in berlin in 2023'), 'askedInPart'))).toBeGreaterThan(48);
  expect(JSON.stringify(named(asked('staking meetups in berlin in 2023'), 'askedInPart'))).toMatch(
    /"must":[^\]]*"rest"/,
  );
  expect(JSON.stringify(named(asked('crypto meetups in berlin in 2023'), 'askedInPart'))).not.toMatch(
    /"must":[^\]]*"rest"/,
  );
});

test('Entities with unknown chains are excluded with a chain, and those that the noun describes come first', () => {
  const excluded = (text: string) => JSON.stringify(excludedBy(readQuestion(text, knowledge, now)));
  const isKnown = (text: string) => excluded(text).includes('{"exists":{"field":"ecosystems"}}]}}]');
  expect(['dex not on solana', 'dex not in berlin'].map(isKnown)).toEqual([true, false]);
  expect(named(asked('lawyers in berlin'), 'askedInPart')).toMatchObject({ bool: { should: [{}, words] } });
});

describe('A role', () => {
  const clause = (
    role: 'founder' | 'member' | 'speaker',
    kinds: readonly KindName[] = [],
    evidence: 'strict' | 'tolerant' = 'strict',
  ) => JSON.stringify(relationClause({ role, of: 'Parity Technologies', or: [] }, kinds, evidence));

  test('with a company excludes its leaders with its founders', () => {
    const excluded = JSON.stringify(excludedBy(readQuestion('people at curve who are not founders', knowledge, now)));
    expect(excluded).toMatch(/"query":"ceo".*"query":"curve"/);
  });

  test('of a member must be stated, and of a founder may be only mentioned', () => {
    expect(clause('member')).not.toContain('{"match_phrase":{"overview"');
    expect(clause('founder')).toContain('{"match_phrase":{"overview"');
    expect(clause('member')).toContain('"query":"prev"');
    expect(JSON.stringify(isOver('Parity'))).toMatch(/"not_containing":.*"prior".*"Parity"/);
  });

  test('is that of the kind that is asked for, and with a similar name only if the spelling is not trusted', () => {
    const ofKind = (noun: string) => `{"bool":{"filter":[{"match":{"search.kind_words":"${noun}"}}]`;
    expect(clause('founder')).toContain(ofKind('person'));
    expect(clause('founder', ['companies'])).toContain(ofKind('company'));
    expect(clause('founder', [], 'strict')).not.toContain('fuzziness');
    expect(clause('founder', [], 'tolerant')).toContain('fuzziness');
  });

  test('is found next to the name, with more points the surer the evidence of the relation is', () => {
    const evidence = ['"search.relations.whole"', '"search.relations"', '"search.short"', '"overview"'].map((field) =>
      clause('founder').slice(clause('founder').indexOf(field)),
    );
    const scores = evidence.map((first) => Number(/"boost":(\d+)/.exec(first)?.[1]));
    expect(scores).toEqual([...new Set(scores)].toSorted((a, b) => b - a));
    expect(clause('founder')).toContain('"intervals"');
    expect(clause('founder')).not.toContain('"boost":0');
  });

  test('without a name is found where a text states it, but not in "can be found"', () => {
    const anywhere = JSON.stringify(relationClause({ role: 'founder', of: '', or: [] }, [], 'strict'));
    expect(anywhere).toMatch(/"founder".*"not_contained_by":\{"all_of".*"be".*"found"/);
  });

  test('that the relation itself states is not searched for in texts', () => {
    expect(clause('speaker')).not.toContain('"intervals"');
  });
});

describe('Similar events', () => {
  const similar = (name: string, kind: KindName = 'events', question: Question | null = null) =>
    JSON.stringify(
      similarQuery({ kind, id: 1, name, traits: { tags: ['a'] }, concepts: [], words: '', vector: null }, null, {
        question,
        rest: null,
      }),
    );

  test('may be other editions, unless a text asks for similar ones', () => {
    const excluded = '{"match":{"search.names":{"query":"Devcon","operator":"and"}}}';
    expect(similar('Devcon 5')).not.toContain(excluded);
    expect(similar('Devcon 5', 'events', readQuestion('events like devcon', knowledge, now))).toContain(excluded);
  });

  test.each([
    ['ETHPrague', 'eth'],
    ['TOKEN2049 Dubai', 'token2049'],
    ['Devcon 5', 'devcon'],
  ])('have a similar name: %s', (name, value) =>
    expect(similar(name)).toContain(`{"prefix":{"search.names.joined":{"value":"${value}"}}}`),
  );

  test("exclude companies, and ignore a name's first word of two letters or fewer", () => {
    expect(similar('ETHPrague', 'companies')).not.toContain('prefix');
    expect(similar('A Day of DeFi')).not.toContain('prefix');
  });
});
