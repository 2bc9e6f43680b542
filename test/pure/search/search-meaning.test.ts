import fc from 'fast-check';
import { noTermVectors } from '../../../src/search/meaning/term-vectors.ts';
import type { SearchReply, SearchTools } from '../../../src/search/ports.ts';
import type { SearchQuery } from '../../../src/search/query.ts';
import { possibleNames } from '../../../src/search/questions/relations/possible-names.ts';
import { relaxableConditions } from '../../../src/search/questions/relax.ts';
import { knowledge } from '../../support/search/knowledge.ts';
import { answer, companies, engine, failed, hit, search, vectors } from '../../support/search/scripted-engine.ts';

// The requests of a search, their order, and the one that answers: with an engine that gives scripted answers
// and counts.

describe('A text with matching words', () => {
  test('needs one request, and its vector is aborted', async () => {
    const { embedded, port } = vectors(new Promise(() => undefined));
    const { sent, tools } = engine([[answer(200, hit(1))]], port);
    expect(await search(companies, tools)).toMatchObject({ response: { matchedBy: 'strict' } });
    expect(sent.length).toBe(1);
    expect(embedded).toMatchObject([{ text: companies.text, signal: { aborted: true } }]);
  });

  test('gets its vector while the first request is in progress', async () => {
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

  test('that match in the tolerant pass gets that answer, requested together with the one by meaning', async () => {
    const { port } = vectors();
    const { tools, byVector } = engine([[answer(5, hit(1))], [answer(60, hit(2)), answer(210, hit(3))]], port);
    expect(await search(companies, tools)).toMatchObject({ response: { matchedBy: 'tolerant', results: [{ id: 2 }] } });
    expect(byVector()).toEqual([[false], [false, true]]);
  });
});

describe('A text with words that few have together', () => {
  const text = 'safe wallet coins';

  test.each([
    ['companies', { ...companies, text }],
    ['people, if one may be a surname', { ...companies, type: 'people', text: 'wallet coins hjelmslev' }],
  ] as const)('is answered by a part of its words for %s', async (_, query) => {
    const { tools, byVector } = engine([[answer(60, hit(1))], [answer(60, hit(2))]], vectors().port);
    expect(await search(query, tools)).toMatchObject({ pass: 'partial' });
    expect(byVector()).toEqual([[false], [false]]);
  });

  test.each([
    ['by meaning for people', hit(3), 'semantic'],
    ['by a part of its words if no person is near in meaning', null, 'partial'],
  ] as const)('is answered %s', async (_, near, pass) => {
    const meant = near === null ? answer(0) : answer(210, near);
    const { tools, byVector } = engine([[answer(60, hit(1))], [answer(60, hit(2)), meant]], vectors().port);
    expect(await search({ ...companies, type: 'people', text }, tools)).toMatchObject({ pass });
    expect(byVector()).toEqual([[false], [false, true]]);
  });
});

describe('A text without matching words', () => {
  test('is answered by meaning, and the next page reuses its vector', async () => {
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
    ['a provider that is too slow', vectors(null).port],
    ['a vector before those of the vocabulary', vectors('7f00', noTermVectors).port],
  ])('gets the tolerant answer with %s', async (_, port) => {
    const { sent, tools, byVector } = engine([[answer(5, hit(1))], [answer(20, hit(2))]], port);
    expect(await search(companies, tools)).toMatchObject({ response: { matchedBy: 'tolerant', results: [{ id: 2 }] } });
    expect([sent.length, byVector()]).toEqual([2, [[false], [false]]]);
  });

  test('gets the tolerant answer if only the search by meaning fails, and fails if the tolerant one does', async () => {
    const { port } = vectors();
    const half = engine([[answer(5, hit(1))], [answer(20, hit(2)), failed]], port);
    expect(await search(companies, half.tools)).toMatchObject({ response: { matchedBy: 'tolerant' } });
    const other = engine([[answer(5, hit(1))], [failed, answer(210, hit(3))]], port);
    expect(await search(companies, other.tools)).toEqual(failed);
    const both = engine([[answer(5, hit(1))], [failed, failed]], port);
    expect(await search(companies, both.tools)).toEqual(failed);
  });

  test('is searched by meaning under the same filters', async () => {
    const { port } = vectors();
    const { sent, tools } = engine([[answer(5, hit(1))], [answer(20, hit(2)), answer(210, hit(3))]], port);
    await search({ ...companies, filters: { country: ['Portugal'] } }, tools);
    const [, semantic] = sent[1] ?? [];
    expect(JSON.stringify(semantic?.body).match(/Portugal/gi)?.length).toBe(3);
    expect(JSON.stringify(semantic?.body)).toMatch(/"knn":\{[^}]*"filter"|"filter":\[[^\]]*Portugal/i);
  });
});

test.each<[string, SearchQuery]>([
  ['in an order other than relevance', { ...companies, sort: { by: 'name', reversed: false } }],
  ['of one word', { ...companies, text: 'staking' }],
  ['without text', { ...companies, text: ' ' }],
])('A search %s requests no vector', async (_, query) => {
  const { embedded, port } = vectors();
  const { sent, tools } = engine([[answer(0)], [answer(0)]], port);
  expect(await search(query, tools)).toMatchObject({ ok: true });
  expect(embedded).toEqual([]);
  expect(sent.length).toBeLessThanOrEqual(2);
});

test('A search of one kind needs no names from the indices of other kinds, but an engine that answers', async () => {
  const query = { ...companies, text: 'who gave money to unswap' };
  const missing = { ok: false, reason: 'rejected', status: 404, cause: undefined } as const;
  const { tools } = engine([[missing], [answer(200, hit(1))]]);
  expect(await search(query, tools)).toMatchObject({ response: { results: [{ id: 1 }] } });
  expect(await search(query, engine([[failed]]).tools)).toEqual(failed);
});

test('A failure of the first request is the answer, and the vector is aborted', async () => {
  const { embedded, port } = vectors();
  const { sent, tools } = engine([[failed]], port);
  expect(await search(companies, tools)).toEqual(failed);
  expect([sent.length, embedded[0]?.signal.aborted]).toEqual([1, true]);
});

test('Each reading of a text sends at most two requests, after one for names, and has one outcome, whatever is found, missing or fails', async () => {
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
      fc.array(reply, { minLength: 16, maxLength: 16 }),
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
        const lookups = possibleNames(words, knowledge).length > 0 ? 1 : 0;
        // One by names among other words, and one by the topics of a sentence, may not be the answer.
        const readings = lookups + 2 + (found.ok ? found.query.reading.relaxed.length : 0);
        const isGivenUp = found.ok && found.response.totalResults === 0;
        if (found.ok && !isGivenUp) expect(requests).toBeLessThanOrEqual(lookups + 2 * readings);
        else expect(requests).toBeLessThanOrEqual(lookups + 2 * (1 + lookups + relaxableConditions.length));
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
