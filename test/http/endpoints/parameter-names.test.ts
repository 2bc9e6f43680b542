import { boundPairs, filterKinds, filterNames, filters } from '../../../src/search/options/filters.ts';
import { apiForFile, type ErrorBody, expectError, json } from '../../support/api/in-process.ts';
import { at, operationsOf, published } from '../../support/api/published.ts';

// Misspelt parameter names on every route, and the two names of the search text.

const api = await apiForFile();

const messageMax = 200;

const checked = operationsOf(published())
  .filter(({ path, method }) => method === 'get' && /^\/api\/(?:health|v1\/(?!x402))/.test(path))
  .map(({ path }) => {
    const parameters = Object.values(at(published(), 'paths', path, 'get', 'parameters') ?? {});
    const names = parameters.filter((each) => at(each, 'in') === 'query').map((each) => String(at(each, 'name')));
    return { path, names };
  });

async function problems(path: string, query: string): Promise<NonNullable<ErrorBody['details']>> {
  const asked = api.keyed(`${path.replace('{identifier}', '1')}?${query}`);
  const { error, details = [] } = await expectError(asked, 400, 'invalid_parameter');
  expect(error.length).toBeLessThan(messageMax);
  expect(error).not.toMatch(/[?.]\./);
  return details;
}

test.each(checked)('$path suggests the right parameter for a name with one extra letter', async ({ path, names }) => {
  for (const name of names.filter((each) => each !== 'q')) {
    const wrong = `${name}s`;
    const told = (await problems(path, `${wrong}=1`)).find((problem) => problem.path === wrong);
    expect(told?.message).toBe(`is unknown: did you mean "${name}"?`);
  }
});

test.each(checked)('$path suggests nothing for a name that resembles no parameter', async ({ path, names }) => {
  const [{ message = '' } = {}] = await problems(path, 'zzzzzz=1');
  expect(message).toMatch(/^is unknown/);
  expect(message.length).toBeLessThan(messageMax);
  expect(names.length > 8 ? message : '').toBe(names.length > 8 ? 'is unknown: /docs lists the parameters' : '');
});

test('a thousand unknown names are reported up to a limit, like a single one', async () => {
  const names = Array.from({ length: 1_000 }, (_, number) => `typ${number}=1`).join('&');
  const details = await problems('/api/v1/search', names);
  expect(details).toHaveLength(50);
  expect(details[0]?.message).toBe('is unknown: did you mean "type"?');
  expect(details[49]?.message).toBe('is unknown');
});

test.each([
  ['type=comapnies', 'type', 'must be one of companies, people, investors, events, all: did you mean "companies"?'],
  ['type=Company', 'type', 'must be one of companies, people, investors, events, all: did you mean "companies"?'],
  ['type=all&sort=fundng', 'sort', /: did you mean "funding"\? \("-" before it reverses\)$/],
  ['type=all&sort=-foundet', 'sort', /: did you mean "founded"\?/],
  ['type=all&facets=tag,contry', 'facets', /^"contry" is unknown.*: did you mean "country"\?$/],
  ['type=all&fields=name,locationJson', 'fields', /: did you mean "location_json"\?$/],
  ['type=all&online=True', 'online', 'must be one of true, false: did you mean "true"?'],
  ['type=all&collapse=serie', 'collapse', 'must be series: did you mean "series"?'],
] as const)('%s suggests the intended value', async (query, path, message) => {
  const expected = typeof message === 'string' ? message : expect.stringMatching(message);
  expect(await problems('/api/v1/search', query)).toEqual([{ path, message: expected }]);
});

test.each([
  [{ operaton: 'get' }, 'operaton', 'is unknown: did you mean "operation"?'],
  [{ entityType: 'people' }, 'entityType', 'is unknown: did you mean "entity_type"?'],
  [{ ids: [1] }, 'ids', 'is unknown, the fields are operation, entity_type, identifiers, fields'],
  [{ operation: 'exist' }, 'operation', 'must be one of get, exists, count: did you mean "exists"?'],
  [{ entity_type: 'person' }, 'entity_type', expect.stringMatching(/^must be one of companies, people/)],
  [{ fields: ['overvew'] }, 'fields.0', 'is unknown: did you mean "overview"?'],
])('a bulk body of %j suggests the intended name or value', async (change, path, message) => {
  const body = { operation: 'get', entity_type: 'companies', identifiers: [1], ...change };
  const { details } = await expectError(api.post('/api/v1/bulk', body), 400, 'invalid_parameter');
  expect(details).toContainEqual({ path, message });
});

describe('The text to search for', () => {
  const addresses = ['/api/v1/search?type=companies&', '/api/v1/suggest?type=companies&'];

  test.each(addresses)('%s accepts it as query and as q', async (address) => {
    const bodies = [];
    for (const name of ['query', 'q']) {
      const from = api.asked.length;
      expect((await api.keyed(`${address}${name}=quartz`)).status).toBe(200);
      bodies.push(JSON.stringify(api.asked.slice(from).map(({ body }) => body)));
    }
    expect(bodies[0]).toContain('quartz');
    expect(bodies[1]).toBe(bodies[0]);
  });

  test.each(addresses)('%s accepts both with the same value, and names both if they differ', async (address) => {
    expect((await api.keyed(`${address}query=a&q=a`)).status).toBe(200);
    const [path = '', query = ''] = address.split('?');
    for (const pair of ['query=a&q=b', 'q=b&query=a', 'query=a&q=', 'query=&q=b']) {
      const [{ path: where, message } = { path: '', message: '' }] = await problems(path, `${query}${pair}`);
      expect([where, message].join(' ')).toMatch(/q(?:uery)? means the same as "q(?:uery)?"/);
    }
  });

  test.each(addresses)('%s reports a problem under the name that the client sent', async (address) => {
    const [path = '', query = ''] = address.split('?');
    const long = 'a'.repeat(257);
    const message = 'must be at most 256 characters long';
    expect(await problems(path, `${query}q=${long}`)).toEqual([{ path: 'q', message }]);
    expect(await problems(path, `${query}query=${long}`)).toEqual([{ path: 'query', message }]);
    expect(await problems(path, `${query}q=a&q=a`)).toMatchObject([{ path: 'q', message: /given 2 times/ }]);
  });

  const everything = ['', ' ', '\t\n', '\u200b', '*', ' * ', '**', '* *', '＊', '*\u00a0'];

  test.each(everything)('%j matches everything, like an empty query', async (text) => {
    const bodies = [];
    for (const query of ['', `&query=${encodeURIComponent(text)}`, `&q=${encodeURIComponent(text)}&literal=true`]) {
      const from = api.asked.length;
      expect((await api.keyed(`/api/v1/search?type=all${query}`)).status).toBe(200);
      bodies.push(JSON.stringify(api.asked.slice(from).map(({ body }) => body)));
    }
    expect(bodies[0]).toMatch(/match_all|popularity/);
    expect(new Set(bodies).size).toBe(1);
  });

  test.each(everything)('%j gets no suggestions and sends no search', async (text) => {
    const from = api.asked.length;
    const response = await api.keyed(`/api/v1/suggest?q=${encodeURIComponent(text)}`);
    expect(await json(response)).toMatchObject({ data: { suggestions: [] } });
    expect(api.asked).toHaveLength(from);
  });

  test.each(['a*', '*a', '%', '?', '"*"', '*.*'])('%j is searched for literally', async (text) => {
    const from = api.asked.length;
    await api.keyed(`/api/v1/search?type=all&query=${encodeURIComponent(text)}`);
    expect(JSON.stringify(api.asked.slice(from))).toContain(JSON.stringify(text).slice(1, -1));
  });

  test('is documented under one name per route', () => {
    const named = checked.map(({ path, names }) => ({
      path,
      names: names.filter((name) => /^q(?:uery)?$/.test(name)),
    }));
    expect(named.filter(({ names }) => names.length > 0)).toEqual([
      { path: '/api/v1/search', names: ['query'] },
      { path: '/api/v1/suggest', names: ['q'] },
    ]);
  });
});

describe('Contradictory bounds', () => {
  const values: Readonly<Record<string, readonly [smaller: string, larger: string]>> = {
    founded_from: ['2019', '2020'],
    employees_min: ['9', '10'],
    starts_from: ['2026-01-31', '2026-02-01'],
  };

  test('are tested for every pair of bounds', () => {
    expect(boundPairs.map(([from]) => from)).toEqual(Object.keys(values));
  });

  test.each(boundPairs)('%s beyond %s is refused with both names, for every type that has them', async (from, to) => {
    const [smaller = '', larger = ''] = values[from] ?? [];
    for (const type of [...filterKinds(from), 'all']) {
      const address = `/api/v1/search`;
      const message = `${larger} is beyond "${to}", which is ${smaller}: nothing can be between them`;
      expect(await problems(address, `type=${type}&${from}=${larger}&${to}=${smaller}`)).toEqual([
        { path: from, message },
      ]);
      for (const [lower, upper] of [values[from] ?? [], [larger, larger]]) {
        expect((await api.keyed(`${address}?type=${type}&${from}=${lower}&${to}=${upper}`)).status).toBe(200);
      }
    }
  });

  test('a parameter that is invalid by itself is reported alone', async () => {
    const query = 'type=companies&founded_from=x&founded_to=0';
    expect((await problems('/api/v1/search', query)).map(({ path }) => path)).toEqual(['founded_from', 'founded_to']);
  });
});

describe('Exclusions', () => {
  const excluding = filterNames.filter((name) => filters[name].excludes);

  async function asked(query: string): Promise<string> {
    const from = api.asked.length;
    expect((await api.keyed(`/api/v1/search?${query}`)).status).toBe(200);
    return JSON.stringify(api.asked.slice(from).map(({ body }) => body));
  }

  test.each(excluding)('%s accepts a hyphen, an underscore, and both', async (name) => {
    const short = name.replace('not_', '-');
    const bodies: string[] = [];
    for (const query of [`${name}=1&${name}=2`, `${short}=1,2`, `${name}=1&${short}=2`, `${short}=2&${name}=1`])
      bodies.push(await asked(`type=all&${query}`));
    expect(new Set(bodies).size).toBe(1);
    expect(bodies[0]).toContain('must_not');
  });

  test('a name that cannot be excluded is reported as it was sent, with its hyphen', async () => {
    expect(await problems('/api/v1/search', 'type=all&-founded_from=2020')).toMatchObject([{ path: '-founded_from' }]);
    expect(await problems('/api/v1/search', 'type=people&-event_type=x')).toEqual([
      { path: '-event_type', message: "isn't a filter for people, only for events" },
    ]);
  });
});
