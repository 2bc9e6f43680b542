import fc from 'fast-check';
import { executeSearch } from '../../../src/search/execute-search.ts';
import { noTermVectors } from '../../../src/search/meaning/term-vectors.ts';
import {
  type QueryVectors,
  type SearchReply,
  type SearchTools,
  searchTools,
  type UntimedRequest,
} from '../../../src/search/ports.ts';
import { prepareQuery, type SearchQuery } from '../../../src/search/query.ts';
import { knowledge, now } from '../../support/search/knowledge.ts';
import { queryContext } from '../../support/search/query-context.ts';

// Which requests a search makes, in which order, and which of them answers: with an engine that answers as it is told,
// and counts.

const failed: SearchReply = { ok: false, reason: 'refused', status: 429, cause: undefined };
const hit = (id: number, source: object = {}) => ({
  _index: 'x-companies-0a1b2c3d-1',
  _source: { id, name: `Company ${id}`, ...source },
  sort: [1, id],
});

function answer(maxScore: number, ...hits: readonly object[]): SearchReply {
  const body = { timed_out: false, hits: { total: { value: hits.length }, max_score: maxScore, hits } };
  return { ok: true, body };
}

/** @param answers those to the first request, then to the second */
function engine(answers: readonly (readonly SearchReply[])[], vectors: QueryVectors | null = null) {
  const sent: (readonly UntimedRequest[])[] = [];
  const take = async (requests: readonly UntimedRequest[]): Promise<readonly SearchReply[]> => {
    const replies = answers[sent.length];
    sent.push(requests);
    if (replies?.length !== requests.length) throw new Error(`request ${sent.length} has no answer`);
    return replies;
  };
  const tools: SearchTools = {
    send: async (request) => (await take([request]))[0] ?? failed,
    sendAll: take,
    vectors,
  };
  const asked = (pattern: RegExp) =>
    sent.map((requests) => requests.map(({ body }) => pattern.test(JSON.stringify(body))));
  return { sent, tools, byVector: () => asked(/"knn"/) };
}

/** Vectors that are given when the test says so. */
function vectors(vector: string | null | Promise<string | null> = '7f00') {
  const embedded: { readonly text: string; readonly signal: AbortSignal }[] = [];
  const port: QueryVectors = {
    field: 'vector_0a1b2c3d',
    embed: async (text, signal) => {
      embedded.push({ text, signal });
      return vector;
    },
    terms: () => noTermVectors,
  };
  return { embedded, port };
}

const companies = { type: 'companies', text: 'park my coins safely', page: 1, limit: 20 } as const;

function search(query: SearchQuery, tools: SearchTools) {
  return executeSearch(prepareQuery(query, { ...queryContext(), knowledge, now }), tools);
}

describe('A text that is found by its words', () => {
  test('is one request, though its vector is begun, and the vector is given up', async () => {
    const { embedded, port } = vectors(new Promise(() => undefined));
    const { sent, tools } = engine([[answer(200, hit(1))]], port);
    expect(await search(companies, tools)).toMatchObject({ response: { matchedBy: 'strict' } });
    expect(sent.length).toBe(1);
    expect(embedded).toMatchObject([{ text: companies.text, signal: { aborted: true } }]);
  });

  test('is embedded while the first request is under way', async () => {
    const { embedded, port } = vectors();
    const { tools } = engine([[answer(200, hit(1))]], port);
    const begunBefore: number[] = [];
    const send: SearchTools['send'] = (request) => {
      begunBefore.push(embedded.length);
      return tools.send(request);
    };
    await search(companies, { ...tools, send });
    expect(begunBefore).toEqual([1]);
  });

  test('in the tolerant pass is that answer, asked together with the one by meaning', async () => {
    const { port } = vectors();
    const { tools, byVector } = engine([[answer(5, hit(1))], [answer(60, hit(2)), answer(210, hit(3))]], port);
    expect(await search(companies, tools)).toMatchObject({ response: { matchedBy: 'tolerant', results: [{ id: 2 }] } });
    expect(byVector()).toEqual([[false], [false, true]]);
  });
});

describe('A text that is found by none of its words', () => {
  test('is answered by meaning, and the next page has its vector', async () => {
    const { port } = vectors();
    const { sent, tools } = engine([[answer(5, hit(1))], [answer(20, hit(2)), answer(210, hit(3), hit(4))]], port);
    expect(await search({ ...companies, limit: 1 }, tools)).toMatchObject({
      ok: true,
      response: { matchedBy: 'semantic', results: [{ id: 3 }, { id: 4 }] },
    });
    expect(sent.length).toBe(2);
    const paged = engine(
      [[answer(5, hit(1))], [answer(20, hit(2)), { ...answer(210), body: body(9, hit(3)) } as SearchReply]],
      port,
    );
    expect(await search({ ...companies, limit: 1 }, paged.tools)).toMatchObject({
      next: { pass: 'semantic', meaning: { vectorField: 'vector_0a1b2c3d', text: { vector: '7f00' } } },
    });
  });

  test.each([
    ['no provider', null],
    ['a provider that gives none in time', vectors(null).port],
  ])('has the tolerant answer with %s', async (_, port) => {
    const { sent, tools, byVector } = engine([[answer(5, hit(1))], [answer(20, hit(2))]], port);
    expect(await search(companies, tools)).toMatchObject({ response: { matchedBy: 'tolerant', results: [{ id: 2 }] } });
    expect([sent.length, byVector()]).toEqual([2, [[false], [false]]]);
  });

  test('has the tolerant answer where only the search by meaning fails, and fails where the other does', async () => {
    const { port } = vectors();
    const half = engine([[answer(5, hit(1))], [answer(20, hit(2)), failed]], port);
    expect(await search(companies, half.tools)).toMatchObject({ response: { matchedBy: 'tolerant' } });
    const other = engine([[answer(5, hit(1))], [failed, answer(210, hit(3))]], port);
    expect(await search(companies, other.tools)).toEqual(failed);
    const both = engine([[answer(5, hit(1))], [failed, failed]], port);
    expect(await search(companies, both.tools)).toEqual(failed);
  });

  test('asks by meaning under the same filters', async () => {
    const { port } = vectors();
    const { sent, tools } = engine([[answer(5, hit(1))], [answer(20, hit(2)), answer(210, hit(3))]], port);
    await search({ ...companies, filters: { country: ['Portugal'] } }, tools);
    const [, semantic] = sent[1] ?? [];
    expect(JSON.stringify(semantic?.body).match(/Portugal/gi)?.length).toBe(3);
    expect(JSON.stringify(semantic?.body)).toMatch(/"knn":\{[^}]*"filter"|"filter":\[[^\]]*Portugal/i);
  });
});

test.each<[string, SearchQuery]>([
  ['in another order than by relevance', { ...companies, sort: { by: 'name', reversed: false } }],
  ['of one word', { ...companies, text: 'staking' }],
  ['without text', { ...companies, text: ' ' }],
])('A search %s asks for no vector', async (_, query) => {
  const { embedded, port } = vectors();
  const { sent, tools } = engine([[answer(0)], [answer(0)]], port);
  expect(await search(query, tools)).toMatchObject({ ok: true });
  expect(embedded).toEqual([]);
  expect(sent.length).toBeLessThanOrEqual(2);
});

test('A failure of the first request is the answer, and the vector is given up', async () => {
  const { embedded, port } = vectors();
  const { sent, tools } = engine([[failed]], port);
  expect(await search(companies, tools)).toEqual(failed);
  expect([sent.length, embedded[0]?.signal.aborted]).toEqual([1, true]);
});

describe('Who is like an entity', () => {
  const alike = { ...companies, text: 'companies like unswap' };
  const seed = hit(7, { tags: ['dex'], search: { investor_ids: [3], vector_0a1b2c3d: '7f01' } });

  test.each([
    ['vectors', vectors().port],
    ['terms alone', null],
  ])('is asked with the plain reading first, then by what it has: with %s', async (_, port) => {
    const { sent, tools, byVector } = engine([[answer(20, hit(1)), answer(64, seed)], [answer(30, hit(8))]], port);
    expect(await search(alike, tools)).toMatchObject({ response: { matchedBy: 'semantic', results: [{ id: 8 }] } });
    expect(sent.map((requests) => requests.length)).toEqual([2, 1]);
    expect(byVector()[1]).toEqual([port !== null]);
    expect(sent[1]?.[0]?.body).toMatchObject({ query: { function_score: expect.anything() } });
    expect(JSON.stringify(sent[1]?.[0]?.body)).toContain('"must_not":[{"bool":{"filter":[{"constant_score"');
  });

  test('is not asked where the text is a name for sure', async () => {
    const { sent, tools } = engine([[answer(200, hit(1)), answer(64, seed)]]);
    expect(await search(alike, tools)).toMatchObject({ response: { matchedBy: 'strict', results: [{ id: 1 }] } });
    expect(sent.length).toBe(1);
  });

  test.each([
    ['nobody is called so', answer(0)],
    ['nobody is called nearly so', answer(12, seed)],
    ['no more is known of it than its name', answer(64, hit(7))],
    ['the search for the name fails', failed],
  ])('has the plain answer where %s', async (_, named) => {
    const { port } = vectors();
    const { sent, tools } = engine(
      [
        [answer(20, hit(1)), named],
        [answer(60, hit(2)), answer(210, hit(3))],
      ],
      port,
    );
    expect(await search(alike, tools)).toMatchObject({ response: { matchedBy: 'tolerant', results: [{ id: 2 }] } });
    expect(sent.length).toBe(2);
  });

  test('fails where the plain reading does, or what is asked then', async () => {
    expect(await search(alike, engine([[failed, answer(64, seed)]]).tools)).toEqual(failed);
    expect(await search(alike, engine([[answer(20, hit(1)), answer(64, seed)], [failed]]).tools)).toEqual(failed);
  });

  test('is not asked in another order, nor literally', async () => {
    for (const query of [{ ...alike, sort: { by: 'name', reversed: false } } as const, { ...alike, literal: true }]) {
      const { sent, tools } = engine([[answer(70, hit(1), hit(2), hit(3), hit(4))], [answer(70, hit(1))]]);
      expect(await search(query, tools)).toMatchObject({ ok: true });
      expect(sent.every((requests) => requests.length === 1)).toBe(true);
    }
  });

  test('keeps out whom the text does not want, and keeps to the place that it names', async () => {
    const { sent, tools } = engine([[answer(20, hit(1)), answer(64, seed)], [answer(30, hit(8))]]);
    await search({ ...companies, text: 'dex in berlin other than unswap and curve' }, tools);
    const body = JSON.stringify(sent[1]?.[0]?.body);
    expect(body).toContain('"must_not"');
    expect(body).toMatch(/curve/);
    expect(body).toMatch(/Berlin/);
  });
});

test('Whatever is asked, found, missing or failing: two requests at most, and an outcome', async () => {
  const points = fc.constantFrom(0, 5, 20, 44, 50, 64, 81, 146, 200);
  const reply = fc.oneof(
    points.map((best) => (best === 0 ? answer(0) : answer(best, hit(best, { tags: ['dex'] })))),
    fc.constant(failed),
  );
  const text = fc.constantFrom(
    'unswap',
    'unswap dex exchange',
    'companies like unswap',
    'companies like unswap in berlin founded after 2020',
    'where do i park my coins so they earn something',
    'founder of unswap',
    'zk rollup startups in berlin',
  );
  const type = fc.constantFrom('all' as const, 'companies' as const, 'people' as const, 'events' as const);
  await fc.assert(
    fc.asyncProperty(
      text,
      type,
      fc.array(reply, { minLength: 4, maxLength: 4 }),
      fc.option(fc.constant('7f00')),
      async (words, kind, replies, vector) => {
        let requests = 0;
        let at = 0;
        const next = (): SearchReply => replies[at++] ?? failed;
        const tools: SearchTools = {
          send: async () => {
            requests += 1;
            return next();
          },
          sendAll: async (all) => {
            requests += 1;
            return all.map(next);
          },
          vectors: vectors(vector).port,
        };
        const found = await search({ ...companies, type: kind, text: words }, tools);
        expect(requests).toBeLessThanOrEqual(2);
        expect(typeof found.ok).toBe('boolean');
        if (replies.slice(0, at).every(({ ok }) => ok)) expect(found.ok).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});

function body(total: number, ...hits: readonly object[]) {
  return { timed_out: false, hits: { total: { value: total }, max_score: 210, hits } };
}

describe('The tools of one search', () => {
  test('share the time that is left, and send nothing when none is', async () => {
    const timeouts: number[] = [];
    const port = {
      search: async ({ timeoutMs }: { timeoutMs: number }) => {
        timeouts.push(timeoutMs);
        return answer(1);
      },
      searchAll: async (requests: readonly UntimedRequest[], { timeoutMs }: { timeoutMs: number }) => {
        timeouts.push(timeoutMs);
        return requests.map(() => answer(1));
      },
    };
    let leftMs = 300;
    const { send, sendAll, vectors: none } = searchTools(port, () => leftMs);
    const request = { indices: ['x'], body: {} };
    await send(request);
    leftMs = 120;
    expect(await sendAll([request, request])).toHaveLength(2);
    leftMs = 0;
    expect([await send(request), ...(await sendAll([request, request]))]).toMatchObject(
      Array(3).fill({ ok: false, reason: 'timeout' }),
    );
    expect([timeouts, none]).toEqual([[300, 120], null]);
  });
});
