import { answer, companies, engine, failed, hit, search, vectors } from '../../support/search/scripted-engine.ts';

describe('Entities similar to another', () => {
  const alike = { ...companies, text: 'companies like unswap' };
  const seed = hit(7, { tags: ['dex'], search: { investor_ids: [3], vector_0a1b2c3d: '7f01' } });

  test.each([
    ['vectors', vectors().port],
    ['terms alone', null],
  ])('are searched for after the plain text, by their traits: with %s', async (_, port) => {
    const { sent, tools, byVector } = engine([[answer(20, hit(1)), answer(64, seed)], [answer(30, hit(8))]], port);
    expect(await search(alike, tools)).toMatchObject({ response: { matchedBy: 'semantic', results: [{ id: 8 }] } });
    expect(sent.map((requests) => requests.length)).toEqual([2, 1]);
    expect(byVector()[1]).toEqual([port !== null]);
    expect(sent[1]?.[0]?.body).toMatchObject({ query: { bool: { must: [{ function_score: expect.anything() }] } } });
    expect(JSON.stringify(sent[1]?.[0]?.body)).toContain('"must_not":[{"term":{"id":7}}');
  });

  test('are not searched for if the text is a sure name', async () => {
    const { sent, tools } = engine([[answer(200, hit(1)), answer(64, seed)]]);
    expect(await search(alike, tools)).toMatchObject({ response: { matchedBy: 'strict', results: [{ id: 1 }] } });
    expect(sent.length).toBe(1);
  });

  test.each([
    ['no entity has that name', answer(0)],
    ['no entity has nearly that name', answer(12, seed)],
    ['only its name is known', answer(64, hit(7))],
    ['the search for the name fails', failed],
  ])('are replaced by the plain answer, and none by meaning, if %s', async (_, named) => {
    const { port } = vectors();
    const { sent, tools } = engine([[answer(20, hit(1)), named], [answer(60, hit(2))]], port);
    expect(await search(alike, tools)).toMatchObject({ response: { matchedBy: 'tolerant', results: [{ id: 2 }] } });
    expect(sent.length).toBe(2);
  });

  test('of a person, who may be misspelt, are the events in the record', async () => {
    const person = { ...hit(7, { events: ['devcon-4'] }), _index: 'x-people-0a1b2c3d-1' };
    const met = async (points: number) => {
      const { sent, tools } = engine([[answer(0)], [answer(0), answer(points, person)], [answer(104, hit(8))]]);
      const found = await search({ ...companies, type: 'all', text: 'where did vitalik speak' }, tools);
      expect(found).toMatchObject({ response: { matchedBy: 'strict', results: [{ id: 8 }] } });
      return JSON.stringify(sent[2]).split('"slug":["devcon-4"]').length - 1;
    };
    expect([await met(160), await met(64)]).toEqual([2, 1]);
  });

  test('fail if the plain search does, or the search that follows', async () => {
    expect(await search(alike, engine([[failed, answer(64, seed)]]).tools)).toEqual(failed);
    expect(await search(alike, engine([[answer(20, hit(1)), answer(64, seed)], [failed]]).tools)).toEqual(failed);
  });

  test('are not searched for in another order or a literal search', async () => {
    for (const query of [{ ...alike, sort: { by: 'name', reversed: false } } as const, { ...alike, literal: true }]) {
      const { sent, tools } = engine([[answer(70, hit(1), hit(2), hit(3), hit(4))], [answer(70, hit(1))]]);
      expect(await search(query, tools)).toMatchObject({ ok: true });
      expect(sent.every((requests) => requests.length === 1)).toBe(true);
    }
  });

  test('exclude the entities that the text excludes, and respect the place that it names', async () => {
    const { sent, tools } = engine([[answer(0)], [answer(20, hit(1)), answer(64, seed)], [answer(30, hit(8))]]);
    await search({ ...companies, text: 'dex in berlin other than unswap and curve' }, tools);
    const body = JSON.stringify(sent[2]?.[0]?.body);
    expect(body).toMatch(/"must_not".*curve/);
    expect(body).toMatch(/Berlin/);
  });
});
