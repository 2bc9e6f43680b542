import { createSearchPort } from '../../../../src/elasticsearch/search-port.ts';
import { loadKnowledge } from '../../../../src/search/questions/knowledge-source.ts';
import { emptyVocabulary } from '../../../../src/search/vocabulary/vocabulary.ts';
import { forFile } from '../../../support/for-file.ts';
import { setFeaturesStage } from '../../../support/stages/features.ts';

const stage = await forFile(
  setFeaturesStage({
    sql: `
    insert into companies (id, name, slug, tags, ecosystems, city, country) values
      (1, 'Quartz', 'quartz', '{lending,quartz-token}', '{base}', 'São Paulo', 'Brazil'),
      (2, 'Tidal', 'tidal', '{lending}', '{}', 'Zürich', 'Switzerland'),
      (3, 'Gneiss', 'gneiss', '{lending}', '{}', 'Zürich', 'Switzerland');
    insert into people (id, name, slug, tags) values
      (1, 'A', 'a', '{talk}'), (2, 'B', 'b', '{talk}'), (3, 'C', 'c', '{talk}');
    insert into events (id, name, slug, start_date, city, country, is_online, event_types) values
      (1, 'Quartz Day', 'quartz-day', '2030-02-03', 'İzmir', 'Türkiye', false, '{hackathon}'),
      (2, 'Tidal Talks', 'tidal-talks', '2031-07-03', null, null, true, '{hackathon}');`,
  }),
);

describe('knowledge from the indices', () => {
  async function loaded() {
    const port = createSearchPort(stage.indices.client);
    const basis = { indexPrefix: stage.indices.prefix, vocabulary: emptyVocabulary };
    const found = await loadKnowledge(basis, (request) => port.search({ ...request, timeoutMs: 30_000 }));
    if (!found.ok) throw new Error(`not read: ${found.reason}`, { cause: found.cause });
    return found.knowledge;
  }

  test('stays the same object while nothing is new', async () => {
    const port = createSearchPort(stage.indices.client);
    const basis = { indexPrefix: stage.indices.prefix, vocabulary: emptyVocabulary };
    const before = await loaded();
    const again = await loadKnowledge(basis, (request) => port.search({ ...request, timeoutMs: 30_000 }), before);
    expect(again).toEqual({ ok: true, knowledge: expect.anything() });
    expect(again.ok && again.knowledge === before).toBe(true);
  });

  test('has every place as documents spell it', async () => {
    const { gazetteer } = await loaded();
    expect(gazetteer.find('zurich')).toEqual({ countries: [], cities: ['Zürich'] });
    expect(gazetteer.find('sao paulo')).toEqual({ countries: [], cities: ['São Paulo'] });
    expect(gazetteer.find('turkey')).toEqual({ countries: ['Türkiye'], cities: [] });
    expect(gazetteer.find('south america')).toEqual({ countries: ['Brazil'], cities: [] });
  });

  test('has tags that several companies share, without chains and subjects of talks', async () => {
    const { isTopic, labels, places } = await loaded();
    expect([['lending'], ['quartz', 'token'], ['base'], ['talk']].map(isTopic)).toEqual([true, false, false, false]);
    expect(labels).toEqual(expect.arrayContaining(['base', 'lending']));
    expect(new Set(places)).toEqual(new Set(['Brazil', 'Switzerland', 'Türkiye', 'São Paulo', 'Zürich', 'İzmir']));
  });
});

test('the API reports its understanding of a question on every page', async () => {
  const query = `type=all&limit=1&query=${encodeURIComponent('lending startups in zurich')}`;
  const pages = [];
  for await (const page of stage.paginate(query)) pages.push(page);
  expect(pages.length).toBeGreaterThan(1);
  for (const { understood } of pages) {
    expect(understood).toMatchObject({ words: 'lending', kinds: ['companies'], places: [{ cities: ['Zürich'] }] });
  }
});
