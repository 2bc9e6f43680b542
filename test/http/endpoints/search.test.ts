import { kindNames } from '../../../src/kinds/kind.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import {
  apiForFile,
  type ErrorBody,
  elasticsearchAnswer,
  expectError,
  expectInvalid,
  handClock,
  json,
  type SearchBody,
  startApi,
} from '../../support/api/in-process.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const api = await apiForFile();

const company = {
  id: 12,
  name: 'Quartz Ledger',
  slug: 'quartz-ledger',
  logo: 'https://quartz.example/logo.png',
  overview: 'Keeps books.',
  total_employees: 40,
  year_founded: 2019,
  website: 'https://quartz.example',
  tags: ['Ledgers'],
  location_json: { city: 'Lisbon', country: 'Portugal' },
};

const answersCompany = async () => ({
  ok: true as const,
  body: elasticsearchAnswer([{ kind: 'companies', source: company }], 41),
});

describe('GET /api/v1/search: success (sections 2 and 4.1)', () => {
  test('is 200 with success, data, message and meta', async () => {
    await using api = await startApi({ search: answersCompany, clock: handClock() });
    const response = await api.keyed('/api/v1/search?type=companies&query=quartz');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({
      success: true,
      data: {
        results: [{ entity_type: 'companies', ...company }],
        totalResults: 41,
        totalPages: 3,
        page: 1,
        limit: 20,
        matchedBy: 'strict',
        understood: null,
        nextCursor: expect.stringMatching(/^[\w-]+$/),
      },
      message: 'Found 41 results, page 1 of 3.',
      meta: { requestId: expect.stringMatching(uuid), timestamp: '2026-01-31T23:59:59.007Z', version: 'v1' },
    });
  });

  test('a company item has entity_type and the ten fields of the specification, with null for unknown values', async () => {
    const answer = elasticsearchAnswer([{ kind: 'companies', source: { id: 3, name: 'N', slug: 'n' } }]);
    await using api = await startApi({ search: async () => ({ ok: true, body: answer }) });
    const { data } = await json<SearchBody>(api.keyed('/api/v1/search?type=companies'));
    expect(data.results[0]).toEqual({
      ...{ entity_type: 'companies', id: 3, name: 'N', slug: 'n', logo: null, overview: null, tags: [] },
      ...{ total_employees: null, year_founded: null, website: null, location_json: null },
    });
  });

  test.each(kindNames)('type=%s searches only the alias of that kind, and its items have its fields', async (kind) => {
    await using api = await startApi({
      search: async () => ({ ok: true, body: elasticsearchAnswer([{ kind, source: { id: 1 } }]) }),
    });
    const { data } = await json<SearchBody>(api.keyed(`/api/v1/search?type=${kind}&query=x`));
    expect(api.asked[0]?.indices).toEqual([kind]);
    expect(Object.keys(data.results[0] ?? {})).toEqual(['entity_type', ...kinds[kind].itemFields]);
  });

  test('type=all returns one list of all four kinds, with entity_type in each item', async () => {
    await using api = await startApi({
      search: async () => ({
        ok: true,
        body: elasticsearchAnswer(kindNames.map((kind, place) => ({ kind, source: { id: place + 1 } }))),
      }),
      env: { INDEX_PREFIX: 'blue-' },
    });
    const { data } = await json<SearchBody>(api.keyed('/api/v1/search?type=all'));
    expect(api.asked[0]?.indices).toEqual(['blue-companies', 'blue-people', 'blue-investors', 'blue-events']);
    expect(data.results.map((item) => item.entity_type)).toEqual([...kindNames]);
  });

  test('a search without hits succeeds with an empty list', async () => {
    const body = await (await api.keyed('/api/v1/search?type=people&query=nobody')).json();
    expect(body).toMatchObject({
      success: true,
      data: { results: [], totalResults: 0, totalPages: 0 },
      message: 'Nothing was found.',
    });
  });

  test('page and limit set from and size of the Elasticsearch request', async () => {
    const { data } = await json<SearchBody>(api.keyed('/api/v1/search?type=events&page=3&limit=50'));
    expect(api.asked[0]?.body).toMatchObject({ from: 100, size: 50 });
    expect(data).toMatchObject({ page: 3, limit: 50 });
  });

  test('at most two requests share one deadline', async () => {
    await using api = await startApi({ env: { SEARCH_TIMEOUT: '3000' } });
    await api.keyed('/api/v1/search?type=all&query=weak');
    expect(api.asked).toHaveLength(2);
    const [strict, tolerant] = api.asked;
    expect(strict?.timeoutMs).toBeLessThanOrEqual(3000);
    expect(tolerant?.timeoutMs).toBeLessThanOrEqual(strict?.timeoutMs ?? 0);
  });

  test('any text of 256 characters is accepted, whatever it contains', async () => {
    const texts = ['\u0000', '"/\\{}[]()^~*?:', '%ED%A0%80', '😀'.repeat(256), 'مرحبا', "'; drop table companies; --"];
    for (const text of texts) {
      const sent = text.startsWith('%') ? text : encodeURIComponent(text);
      expect((await api.keyed(`/api/v1/search?type=all&query=${sent}`)).status).toBe(200);
    }
  });
});

describe('GET /api/v1/search: refused parameters', () => {
  const types = 'one of companies, people, investors, events, all';
  const tooDeep =
    'page times limit must be at most 10000: narrow the search, or follow data.nextCursor with the parameter cursor to see the rest';
  const from1To = (max: number) => `must be a whole number from 1 to ${max}`;

  test.each([
    ['type missing', '', 'type', `is required, and must be ${types}`],
    ['type unknown', 'type=cities', 'type', `must be ${types}`],
    ['type empty', 'type=', 'type', `must be ${types}`],
    ['query too long', `type=all&query=${'a'.repeat(257)}`, 'query', 'must be at most 256 characters long'],
    ['page 0', 'type=all&page=0', 'page', from1To(10_000)],
    ['page not a number', 'type=all&page=two', 'page', from1To(10_000)],
    ['limit 0', 'type=all&limit=0', 'limit', from1To(100)],
    ['limit 101', 'type=all&limit=101', 'limit', from1To(100)],
    ['limit with a fraction', 'type=all&limit=1.5', 'limit', from1To(100)],
    ['limit negative', 'type=all&limit=-1', 'limit', from1To(100)],
    ['limit in another notation', 'type=all&limit=1e1', 'limit', from1To(100)],
    ['limit too large for a number', `type=all&limit=${'9'.repeat(400)}`, 'limit', from1To(100)],
    ['page times limit over 10,000', 'type=all&page=101&limit=100', 'page', tooDeep],
    ['unknown parameter', 'type=all&sortt=name', 'sortt', 'is unknown: did you mean "sort"?'],
    ['repeated parameter', 'type=all&type=people', 'type', 'is given 2 times, once is allowed'],
    ['name of an object property', 'type=all&__proto__=1', '__proto__', 'is unknown: /docs lists the parameters'],
  ])('%s', async (_title, query, path, message) => {
    const error = `Invalid parameter "${path}": ${message}.`.replace('?.', '?');
    const body = await expectError(api.keyed(`/api/v1/search?${query}`), 400, 'invalid_parameter');
    expect(body).toEqual({ error, code: 'invalid_parameter', details: [{ path, message }] });
    expect(api.asked).toHaveLength(0);
  });

  test('all problems are reported together', async () => {
    const response = await api.keyed('/api/v1/search?limit=x&color=red&page=200&page=1&query=ok');
    const { error, details = [] } = await json<ErrorBody>(response);
    expect(error).toMatch(/^Invalid parameter "color": is unknown: .* \(and 3 more: see details\)\.$/);
    expect(details.map((problem) => problem.path)).toEqual(['color', 'page', 'type', 'limit']);
  });

  test('page times limit is reported along with other problems', async () => {
    const { details = [] } = await json<ErrorBody>(api.keyed('/api/v1/search?page=9999&limit=99'));
    expect(details.map((problem) => problem.path)).toEqual(['type', 'page']);
  });
});

describe('GET /api/v1/search if Elasticsearch fails (section 7)', () => {
  test.each(['unreachable', 'timeout', 'refused', 'rejected', 'invalid'] as const)(
    '%s is 500 naming an external search service error, with the cause only in the log',
    async (reason) => {
      const cause = new Error('connect ECONNREFUSED 10.1.2.3:9200');
      await using api = await startApi({ search: async () => ({ ok: false, reason, cause }) });
      const response = await api.keyed('/api/v1/search?type=all&query=secret-words');
      expect(response.status).toBe(500);
      expect(await response.json()).toEqual({
        error: 'External search service error: the search could not be done now, retry later.',
        code: 'search_unavailable',
      });
      expect(api.log).toContainEqual(
        expect.objectContaining({
          level: 'error',
          msg: 'search failed',
          reason,
          cause: cause.message,
          requestId: response.headers.get('x-request-id'),
        }),
      );
    },
  );

  test.each([['text'], [{}], [{ hits: {} }], [null]])('an invalid answer (%j) is 500, too', async (body) => {
    await using api = await startApi({ search: async () => ({ ok: true, body }) });
    await expectError(api.keyed('/api/v1/search?type=all'), 500, 'search_unavailable');
  });

  test('without time for a second pass, the answer is the same 500 and no request is sent', async () => {
    const clock = handClock();
    await using api = await startApi({
      clock,
      search: async () => {
        clock.move(5_000);
        return { ok: true, body: elasticsearchAnswer([]) };
      },
    });
    const response = await api.keyed('/api/v1/search?type=all&query=weak');
    expect(response.status).toBe(500);
    expect(api.asked).toHaveLength(1);
  });

  test('a bug is 500 "Internal server error", with its stack only in the log', async () => {
    await using api = await startApi({
      search: async () => {
        throw new TypeError('a bug of ours');
      },
    });
    const response = await api.keyed('/api/v1/search?type=all');
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ error: 'Internal server error', code: 'internal_error' });
    const line = api.log.find(({ msg }) => msg === 'internal error');
    expect(line).toMatchObject({
      level: 'error',
      requestId: response.headers.get('x-request-id'),
      err: { type: 'TypeError', message: 'a bug of ours', stack: expect.stringContaining('search.test.ts') },
    });
  });
});

const types = 'one of companies, people, investors, events, all';

describe('GET /api/v1/suggest', () => {
  test('answers in the envelope of all keyed answers', async () => {
    const hits = [
      { kind: 'companies', source: { id: 1, name: 'Quartz', slug: 'quartz', logo: 'https://quartz.example/l.png' } },
      { kind: 'people', source: { id: 2, name: 'Quinn', slug: 'quinn' } },
    ];
    await using api = await startApi({ search: async () => ({ ok: true, body: elasticsearchAnswer(hits) }) });
    const response = await api.keyed('/api/v1/suggest?q=qu');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      success: true,
      data: {
        suggestions: [
          { entity_type: 'companies', id: 1, name: 'Quartz', slug: 'quartz', logo: 'https://quartz.example/l.png' },
          { entity_type: 'people', id: 2, name: 'Quinn', slug: 'quinn', logo: null },
        ],
      },
      message: '2 suggestions.',
      meta: { requestId: response.headers.get('x-request-id'), timestamp: expect.any(String), version: 'v1' },
    });
    expect(api.asked).toHaveLength(1);
    expect(api.asked[0]).toMatchObject({ indices: ['companies', 'people', 'investors', 'events'], body: { size: 8 } });
  });

  test('searches only the requested kind, and a second time only if no name begins with the text', async () => {
    await api.keyed('/api/v1/suggest?q=quartz&type=people&limit=20');
    expect(api.asked.map(({ indices }) => indices)).toEqual([['people'], ['people']]);
    expect(api.asked[0]?.body).toMatchObject({ size: 20 });
  });

  test.each([
    ['q=a&type=firms', 'type', `must be ${types}`],
    ['q=a&limit=21', 'limit', 'must be a whole number from 1 to 20'],
    ['q=a&limit=0', 'limit', 'must be a whole number from 1 to 20'],
    [`q=${'a'.repeat(257)}`, 'q', 'must be at most 256 characters long'],
    ['q=a&q=b', 'q', 'is given 2 times, once is allowed'],
    ['word=a', 'word', 'is unknown, the parameters are q, type, limit'],
  ])('%s is refused', async (query, path, message) => {
    await expectInvalid(api.keyed(`/api/v1/suggest?${query}`), [{ path, message }]);
  });

  test('a failure of Elasticsearch is 500 search_unavailable', async () => {
    await using failing = await startApi({ search: async () => ({ ok: false, reason: 'refused', cause: null }) });
    await expectError(failing.keyed('/api/v1/suggest?q=a'), 500, 'search_unavailable');
  });
});
