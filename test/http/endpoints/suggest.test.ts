import { apiForFile, elasticsearchAnswer, expectError, expectInvalid, startApi } from '../../support/api/in-process.ts';

const types = 'one of companies, people, investors, events, all';

const api = await apiForFile();

describe('GET /api/v1/suggest', () => {
  test('answers in the envelope of every keyed answer', async () => {
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

  test('asks only the kind that is wanted, and only once more where nothing begins so', async () => {
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

  test('Elasticsearch failing is 500 search_unavailable', async () => {
    await using failing = await startApi({ search: async () => ({ ok: false, reason: 'refused', cause: null }) });
    await expectError(failing.keyed('/api/v1/suggest?q=a'), 500, 'search_unavailable');
  });
});
