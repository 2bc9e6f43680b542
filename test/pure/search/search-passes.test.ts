import { executeSearch } from '../../../src/search/execute-search.ts';
import type { SendSearch } from '../../../src/search/ports.ts';
import { prepareQuery, type SearchQuery } from '../../../src/search/query.ts';
import { queryContext, sendingTools } from '../../support/search/query-context.ts';

const query = { type: 'companies', text: 'unsiwap', page: 1, limit: 20 } as const;
const hit = { _index: 'x-companies-0a1b2c3d-1', _source: { id: 7, name: 'Uniswap' } };

function search(query: SearchQuery, send: SendSearch) {
  return executeSearch(prepareQuery(query, queryContext()), sendingTools(send));
}

function engine(...answers: readonly unknown[]) {
  const sent: { body: Readonly<Record<string, unknown>> }[] = [];
  const send: SendSearch = async (request) => {
    const body = answers[sent.length];
    sent.push(request);
    return body === undefined
      ? ({ ok: false, reason: 'timeout', cause: undefined } as const)
      : ({ ok: true, body } as const);
  };
  return { sent, send };
}

function raw(maxScore: number | null, total = 1) {
  return {
    timed_out: false,
    hits: { total: { value: total }, max_score: maxScore, ...(total > 0 ? { hits: [hit] } : {}) },
  };
}

describe('at most two passes', () => {
  test('a strong strict answer is the answer', async () => {
    const { sent, send } = engine(raw(200));
    expect(await search(query, send)).toMatchObject({
      ok: true,
      response: { matchedBy: 'strict', totalResults: 1 },
    });
    expect(sent).toHaveLength(1);
  });

  test('a weak strict answer makes room for the tolerant one', async () => {
    const { sent, send } = engine(raw(12, 3), raw(50));
    expect(await search(query, send)).toMatchObject({
      ok: true,
      response: { matchedBy: 'tolerant', totalResults: 1 },
    });
    expect(sent).toHaveLength(2);
  });

  test('where few have every word, those with enough of them follow; the spelling is trusted still', async () => {
    const { sent, send } = engine(raw(55, 3), raw(55, 70));
    expect(await search({ ...query, text: 'floor tiles spain' }, send)).toMatchObject({
      ok: true,
      response: { matchedBy: 'strict', totalResults: 70 },
    });
    expect(sent).toHaveLength(2);
    expect(JSON.stringify(sent[1]?.body)).not.toContain('fuzziness');
  });

  test('no strict answer at all is weak', async () => {
    const { sent, send } = engine(raw(null, 0), raw(null, 0));
    expect(await search(query, send)).toMatchObject({
      ok: true,
      response: { matchedBy: 'tolerant', totalResults: 0, totalPages: 0, results: [] },
    });
    expect(sent).toHaveLength(2);
  });

  test('a query without text is never weak', async () => {
    const { sent, send } = engine(raw(null, 0));
    expect(await search({ ...query, text: ' ' }, send)).toMatchObject({ ok: true });
    expect(sent).toHaveLength(1);
  });

  test('a failure of either pass is the answer', async () => {
    expect(await search(query, engine().send)).toEqual({ ok: false, reason: 'timeout' });
    expect(await search(query, engine(raw(1)).send)).toEqual({ ok: false, reason: 'timeout' });
  });

  test.each([
    ['null', null],
    ['text', 'oops'],
    ['a partial answer', { ...raw(200), timed_out: true }],
    ['no hits', {}],
  ])('%s is no answer', async (_, body) => {
    expect(await search(query, engine(body).send)).toEqual({ ok: false, reason: 'invalid' });
  });

  test('an item has its kind and exactly the kind’s fields, null where the document has none', async () => {
    const result = await search(query, engine(raw(200)).send);
    expect(result).toMatchObject({
      response: {
        results: [
          {
            entity_type: 'companies',
            id: 7,
            name: 'Uniswap',
            slug: null,
            logo: null,
            overview: null,
            total_employees: null,
            year_founded: null,
            website: null,
            tags: null,
            location_json: null,
          },
        ],
      },
    });
  });
});
