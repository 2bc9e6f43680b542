import type { SearchReply } from '../../../src/search/ports.ts';
import {
  apiForFile,
  type Behaviour,
  elasticsearchAnswer,
  expectError,
  expectInvalid,
  json,
  startApi,
} from '../../support/api/in-process.ts';

const plover = {
  id: 6,
  name: 'Plover',
  tags: ['Exchange', 'dex'],
  investors: ['Fund One'],
  search: { investor_ids: [4] },
};
const wader = { id: 7, name: 'Wader', tags: ['exchange', 'custody'], investors: ['Fund Two', 'fund one'] };
const heron = { id: 8, name: 'Heron', tags: ['custody'] };
const snipe = { id: 9, name: 'Snipe' };

function having(entity: object | null, similar: readonly object[] = []): NonNullable<Behaviour['search']> {
  const hits = (sources: readonly object[]) => sources.map((source) => ({ kind: 'companies', source }));
  return async ({ body: { size } }) => {
    const found = size === 1 && entity !== null ? [entity] : size === 1 ? [] : similar;
    const body = elasticsearchAnswer(hits(found));
    const matched = [['sharedTrait', 'sharedWords'], ['sharedWords', 'nearEntity'], ['nearEntity']];
    const named = body.hits.hits.map((hit, at) => ({ ...hit, matched_queries: matched[at] }));
    return { ok: true, body: { ...body, hits: { ...body.hits, hits: named } } };
  };
}

const api = await apiForFile();

describe('GET /api/v1/{kind}/{id-or-slug}/similar', () => {
  test('returns similar entities and the traits that they share', async () => {
    await using api = await startApi({ search: having(plover, [wader, heron, snipe]) });
    const response = await api.keyed('/api/v1/companies/6/similar?fields=name');
    expect(response.status).toBe(200);
    expect(response.headers.get('x-request-cost')).toBe('1');
    expect(await response.json()).toEqual({
      success: true,
      data: {
        results: [
          {
            entity_type: 'companies',
            id: 7,
            name: 'Wader',
            shared: { tags: ['Exchange'], investors: ['Fund One'] },
            matchedBy: 'shared',
          },
          { entity_type: 'companies', id: 8, name: 'Heron', shared: {}, matchedBy: 'words' },
          { entity_type: 'companies', id: 9, name: 'Snipe', shared: {}, matchedBy: 'semantic' },
        ],
        of: { entity_type: 'companies', id: 6, name: 'Plover' },
      },
      message: 'Found 3 like Plover.',
      meta: { requestId: response.headers.get('x-request-id'), timestamp: expect.any(String), version: 'v1' },
    });
    expect(api.asked.map(({ indices, body }) => [indices, body.size])).toEqual([
      [['companies'], 1],
      [['companies'], 10],
    ]);
  });

  test('items have the fields of their kind by default', async () => {
    await using api = await startApi({ search: having(plover, [wader]) });
    const { data } = await json<{ data: { results: object[] } }>(api.keyed('/api/v1/companies/6/similar?limit=50'));
    expect(Object.keys(data.results[0] ?? {})).toEqual([
      ...['entity_type', 'id', 'name', 'slug', 'logo', 'overview', 'total_employees', 'year_founded', 'website'],
      ...['tags', 'location_json', 'shared', 'matchedBy'],
    ]);
    expect(api.asked[1]?.body).toMatchObject({ size: 50 });
  });

  test.each([
    ['17', [{ term: { id: 17 } }, { term: { slug: '17' } }]],
    ['plover', [{ term: { slug: 'plover' } }]],
    ['017', [{ term: { slug: '017' } }]],
  ])('%s is looked up as an id or slug, as for records', async (identifier, terms) => {
    expect((await api.keyed(`/api/v1/companies/${identifier}/similar`)).status).toBe(404);
    const should = terms.map((filter) => ({ constant_score: { filter, boost: 'id' in filter.term ? 2 : 1 } }));
    expect(api.asked.map(({ body }) => body.query)).toEqual([{ bool: { should, minimum_should_match: 1 } }]);
  });

  test('an entity without traits is similar to none, and no second query is sent', async () => {
    await using api = await startApi({ search: having({ id: 6, name: 'Plover' }) });
    const body = await json<{ data: unknown; message: string }>(api.keyed('/api/v1/companies/plover/similar'));
    expect(body).toMatchObject({
      data: { results: [], of: { entity_type: 'companies', id: 6, name: 'Plover' } },
      message: 'Nothing is like Plover.',
    });
    expect(api.asked).toHaveLength(1);
  });

  test.each(['%00', 'a%0Ab', 'x'.repeat(513)])('%s is an invalid slug, so no query is sent', async (identifier) => {
    expect((await api.keyed(`/api/v1/people/${identifier}/similar`)).status).toBe(404);
    expect(api.asked).toHaveLength(0);
  });

  test.each([
    ['limit=0', 'limit', 'must be a whole number from 1 to 50'],
    ['limit=51', 'limit', 'must be a whole number from 1 to 50'],
    ['limit=5&limit=6', 'limit', 'is given 2 times, once is allowed'],
    ['page=2', 'page', 'is unknown, the parameters are limit, fields'],
    ['fields=name,venue', 'fields', expect.stringMatching(/^"venue" is unknown/)],
  ])('%s is refused before a query is sent', async (query, path, message) => {
    await expectInvalid(api.keyed(`/api/v1/people/1/similar?${query}`), [{ path, message }]);
    expect(api.asked).toHaveLength(0);
  });

  test.each([
    ['the entity', 0],
    ['the similar entities', 1],
  ])('a failure of Elasticsearch at %s is 500 search_unavailable and not charged', async (_, failing) => {
    const found = having(plover, [wader]);
    const failure: SearchReply = { ok: false, reason: 'refused', cause: null };
    let asked = 0;
    await using api = await startApi({
      search: async (call) => {
        asked += 1;
        return asked > failing ? failure : found(call);
      },
    });
    const response = await api.keyed('/api/v1/companies/6/similar');
    await expectError(response, 500, 'search_unavailable');
    expect(response.headers.get('x-request-cost')).toBe('0');
    expect(asked).toBe(failing + 1);
  });

  test('an invalid answer of Elasticsearch is a failure', async () => {
    await using api = await startApi({ search: async () => ({ ok: true, body: { timed_out: true } }) });
    expect((await api.keyed('/api/v1/companies/6/similar')).status).toBe(500);
  });
});
