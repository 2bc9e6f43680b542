import { search } from '../../../src/search/search.ts';
import { emptyVocabulary } from '../../../src/search/vocabulary/vocabulary.ts';

const query = { type: 'companies', text: 'unsiwap', page: 1, limit: 20 } as const;
const hit = { _index: 'x-companies-0a1b2c3d-1', _source: { id: 7, name: 'Uniswap' } };

function engine(...answers: readonly unknown[]) {
  const asked: { body: Readonly<Record<string, unknown>> }[] = [];
  const ask = async (request: { body: Readonly<Record<string, unknown>> }) => {
    const body = answers[asked.length];
    asked.push(request);
    return body === undefined ? ({ ok: false, reason: 'timeout' } as const) : ({ ok: true, body } as const);
  };
  return { asked, ask };
}

function raw(maxScore: number | null, total = 1) {
  return {
    timed_out: false,
    hits: { total: { value: total }, max_score: maxScore, ...(total > 0 ? { hits: [hit] } : {}) },
  };
}

describe('at most two passes', () => {
  test('a strong strict answer is the answer', async () => {
    const { asked, ask } = engine(raw(200));
    expect(await search(query, ask, emptyVocabulary)).toMatchObject({
      ok: true,
      answer: { matchedBy: 'strict', totalResults: 1 },
    });
    expect(asked).toHaveLength(1);
  });

  test('a weak strict answer makes room for the tolerant one', async () => {
    const { asked, ask } = engine(raw(12, 3), raw(50));
    expect(await search(query, ask, emptyVocabulary)).toMatchObject({
      ok: true,
      answer: { matchedBy: 'tolerant', totalResults: 1 },
    });
    expect(asked).toHaveLength(2);
  });

  test('where few have every word, those with enough of them follow; the spelling is trusted still', async () => {
    const { asked, ask } = engine(raw(55, 3), raw(55, 70));
    expect(await search({ ...query, text: 'floor tiles spain' }, ask, emptyVocabulary)).toMatchObject({
      ok: true,
      answer: { matchedBy: 'strict', totalResults: 70 },
    });
    expect(asked).toHaveLength(2);
    expect(JSON.stringify(asked[1]?.body)).not.toContain('fuzziness');
  });

  test('no strict answer at all is weak', async () => {
    const { asked, ask } = engine(raw(null, 0), raw(null, 0));
    expect(await search(query, ask, emptyVocabulary)).toMatchObject({
      ok: true,
      answer: { matchedBy: 'tolerant', totalResults: 0, totalPages: 0, results: [] },
    });
    expect(asked).toHaveLength(2);
  });

  test('a query without text is never weak', async () => {
    const { asked, ask } = engine(raw(null, 0));
    expect(await search({ ...query, text: ' ' }, ask, emptyVocabulary)).toMatchObject({ ok: true });
    expect(asked).toHaveLength(1);
  });

  test('a failure of either pass is the answer', async () => {
    expect(await search(query, engine().ask, emptyVocabulary)).toEqual({ ok: false, reason: 'timeout' });
    expect(await search(query, engine(raw(1)).ask, emptyVocabulary)).toEqual({ ok: false, reason: 'timeout' });
  });

  test.each([
    ['null', null],
    ['text', 'oops'],
    ['a partial answer', { ...raw(200), timed_out: true }],
    ['no hits', {}],
  ])('%s is no answer', async (_, body) => {
    expect(await search(query, engine(body).ask, emptyVocabulary)).toEqual({ ok: false, reason: 'invalid' });
  });

  test('an item has its kind and exactly the kind’s fields, null where the document has none', async () => {
    const result = await search(query, engine(raw(200)).ask, emptyVocabulary);
    expect(result).toMatchObject({
      answer: {
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
