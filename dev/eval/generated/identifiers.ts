import { wordsOf } from '../../../src/search/vocabulary/vocabulary.ts';
import type { Random } from '../../sample/random.ts';
import type { Draft, QueryCollector } from './collector.ts';
import type { Entity } from './entities.ts';
import { graded, keyOf, type NameIndex } from './name-index.ts';

/** Tickers, hosts, handles, proposals, and people by a part of their name or by where they work. */
export function collectIdentifierQueries(collector: QueryCollector, names: NameIndex): void {
  const companies = names.of('companies');
  const people = names.of('people');
  collector.add(
    'company_ticker',
    companies.flatMap(({ tickers }) => tickers),
    (ticker, random) => ticketed(companies, ticker, random),
  );
  collector.add('company_domain', companies, ({ host }) => {
    const same = companies.filter((entity) => entity.host === host);
    return host === '' || same.length > 3 ? null : known('companies', host, same);
  });
  collector.add('person_handle', people, (person) => handled(people, person));
  collector.add(
    'person_proposal',
    people.flatMap(({ proposals }) => proposals),
    (proposal, random) => proposed(people, proposal, random),
  );
  collectPersonQueries(collector, people);
}

function known(type: Draft['type'], q: string, entities: readonly Entity[]): Draft {
  return { type, q, eval: 'known-item', relevant: graded(entities, 3) };
}

function ticketed(companies: readonly Entity[], ticker: string, random: Random): Draft {
  const key = keyOf(ticker);
  const same = companies.filter((entity) => entity.tickers.some((other) => keyOf(other) === key));
  const named = companies.filter((entity) => !same.includes(entity) && wordsOf(entity.name).includes(key));
  const q = random.chance(0.5) ? ticker.toUpperCase() : ticker.toLowerCase();
  return { type: 'companies', q, eval: 'graded', relevant: [...graded(same, 3), ...graded(named, 1)] };
}

/** By a handle that does not tell the name. */
function handled(people: readonly Entity[], person: Entity): Draft | null {
  const [handle] = person.handles;
  if (handle === undefined || wordsOf(person.name).some((word) => keyOf(handle).includes(word.slice(0, 4))))
    return null;
  const same = people.filter(({ handles }) => handles.some((other) => keyOf(other) === keyOf(handle)));
  return known('people', `@${handle}`, same);
}

function proposed(people: readonly Entity[], proposal: string, random: Random): Draft {
  const q = random.pick([proposal, proposal.replace('-', ' '), proposal.replace('-', '')]).toLowerCase();
  return {
    type: 'people',
    q,
    eval: 'graded',
    relevant: graded(
      people.filter((one) => one.proposals.includes(proposal)),
      3,
    ),
  };
}

function collectPersonQueries(collector: QueryCollector, people: readonly Entity[]): void {
  const twoWords = people.filter(({ name }) => /^\p{L}+ \p{L}{3,}$/u.test(name));
  collector.add('person_folded', people, (person) => {
    const plain = wordsOf(person.name).join(' ');
    return plain === person.name.toLowerCase() || !/\p{L}/u.test(plain) || !/^[a-z ]+$/.test(plain)
      ? null
      : known(
          'people',
          plain,
          people.filter(({ name }) => keyOf(name) === keyOf(plain)),
        );
  });
  collector.add('person_reversed', twoWords, ({ name }) =>
    known(
      'people',
      name.toLowerCase().split(' ').reverse().join(' '),
      people.filter((one) => keyOf(one.name) === keyOf(name)),
    ),
  );
  collector.add('person_surname', twoWords, ({ name }) => surname(people, wordsOf(name).at(-1) ?? ''));
  collector.add('person_initial', twoWords, ({ name }, random) => withInitial(people, name, random));
  collector.add(
    'person_org',
    people.filter(({ organisations }) => organisations.some((name) => keyOf(name).length > 3)),
    (person, random) => atWork(people, person, random),
  );
}

const namesakesMax = 6;

function surname(people: readonly Entity[], q: string): Draft | null {
  const last = people.filter(({ name }) => wordsOf(name).at(-1) === q);
  const within = people.filter((one) => !last.includes(one) && wordsOf(one.name).includes(q));
  if (last.length > namesakesMax) return null;
  return { type: 'people', q, eval: 'graded', relevant: [...graded(last, 2), ...graded(within, 1)] };
}

/** A full name with an initial between, or the first name as its initial. */
function withInitial(people: readonly Entity[], name: string, random: Random): Draft {
  const [first = '', last = ''] = name.toLowerCase().split(' ');
  const middle = random.pick(Array.from('abcdefghjklmrst'));
  if (random.chance(0.5)) {
    return known(
      'people',
      `${first} ${middle}. ${last}`,
      people.filter((one) => keyOf(one.name) === keyOf(name)),
    );
  }
  const same = people.filter((one) => {
    const words = wordsOf(one.name);
    return words.at(-1) === keyOf(last) && words[0]?.[0] === keyOf(first)[0];
  });
  return { type: 'people', q: `${first[0]}. ${last}`, eval: 'graded', relevant: graded(same, 3) };
}

/** First name and organisation: those of that name there, behind them the others there. */
function atWork(people: readonly Entity[], person: Entity, random: Random): Draft | null {
  const [first = ''] = wordsOf(person.name);
  const organisation = random.pick(person.organisations.filter((name) => keyOf(name).length > 3));
  const there = people.filter((one) => one.organisations.some((name) => keyOf(name) === keyOf(organisation)));
  if (there.length > 30 || keyOf(organisation).includes(first)) return null;
  const namesakes = there.filter((one) => wordsOf(one.name).includes(first));
  const rest = there.filter((one) => !namesakes.includes(one));
  const q = `${first} ${organisation.toLowerCase()}`;
  return { type: 'people', q, eval: 'known-item', relevant: [...graded(namesakes, 3), ...graded(rest, 1)] };
}
