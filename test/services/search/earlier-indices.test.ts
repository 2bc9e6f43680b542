import { aliasName, generationName } from '../../../src/kinds/index-names.ts';
import { type KindName, kindNames } from '../../../src/kinds/kind.ts';
import { earlierDefinition, earlierIndices } from '../../support/search/earlier-indices.ts';
import { type FeaturesStage, type Found, type Item, keyOf, setSampleStage } from '../../support/stages/features.ts';

// A new version's API answers from the indices of the version before until they are rebuilt.

let stage: FeaturesStage;
/** What the indices of this version answer. */
const expected = new Map<string, Found>();

/** One for each thing that is asked of fields that were made in another way. */
const queries = {
  'a name': 'type=all&query=Plover%20Spire',
  'the beginning of a name': 'type=companies&query=plov',
  'a misspelt name': 'type=all&query=Plvoer%20Spire',
  'a name among words': 'type=companies&query=plover%20spire%20market%20makers',
  'a misspelt name among words': 'type=companies&query=plovr%20spire%20market%20makers',
  'a tag and a place': 'type=companies&query=exchange%20sydney',
  'another name for a tag': 'type=companies&query=decentralized%20exchange',
  'words of a text': 'type=companies&query=matches%20spot%20orders',
  'a kind and a place': 'type=all&query=staking%20startups%20in%20Amsterdam',
  'a kind and a year': 'type=all&query=hackathons%20in%202024',
  'what is like an entity': 'type=companies&query=companies%20like%20Plover%20Spire',
  'filters and counts': 'type=companies&query=wallet&facets=country,tag&country=Germany',
  'where labels match': 'type=companies&query=staking%20amsterdam&highlight=true',
  'all, by name': 'type=all&sort=name&limit=50',
} as const;

beforeAll(async () => {
  stage = await setSampleStage();
  for (const query of Object.values(queries)) expected.set(query, await stage.find(query));
}, 180_000);
afterAll(() => stage[Symbol.asyncDispose]());

test('the queries find something, and show where', () => {
  for (const [name, query] of Object.entries(queries)) expect([name, resultsOf(query)]).not.toEqual([name, []]);
  const marked = resultsOf(queries['where labels match']).map(({ highlight }) => highlight);
  for (const field of ['tags', 'place'])
    expect(marked).toContainEqual(
      expect.objectContaining({ [field]: expect.arrayContaining([expect.stringContaining('<em>')]) }),
    );
});

describe.each(Object.entries(earlierIndices))('indices with %s', (name, earlier) => {
  beforeAll(async () => {
    for (const kind of kindNames) await serve(kind, 100 + Object.keys(earlierIndices).indexOf(name));
  }, 60_000);

  /** Copies the kind's documents into an index of the earlier version, and has searches ask that. */
  async function serve(kind: KindName, number: number): Promise<void> {
    const { client, prefix } = stage.indices;
    const alias = aliasName(prefix, kind);
    const index = generationName(prefix, kind, '0123abcd', number);
    await client.indices.create({ index, ...earlierDefinition(kind, earlier) });
    const { hits } = await client.search<{ search: object }>({ index: alias, size: 10_000 });
    const operations = hits.hits.flatMap(({ _id, _source }) => [
      { index: { _id } },
      { ..._source, search: { ..._source?.search, kind_words: earlier.kindWords(kind) } },
    ]);
    const { errors } = await client.bulk({ index, operations, refresh: true });
    expect([kind, errors]).toEqual([kind, false]);
    await client.indices.updateAliases({
      actions: [{ remove: { index: `${prefix}${kind}-*`, alias } }, { add: { index, alias } }],
    });
  }

  test.each(Object.entries(queries))('find the same for %s', async (_, query) => {
    const { results, totalResults, matchedBy, facets } = await stage.find(query);
    const own = expected.get(query);
    expect(results).toContainEqual(own?.results[0]);
    expect(matchedBy).toBe(own?.matchedBy);
    expect(totalResults).toBe(own?.totalResults);
    expect(facets).toEqual(own?.facets);
    // Points for single words differ a little, and with them the order.
    const keys = new Set(resultsOf(query).map(keyOf));
    expect(results.filter((item) => keys.has(keyOf(item))).length).toBeGreaterThanOrEqual(keys.size / 2);
  });
});

function resultsOf(query: string): readonly Item[] {
  return expected.get(query)?.results ?? [];
}
