import fc from 'fast-check';
import {
  facetsOf,
  filterNames,
  filterOptions,
  filtersOf,
  hasSeries,
  searchTypes,
  sortsOf,
} from '../../../console/shared/search/options.ts';
import { kindCountIs, partDays, partLabel, withoutPart } from '../../../console/shared/search/question.ts';
import {
  apiParams,
  countFilters,
  emptySearch,
  pageParams,
  parseSearchState,
  type SearchState,
  searchHref,
  withType,
  withValueToggled,
} from '../../../console/shared/search/state.ts';
import { parseSearch } from '../../../src/http/request/search-parameters.ts';
import { kindNames } from '../../../src/kinds/kind.ts';
import { facetNames, filterKinds } from '../../../src/search/options/filters.ts';
import { seriesKinds } from '../../../src/search/options/series.ts';
import { readQuestion } from '../../../src/search/questions/read-question.ts';
import { knowledge, now } from '../../support/search/knowledge.ts';

/** Reads the state back from the address that the page would show. */
function readBack(state: SearchState): SearchState {
  return parseSearchState(searchHref(state).replace(/^\/search\??/, ''));
}

test('an address without parameters searches for everything', () => {
  expect(parseSearchState('')).toEqual(emptySearch);
  expect(searchHref(emptySearch)).toBe('/search');
});

test('q is an alias of query', () => {
  expect(parseSearchState('q=plover')).toEqual({ ...emptySearch, query: 'plover' });
  expect(parseSearchState('q=plover&query=spire').query).toBe('spire');
});

test('an address is read with the parameter names of the API', () => {
  const text =
    'type=companies&query=plover+spire&country=Portugal,Japan&tag=dex&tag=a%5C,b&founded_from=2019&sort=-funding&page=3';
  const state = parseSearchState(text);
  expect(state).toEqual({
    type: 'companies',
    query: 'plover spire',
    page: 3,
    sort: '-funding',
    literal: false,
    filters: { country: ['Portugal', 'Japan'], tag: ['dex', 'a,b'], founded_from: ['2019'] },
  });
  expect(countFilters(state)).toBe(5);
});

test.each([
  ['an unknown kind', 'type=robots', emptySearch],
  ['an unknown parameter', 'colour=red&__proto__=1', emptySearch],
  ['a filter that the kind does not have', 'type=people&funding_stage=seed', { ...emptySearch, type: 'people' }],
  ['a sort that the kind does not have', 'type=people&sort=funding', { ...emptySearch, type: 'people' }],
  ['an invalid page', 'page=-1', emptySearch],
  ['a page beyond the limit of the API', 'page=123456', { ...emptySearch, page: 500 }],
  ['a fractional page', 'page=1.5', emptySearch],
  ['empty values', 'country=,%20,', emptySearch],
])('%s in an address is ignored', (_title, text, expected) => {
  expect(parseSearchState(text)).toEqual(expected);
});

test('a query that is too long is cut to the limit of the API', () => {
  expect(Array.from(parseSearchState(`query=${'𝒳'.repeat(300)}`).query)).toHaveLength(256);
});

const states = fc.constantFrom(...searchTypes).chain((type) =>
  fc.record({
    type: fc.constant(type),
    query: fc.string({ unit: 'grapheme', maxLength: 40 }),
    page: fc.integer({ min: 1, max: 500 }),
    sort: fc.constantFrom(...sortsOf(type).map(([sort]) => sort)),
    literal: fc.boolean(),
    filters: fc.dictionary(
      fc.constantFrom(...filtersOf(type).filter((name) => filterOptions[name].form === 'facet' && name !== 'online')),
      fc.uniqueArray(
        fc
          .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
          .map((text) => text.trim())
          .filter((text) => text !== ''),
        { minLength: 1, maxLength: 4 },
      ),
      { noNullPrototype: true },
    ),
  }),
);

test('a state written to the address bar is read back unchanged', () => {
  fc.assert(
    fc.property(states, (state) => {
      expect(readBack(state)).toEqual(state);
    }),
  );
});

test('the API accepts every search that the page can build', () => {
  fc.assert(
    fc.property(states, (state) => {
      const plain = {
        ...state,
        filters: Object.fromEntries(
          Object.entries(state.filters).filter(([, values]) => values.every((value) => /^[\w ]+$/.test(value))),
        ),
      };
      expect(() => parseSearch(pageParams(plain).toString())).not.toThrow();
      expect(() => parseSearch(apiParams(plain).toString())).not.toThrow();
    }),
  );
});

test('the API reads a value with a comma or a backslash as the page meant it', () => {
  const state = { ...emptySearch, filters: { tag: ['a,b', 'c\\d', 'e\\,f'] } };
  expect(parseSearch(pageParams(state).toString()).query.filters).toMatchObject({ tag: ['a,b', 'c\\d', 'e\\,f'] });
});

test('the page offers exactly the filters that the API has for a kind, and facets that it counts', () => {
  for (const name of filterNames) {
    expect({ name, kinds: [...filterOptions[name].kinds].sort() }).toEqual({
      name,
      kinds: [...filterKinds(name)].sort(),
    });
    if (filterOptions[name].form === 'facet') expect(facetNames).toContain(name);
  }
  expect(searchTypes).toEqual(['all', ...kindNames]);
  for (const type of searchTypes) {
    expect(facetsOf(type).length).toBeGreaterThan(1);
    for (const [sort] of sortsOf(type)) expect(() => parseSearch(`type=${type}&sort=${sort}`)).not.toThrow();
  }
});

test('the page offers to collapse series if the API can', () => {
  expect(kindNames.filter(hasSeries)).toEqual(seriesKinds);
  for (const type of searchTypes) {
    const { collapse } = parseSearch(pageParams({ ...emptySearch, type }).toString()).query;
    expect(collapse).toBe(hasSeries(type) ? 'series' : undefined);
  }
});

test('another kind keeps the query and shared filters, and starts at the first page', () => {
  const before = parseSearchState('type=companies&query=x&country=Japan&funding_stage=seed&sort=-funding&page=4');
  expect(withType(before, 'people')).toEqual({
    ...emptySearch,
    type: 'people',
    query: 'x',
    filters: { country: ['Japan'] },
  });
});

test('a value is toggled', () => {
  const on = withValueToggled({ ...emptySearch, page: 3 }, 'country', 'Japan');
  expect(on).toEqual({ ...emptySearch, filters: { country: ['Japan'] } });
  expect(withValueToggled(on, 'country', 'Japan')).toEqual(emptySearch);
});

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
  test('are labelled with the requested kind, and otherwise with their words', () => {
    expect(labels('zk rollup startups in Berlin founded after 2020')).toEqual([
      'companies',
      'in Berlin',
      'founded after 2020',
    ]);
    expect(labels('startups and investors in Berlin')).toEqual(['startups', 'investors', 'in Berlin']);
    expect(labels('who founded aave')).toEqual(['who founded aave']);
  });

  test('show the dates if the words do not', () => {
    expect(days('events in lisbon next month')).toEqual([null, null, expect.stringMatching(/1.*31.*Dec.*2026/)]);
    expect(days('upcoming events next week')).toEqual([null, null, expect.stringMatching(/23.*29.*Nov.*2026/)]);
    expect(days('events since june')).toEqual([null, expect.stringMatching(/^from 1 Jun 2026/)]);
    expect(days('events in june 2025')).toEqual([null, null]);
  });

  test('can be removed, wherever they are in the text', () => {
    const text = 'zk rollup startups  in Berlin founded after 2020';
    const [kind, place, time] = read(text).parts;
    if (kind === undefined || place === undefined || time === undefined) throw new Error('three parts are read');
    expect(withoutPart(text, kind)).toBe('zk rollup in Berlin founded after 2020');
    expect(withoutPart(text, place)).toBe('zk rollup startups founded after 2020');
    expect(withoutPart(text, time)).toBe('zk rollup startups in Berlin');
    expect(withoutPart('startups', { as: 'kind', text: 'startups' })).toBe('');
    expect(withoutPart('a b c b', { as: 'place', text: 'a c' })).toBe('b b');
  });

  test('decide whether the counts of kinds are exact, a minimum or unknown', () => {
    const strict = (query: string) => kindCountIs(query, read(query).parts, 'strict');
    expect(['', 'exchange', 'startups in Berlin'].map(strict)).toEqual(['exact', 'exact', 'exact']);
    expect(['gnosis safe', 'bridges in Berlin'].map(strict)).toEqual(['minimum', null]);
    expect(['tolerant', 'semantic'].map((by) => kindCountIs('unisawp', [], by))).toEqual(['exact', null]);
  });

  test('are removed completely, together with no other word', () => {
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
