import { sortNames } from '../../../src/search/options/sorts.ts';
import {
  apiForFile,
  type ErrorBody,
  elasticsearchAnswer,
  expectError,
  expectInvalid,
  json,
  startApi,
} from '../../support/api/in-process.ts';
import { knowledge, now } from '../../support/search/knowledge.ts';
import type { Found } from '../../support/stages/features.ts';

const id = `an id, a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`;
const word = 'a text of 1 to 256 characters';
const several = 'or several of them with commas between';
const sorts = sortNames.join(', ');
const instant =
  'must be ISO 8601, such as 2026-01-31 (midnight UTC), 2026-01-31T12:00:00Z or 2026-01-31T12:00:00%2B02:00 (a "+" in an address is written %2B)';
const day = 'must be a calendar date, YYYY-MM-DD';

const refused: readonly (readonly [query: string, path: string, message: string])[] = [
  ['type=all&country=', 'country', `is empty, it must be ${word}, ${several}`],
  ['type=all&country=%20,,%20', 'country', `is empty, it must be ${word}, ${several}`],
  [`type=all&tag=x,${'y'.repeat(257)}`, 'tag', `must be ${word}, ${several}; "${'y'.repeat(64)}" is not`],
  [`type=all&tag=${[...Array(101).keys()]}`, 'tag', 'has 101 values, at most 100 are allowed'],
  ['type=people&founded_from=2020', 'founded_from', "isn't a filter for people, only for companies"],
  ['type=companies&online=true', 'online', expect.stringMatching(/^isn't a filter for companies, only for events$/)],
  ['type=investors&tag=x', 'tag', "isn't a filter for investors, only for companies, people, events"],
  ['type=companies&founded_from=recently', 'founded_from', 'must be a whole number from 1 to 9999'],
  ['type=companies&founded_to=0', 'founded_to', 'must be a whole number from 1 to 9999'],
  ['type=companies&employees_min=-1', 'employees_min', 'must be a whole number from 0 to 2147483647'],
  ['type=companies&employees_max=1e3', 'employees_max', 'must be a whole number from 0 to 2147483647'],
  ['type=companies&founded_from=2019&founded_from=2020', 'founded_from', 'is given 2 times, once is allowed'],
  ['type=events&starts_from=2026-02-30', 'starts_from', day],
  ['type=events&starts_to=31.01.2026', 'starts_to', day],
  ['type=events&starts_to=0000-01-01', 'starts_to', day],
  ['type=events&online=yes', 'online', 'must be one of true, false'],
  ['type=people&company=abc', 'company', `must be ${id}, ${several}; "abc" is not`],
  ['type=people&company=1,0', 'company', `must be ${id}, ${several}; "0" is not`],
  ['type=people&company=9007199254740993', 'company', `must be ${id}, ${several}; "9007199254740993" is not`],
  ['type=all&updated_since=yesterday', 'updated_since', instant],
  ['type=all&updated_since=2026-01-31T12:00:00', 'updated_since', instant],
  ['type=all&updated_since=2026-01-31T12:00:00+02:00', 'updated_since', instant],
  ['type=all&updated_since=0000-01-01T00:00:00%2B02:00', 'updated_since', 'must be within the years 0000 to 9999'],
  ['type=all&sort=size', 'sort', `must be one of ${sorts} ("-" before it reverses)`],
  ['type=all&sort=', 'sort', `must be one of ${sorts} ("-" before it reverses)`],
  ['type=all&sort=-', 'sort', `must be one of ${sorts} ("-" before it reverses)`],
  [
    'type=people&sort=-founded',
    'sort',
    `"founded" isn't a sort for people; use one of relevance, name, newest, each also with "-" before it`,
  ],
  ['type=all&facets=colour', 'facets', `"colour" is unknown, it must be one of the values that /docs lists`],
  ['type=people&facets=tag,focus,online', 'facets', `"focus" isn't available for people, only for investors`],
  ['type=all&fields=search', 'fields', '"search" is unknown, it must be one of the values that /docs lists'],
  ['type=all&fields=__proto__', 'fields', expect.stringMatching(/^"__proto__" is unknown/)],
  ['type=events&fields=name,headline', 'fields', `"headline" isn't available for events, only for people`],
  ['type=all&highlight=1', 'highlight', 'must be one of true, false'],
  ['type=all&literal=yes', 'literal', 'must be one of true, false'],
  ['type=all&collapse=name', 'collapse', 'must be series'],
  ['type=events&collapse=', 'collapse', 'must be series'],
  ['type=events&collapse=series&collapse=series', 'collapse', 'is given 2 times, once is allowed'],
  ['type=people&collapse=series', 'collapse', "isn't available for people: only events have series"],
  ['type=all&cursor=', 'cursor', 'must be data.nextCursor of an earlier answer'],
  ['type=all&cursor=x&page=1', 'page', "can't be given together with cursor, which replaces it"],
];

const api = await apiForFile();

describe('GET /api/v1/search refuses invalid filters, sorts and other options', () => {
  test.each(refused)('%s', async (query, path, message) => {
    await expectInvalid(api.keyed(`/api/v1/search?${query}`), [{ path, message }]);
    expect(api.asked).toHaveLength(0);
  });

  test('all problems are reported together, including those between parameters', async () => {
    const query =
      'type=people&limit=0&online=maybe&funding_stage=seed&sort=starts&facets=focus&fields=capacity&colour=red';
    const { details = [] } = await json<ErrorBody>(api.keyed(`/api/v1/search?${query}`));
    const paths = ['colour', 'facets', 'fields', 'funding_stage', 'limit', 'online', 'online', 'sort'];
    expect(details.map(({ path }) => path).sort()).toEqual(paths);
  });

  test('an unknown type does not hide options that no type has', async () => {
    const { details = [] } = await json<ErrorBody>(api.keyed('/api/v1/search?type=firms&sort=size&focus=x'));
    expect(details.map(({ path }) => path)).toEqual(['type', 'sort']);
  });
});

describe('GET /api/v1/search sends to Elasticsearch', () => {
  async function bodyOf(query: string) {
    api.asked.length = 0;
    expect((await api.keyed(`/api/v1/search?${query}`)).status).toBe(200);
    return { body: api.asked[0]?.body, filterPath: api.asked[0]?.filterPath };
  }

  test('a filter clause per parameter, which matches any of its values', async () => {
    const { body } = await bodyOf(
      'type=companies&query=x&country=A,%20b%20&country=c%5C,d&founded_from=2019&investor=7,007',
    );
    expect(body).toMatchObject({
      query: {
        bool: {
          must: [{ function_score: {} }],
          filter: [
            { terms: { 'location_json.country': ['A', 'b', 'c,d'] } },
            { range: { year_founded: { gte: 2019 } } },
            { terms: { 'search.investor_ids': [7] } },
          ],
        },
      },
    });
  });

  test.each([
    ['founded', { year_founded: { order: 'asc', missing: 2_147_483_647, unmapped_type: 'integer' } }],
    ['-founded', { year_founded: { order: 'desc', missing: -1, unmapped_type: 'integer' } }],
    ['newest', { updated_at: { order: 'desc', missing: -62_300_000_000_000, unmapped_type: 'date' } }],
    ['-newest', { updated_at: { order: 'asc', missing: 253_500_000_000_000, unmapped_type: 'date' } }],
    ['-name', { 'name.sort': { order: 'desc', missing: '_last', unmapped_type: 'keyword' } }],
    ['relevance', { _score: 'desc' }],
    ['-relevance', { _score: 'asc' }],
  ])('sort=%s with ties broken by id, and by kind first if there are several kinds', async (sort, first) => {
    const { body } = await bodyOf(`type=companies&query=x&sort=${sort}`);
    expect(body).toMatchObject({ sort: [first, { id: 'asc' }] });
    const { body: ofAll } = await bodyOf(`type=all&query=x&sort=${sort}`);
    expect(ofAll).toMatchObject({ sort: [first, { _index: 'asc' }, { id: 'asc' }] });
  });

  test('a filter path, so that it returns only the fields that are read', async () => {
    const read =
      'timed_out,pit_id,hits.total.value,hits.max_score,hits.hits._index,hits.hits._source,hits.hits.highlight,hits.hits.matched_queries,' +
      'aggregations.*.buckets.key,aggregations.*.buckets.key_as_string,aggregations.*.buckets.doc_count,aggregations.near.*.buckets.key';
    expect((await bodyOf('type=all')).filterPath).toBe(read);
    expect((await bodyOf('type=all&highlight=true&facets=tag')).filterPath).toBe(read);
    expect((await bodyOf('type=all&page=2')).filterPath).toBe(`${read},hits.hits.sort`);
  });

  test('a second pass after a weak best hit if sorted by relevance; other sorts only need a hit', async () => {
    const weak = async () => ({
      ok: true as const,
      body: { ...elasticsearchAnswer([]), hits: { total: { value: 1 }, max_score: 1 } },
    });
    await using api = await startApi({ search: weak });
    await api.keyed('/api/v1/search?type=all&query=x&sort=name');
    expect(api.asked).toHaveLength(1);
    await api.keyed('/api/v1/search?type=all&query=x');
    expect(api.asked).toHaveLength(3);
  });
});

test('a hit from a foreign index is 500 search_unavailable', async () => {
  const foreign = elasticsearchAnswer([{ kind: 'payroll', source: { id: 1 } }]);
  await using failing = await startApi({ search: async () => ({ ok: true, body: foreign }) });
  await expectError(failing.keyed('/api/v1/search?type=all'), 500, 'search_unavailable');
});

describe('A cursor of GET /api/v1/search', () => {
  const hits = [1, 2, 3].map((of) => ({ kind: 'companies', source: { id: of, name: `C ${of}` } }));
  const page = async () => ({ ok: true as const, body: elasticsearchAnswer(hits, 9) });

  async function cursorOf(api: Awaited<ReturnType<typeof startApi>>): Promise<string> {
    const { data } = await json<{ data: Found }>(api.keyed('/api/v1/search?type=companies&limit=3'));
    return data.nextCursor ?? '';
  }

  test('opens a point in time of the generation that the first page used, and excludes the results of that page', async () => {
    await using api = await startApi({ search: page, limits: { search: { cursorKeepAliveMs: 90_000 } } });
    const cursor = await cursorOf(api);
    const { data } = await json<{ data: Found }>(api.keyed(`/api/v1/search?type=companies&limit=3&cursor=${cursor}`));
    expect(api.asked[1]).toMatchObject({
      indices: [],
      body: {
        size: 4,
        pit: { id: 'frozen companies-0a1b-3', keep_alive: '90000ms' },
        post_filter: {
          bool: {
            must_not: [{ bool: { filter: [{ term: { _index: 'companies-0a1b-3' } }, { terms: { id: [1, 2, 3] } }] } }],
          },
        },
      },
    });
    expect(api.asked[1]?.body).not.toHaveProperty('from');
    // Three hits although four were requested: no page follows.
    expect(data).toMatchObject({ page: 2, totalResults: 12, nextCursor: null });
    expect(api.closed).toEqual(['frozen companies-0a1b-3']);
  });

  test('is URL-safe and reveals nothing to its reader', async () => {
    await using api = await startApi({ search: page });
    expect(await cursorOf(api)).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  test.each([
    [404, 400, 'cursor_expired'],
    [503, 500, 'search_unavailable'],
  ])('is answered, if Elasticsearch returns %i, with %i %s', async (status, expected, code) => {
    let calls = 0;
    await using api = await startApi({
      search: async () => {
        calls += 1;
        return calls === 1
          ? page()
          : { ok: false, reason: status === 404 ? 'rejected' : 'refused', status, cause: null };
      },
    });
    const cursor = await cursorOf(api);
    await expectError(api.keyed(`/api/v1/search?type=companies&limit=3&cursor=${cursor}`), expected, code);
  });
});

describe('data.understood', () => {
  const understood = async (query: string) => {
    await using api = await startApi({ knowledge, clock: { now: () => now.getTime(), elapsed: () => 0 } });
    const { data } = await json<{ readonly data: { readonly understood: unknown } }>(
      api.keyed(`/api/v1/search?type=all&${query}`),
    );
    return data.understood;
  };

  test('contains the question as it was understood', async () => {
    const question = encodeURIComponent('zk rollup startups in Berlin founded after 2020');
    expect(await understood(`query=${question}`)).toEqual({
      words: 'zk rollup',
      kinds: ['companies'],
      relation: null,
      also: [],
      chains: [],
      like: null,
      without: [],
      places: [{ text: 'Berlin', countries: [], cities: ['Berlin'] }],
      time: { about: 'founded', from: '2021-01-01', until: null, yearly: false, text: 'founded after 2020' },
      online: null,
      amounts: [],
      order: null,
      parts: [
        { as: 'kind', text: 'startups', met: true },
        { as: 'place', text: 'in Berlin', met: true },
        { as: 'time', text: 'founded after 2020', met: true },
        { as: 'words', text: 'zk rollup', met: true },
      ],
      relaxed: [],
      note: null,
    });
  });

  test('counts relative times from today', async () => {
    expect(await understood('query=events%20in%20lisbon%20next%20month')).toMatchObject({
      time: { from: '2026-12-01', until: '2027-01-01' },
    });
  });

  test('is null for a name, an empty query, and a literal search', async () => {
    expect(await understood('query=Paris%20Blockchain%20Summit')).toBeNull();
    expect(await understood('query=')).toBeNull();
    expect(await understood('query=startups%20in%20berlin&literal=true')).toBeNull();
    expect(await understood('query=startups%20in%20berlin&literal=false')).not.toBeNull();
  });
});

test.each([`1${'LJTKLyNCEBRxXE9'.repeat(20)}`, '2abc'])('the cursor %s is 400 invalid_cursor', async (cursor) => {
  const body = await expectError(api.keyed(`/api/v1/search?type=all&cursor=${cursor}`), 400, 'invalid_cursor');
  expect(body.error).toMatch(/send data.nextCursor unchanged/);
});
