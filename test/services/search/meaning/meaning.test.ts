import { createSearchPort } from '../../../../src/elasticsearch/search-port.ts';
import { executeSearch } from '../../../../src/search/execute-search.ts';
import { noTermVectors, termVectors } from '../../../../src/search/meaning/term-vectors.ts';
import { searchTools } from '../../../../src/search/ports.ts';
import { prepareQuery, searchBody } from '../../../../src/search/query.ts';
import { explainBody, floorLines, hitLines, parseExplained } from '../../../../src/search/ranking/explain.ts';
import { parseRawResponse } from '../../../../src/search/response.ts';
import { angleEnv, angleVectors, anyAngle, createAngleEmbedder } from '../../../support/embeddings/query-vectors.ts';
import { forFile } from '../../../support/for-file.ts';
import { queryContext } from '../../../support/search/query-context.ts';
import { type Found, keyOf, setFeaturesStage } from '../../../support/stages/features.ts';

// Searches by meaning on the real engine. Vectors are angles: a text points at 0, and company n at 2n degrees.

const embedder = createAngleEmbedder();
/** Words that no document has. */
const vague = 'grandmother guarantee punishment';
const companies = `type=companies&query=${encodeURIComponent(vague)}`;
/** As many have a vector. */
const withVector = 27;

const stage = await forFile(
  setFeaturesStage(
    {
      sql: `
      insert into companies (id, name, slug, overview, tags, country, city, founded_date)
        select n, 'Firm ' || chr(64 + n), 'firm-' || n,
          case n when 26 then 'Soulbound medals' else 'A <b>business</b> of its own' end,
          case n % 2 when 0 then '{blue}'::text[] else '{red}'::text[] end,
          case n % 3 when 0 then 'Portugal' else 'Japan' end, case n % 3 when 0 then 'Lisbon' else 'Tokyo' end,
          date '2001-02-03' + n * 400
        from generate_series(1, 26) as n;
      insert into companies (id, name, slug, tags) values
        (40, 'Quartzine', 'quartzine', '{lending,custody}'), (41, 'Tidalwave', 'tidalwave', '{lending}'),
        (42, 'Gneissbank', 'gneissbank', '{lending,custody}'), (43, 'Nobodyknows', 'nobodyknows', '{}'),
        (44, 'Schistpay', 'schistpay', '{custody}');
      insert into investors (id, name, slug) values (1, 'Fund A', 'fund-a'), (2, 'Fund B', 'fund-b');
      ${angleVectors('companies', 2, 'id <= 26 or id = 41')}
      ${angleVectors('investors', 3, 'true')}`,
    },
    { env: angleEnv, embeddings: embedder },
  ),
);
beforeEach(() => {
  embedder.isThere = true;
  embedder.asked.length = 0;
  embedder.termVectors = anyAngle;
});

const idsOf = (found: Found) => found.results.map(({ id }) => id);
const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);

async function wholeList(query: string, afterEach: (page: number) => void = () => undefined) {
  const pages: Found[] = [];
  for await (const page of stage.paginate(query)) {
    pages.push(page);
    afterEach(pages.length);
  }
  return { keys: pages.flatMap(({ results }) => results.map(keyOf)), pages };
}

describe('A search whose words are in no document', () => {
  test('finds the nearest in meaning, nearest first, marked as semantic', async () => {
    const found = await stage.find(`${companies}&limit=50`);
    expect(found).toMatchObject({ matchedBy: 'semantic', totalResults: withVector, totalPages: 1 });
    expect(idsOf(found)).toEqual([...upTo(26), 41]);
    expect(embedder.asked).toEqual([vague]);
  });

  test('finds nothing without a vector for its text, and no error', async () => {
    embedder.isThere = false;
    expect(await stage.find(companies)).toMatchObject({ matchedBy: 'tolerant', totalResults: 0 });
  });

  test('finds nothing until it is known how near unrelated texts are', async () => {
    embedder.termVectors = noTermVectors;
    expect(await stage.find(companies)).toMatchObject({ matchedBy: 'tolerant', totalResults: 0 });
  });

  test('sends two requests to Elasticsearch', async () => {
    const asked = stage.api.asked.length;
    await stage.find(companies);
    // The strict one, and the tolerant and the semantic one in one.
    expect(stage.api.asked.length - asked).toBe(3);
  });

  test('applies the filters, in the whole index', async () => {
    const found = await stage.find(`${companies}&country=Portugal&limit=50`);
    expect([found.matchedBy, idsOf(found)]).toEqual(['semantic', [3, 6, 9, 12, 15, 18, 21, 24]]);
    expect(found.totalResults).toBe(8);
    expect(idsOf(await stage.find(`${companies}&tag=blue&founded_from=2020`))).toEqual([18, 20, 22, 24, 26]);
    expect(await stage.find(`${companies}&country=Peru`)).toMatchObject({ totalResults: 0, results: [] });
  });

  test('has facets for its hits', async () => {
    const { facets } = await stage.find(`${companies}&facets=tag,country&limit=1`);
    expect(facets?.tag).toEqual([
      { value: 'blue', count: 13 },
      { value: 'red', count: 13 },
      { value: 'lending', count: 1 },
    ]);
    expect(facets?.country).toEqual([
      { value: 'Japan', count: 18 },
      { value: 'Portugal', count: 8 },
    ]);
  });

  test('has pages', async () => {
    const pages = await Promise.all([1, 2, 3].map((page) => stage.find(`${companies}&limit=10&page=${page}`)));
    expect(pages.flatMap(idsOf)).toEqual([...upTo(26), 41]);
    for (const page of pages) {
      expect(page).toMatchObject({ matchedBy: 'semantic', totalResults: withVector, totalPages: 3 });
    }
    expect(await stage.find(`${companies}&limit=10&page=4`)).toMatchObject({ totalResults: withVector, results: [] });
  });

  test('shows matching words, if any', async () => {
    const { results } = await stage.find(
      `type=companies&query=${encodeURIComponent('grandmother guarantee punishment friends business')}&highlight=true&limit=1`,
    );
    expect(results).toMatchObject([
      { id: 1, highlight: { overview: ['A &lt;b&gt;<em>business</em>&lt;&#x2F;b&gt; of its own'] } },
    ]);
  });

  test('covers all kinds', async () => {
    const found = await stage.find(`type=all&query=${encodeURIComponent(vague)}&limit=50`);
    expect(found).toMatchObject({ matchedBy: 'semantic', totalResults: withVector + 2 });
    const keys = found.results.map(keyOf);
    // Companies count a little more if no kind is named.
    expect(keys.slice(0, 4)).toEqual(['companies/1', 'companies/2', 'companies/3', 'companies/4']);
    expect(keys.indexOf('investors/1')).toBeLessThan(keys.indexOf('companies/26'));
  });

  test('ranks a hit higher if it names a concept that the text means, by any of its phrases', async () => {
    // The concept's token is a plural: documents have it without its ending.
    const concepts = ['soulboundtokens', 'mining'].map((term) => ({ kind: 'concept', term, phrase: term }) as const);
    embedder.termVectors = termVectors(
      concepts,
      [Float32Array.of(1, 0), Float32Array.of(0, 1)],
      [],
      [Float32Array.of(-1, -1)],
    );
    const ids = idsOf(await stage.find(`${companies}&limit=50`));
    expect(ids.indexOf(26)).toBeLessThan(ids.indexOf(25));
  });

  test('in another order uses no vector, as only words count then', async () => {
    expect(await stage.find(`${companies}&sort=name`)).toMatchObject({ matchedBy: 'tolerant', totalResults: 0 });
    expect(embedder.asked).toEqual([]);
  });
});

describe('Paging by cursor', () => {
  const query = `${companies}&limit=5`;
  const whole = [...upTo(26), 41].map((id) => `companies/${id}`);

  test('returns each hit once, in order', async () => {
    const { keys, pages } = await wholeList(query);
    expect(keys).toEqual(whole);
    for (const page of pages) expect(page).toMatchObject({ matchedBy: 'semantic', totalResults: withVector });
  });

  test('continues if the provider fails after the first page, and does not call it', async () => {
    const { keys } = await wholeList(query, () => {
      embedder.isThere = false;
    });
    expect([keys, embedder.asked]).toEqual([whole, [vague]]);
  });

  test('with a filter and facets gives the same on every page', async () => {
    const { keys, pages } = await wholeList(`${companies}&limit=3&country=Portugal&facets=tag`);
    expect(keys).toEqual([3, 6, 9, 12, 15, 18, 21, 24].map((id) => `companies/${id}`));
    for (const { facets } of pages) expect(facets?.tag?.map(({ count }) => count)).toEqual([4, 4]);
  });

  test('can start at any page', async () => {
    const second = await stage.find(`${query}&page=2`);
    const third = await stage.find(`${query}&cursor=${second.nextCursor}`);
    expect(idsOf(third)).toEqual([11, 12, 13, 14, 15]);
  });
});

describe('Companies similar to one', () => {
  const like = (name: string, more = '') =>
    stage.find(`type=companies&query=${encodeURIComponent(`companies like ${name}`)}${more}`);

  test.each(['quartzine', 'Quartzine', 'quartzin', 'qurtzine'])('are found by a similar name: %s', async (name) => {
    const found = await like(name);
    expect(found).toMatchObject({ matchedBy: 'semantic', understood: { like: name } });
    // Entities that share both tags, then those that share one; never the entity itself.
    expect(idsOf(found)[0]).toBe(42);
    expect(idsOf(found).toSorted()).toEqual([41, 42, 44]);
  });

  test('are found by terms alone while the provider is down', async () => {
    embedder.isThere = false;
    expect(idsOf(await like('quartzine'))).toHaveLength(3);
  });

  test('are near in meaning if the company has a vector', async () => {
    const found = await like('tidalwave', '&limit=50');
    // Those whose angle is next to 82 degrees, then those without a vector that share its tag.
    const ids = idsOf(found);
    expect(ids.slice(0, 26)).toEqual(upTo(26).toReversed());
    expect(ids.slice(26).toSorted()).toEqual([40, 42]);
    expect(ids).not.toContain(41);
  });

  test('are filtered, counted and paged like other results', async () => {
    expect(idsOf(await like('tidalwave', '&country=Portugal&limit=3'))).toEqual([24, 21, 18]);
    const query = `type=companies&limit=4&query=${encodeURIComponent('companies like tidalwave')}`;
    const { keys, pages } = await wholeList(query, () => {
      embedder.isThere = false;
    });
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toHaveLength(pages[0]?.totalResults ?? -1);
    expect(keys).toHaveLength(28);
    embedder.isThere = true;
    expect(keys).toEqual((await stage.find(`${query.replace('limit=4', 'limit=50')}`)).results.map(keyOf));
  });

  test('are none if no entity has that name, or nothing is known about it', async () => {
    for (const name of ['nonesuchium', 'nobodyknows']) {
      expect(await like(name, '&limit=50')).toMatchObject({ matchedBy: 'tolerant' });
    }
  });

  test('are not searched for in a literal search', async () => {
    const found = await like('quartzine', '&literal=true');
    expect([found.understood, idsOf(found)[0]]).toEqual([null, 40]);
  });
});

test('explain covers hits by meaning and similar entities', async () => {
  const { client, prefix } = stage.indices;
  const port = createSearchPort(client);
  for (const [text, expected] of [
    ['safe free help', 'nearMeaning'],
    ['companies like tidalwave', 'nearEntity'],
    ['companies like quartzine', 'sharedTrait'],
  ] as const) {
    const query = { type: 'companies', text, page: 1, limit: 1 } as const;
    const prepared = prepareQuery(query, { ...queryContext(), indexPrefix: prefix });
    const found = await executeSearch(
      prepared,
      searchTools(port, () => 10_000, { vectors: embedder }),
    );
    if (!found.ok) throw new Error('not found', { cause: found.cause });
    const explained = await client.transport.request({
      method: 'POST',
      path: `/${prefix}companies/_search`,
      querystring: { search_type: 'dfs_query_then_fetch', include_named_queries_score: true },
      body: explainBody(found.query, found.pass, 3),
    });
    const parsed = parseExplained(explained);
    const body = searchBody(found.query, found.pass, { size: 1 });
    const answer = await port.search({ indices: prepared.indices, body, timeoutMs: 60_000 });
    const raw = parseRawResponse(answer.ok ? answer.body : null);
    expect(floorLines(found.query).length).toBe(expected === 'nearMeaning' ? 1 : 0);
    expect(hitLines(parsed)[2]).toMatch(new RegExp(`^ +\\+\\d+\\.\\d ${expected}: .`));
    expect(parsed.hits.max_score).toBeCloseTo(raw?.hits.max_score ?? 0, 3);
  }
});
