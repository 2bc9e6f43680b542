import fc from 'fast-check';
import { forFile } from '../../../support/for-file.ts';
import { type Found, type Item, keyOf, setFeaturesStage } from '../../../support/stages/features.ts';

const stage = await forFile(
  setFeaturesStage({
    // Six editions of each of 20 series, some with a year in their names, some without a date.
    sql: `
    insert into events (id, name, slug, start_date, year, country, tags)
      select edition * 100 + series,
        'Quorum ' || chr(64 + series) || chr(96 + series) || ' Summit' ||
          case edition when 1 then '' when 2 then ' #2' else ' ' || 2018 + edition end,
        'quorum-' || series || '-' || edition,
        case when edition <> 3 then make_date(2018 + edition, 5, series) end, 2018 + edition,
        case when edition < 4 then 'Portugal' else 'Japan' end, '{governance}'
      from generate_series(1, 20) as series, generate_series(1, 6) as edition;
    insert into companies (id, name, slug) select n, 'Quorum Aa Summit', 'quorum-' || n from generate_series(1, 9) as n;
    analyze;`,
  }),
);

interface Edition {
  readonly id: number;
  readonly name: string;
}

function editionsOf(item: Item | undefined): readonly Edition[] {
  return (item?.editions ?? []) as readonly Edition[];
}

/** All entities of a page: each result, followed by its editions. */
function allOf({ results }: Found): readonly string[] {
  return results.flatMap((item) => [keyOf(item), ...editionsOf(item).map(({ id }) => `events/${id}`)]);
}

const query = 'type=events&query=Quorum%20Aa%20Summit';

test('by default every edition is a result of its own', async () => {
  const { results, totalResults } = await stage.find(`${query}&limit=100`);
  expect(results).toHaveLength(Math.min(totalResults, 100));
  expect(results.filter((item) => 'editions' in item)).toEqual([]);
});

test('collapsed, a series is one result with its editions, and counts stay the same', async () => {
  const plain = await stage.find(`${query}&limit=100&facets=country`);
  const {
    results,
    nextCursor: _cursor,
    ...counts
  } = await stage.find(`${query}&limit=100&facets=country&collapse=series`);
  expect(plain).toMatchObject(counts);
  expect(results.length).toBeLessThanOrEqual(20);
  const [first] = results;
  expect(keyOf(first as Item)).toBe(keyOf(plain.results[0] as Item));
  expect(first).toMatchObject({ entity_type: 'events', tags: ['governance'] });
  const others = [601, 501, 401, 301, 201, 101].filter((id) => id !== first?.id);
  expect(editionsOf(first).map(({ id }) => id)).toEqual(others);
  expect(editionsOf(first)).toContainEqual({
    id: 301,
    name: 'Quorum Aa Summit 2021',
    slug: 'quorum-1-3',
    year: 2021,
    start_date: null,
  });
});

test('the edition of the typed year is the result', async () => {
  for (const year of [2021, 2023]) {
    const { results } = await stage.find(`${query}%20${year}&collapse=series`);
    expect(results[0]?.name).toBe(`Quorum Aa Summit ${year}`);
    expect(editionsOf(results[0])).toHaveLength(5);
  }
});

test('fields choose what items show, not what editions show', async () => {
  const { results } = await stage.find(`${query}&collapse=series&fields=venue`);
  expect(Object.keys(results[0] ?? {}).sort()).toEqual(['editions', 'entity_type', 'id', 'venue']);
  expect(Object.keys(editionsOf(results[0])[0] ?? {}).sort()).toEqual(['id', 'name', 'slug', 'start_date', 'year']);
});

test('a sort decides which edition comes first', async () => {
  for (const [sort, edition] of [
    ['starts', 1],
    ['-starts', 6],
  ] as const) {
    const { results } = await stage.find(`type=events&sort=${sort}&limit=100&starts_from=2019-01-01&collapse=series`);
    expect([...new Set(results.map(({ id }) => Math.floor(id / 100)))]).toEqual([edition]);
    expect(results).toHaveLength(20);
  }
});

test('companies named like a series stay separate results', async () => {
  const { results } = await stage.find('type=all&query=Quorum%20Aa%20Summit&limit=100&collapse=series');
  const companies = results.filter((item) => item.entity_type === 'companies');
  expect(companies).toHaveLength(9);
  expect(companies.filter((item) => 'editions' in item)).toEqual([]);
});

const searches = fc.record({
  type: fc.constantFrom('events', 'all'),
  text: fc.constantFrom('', 'Quorum Aa Summit', 'summit 2023', 'quorum'),
  sort: fc.constantFrom('relevance', 'name', '-name', 'newest'),
  limit: fc.integer({ min: 10, max: 100 }),
});

test('paging returns every entity once, as a result or as an edition', async () => {
  await fc.assert(
    fc.asyncProperty(searches, async ({ type, text, sort, limit }) => {
      const asked = new URLSearchParams({ type, query: text, sort, limit: String(limit) }).toString();
      const [plain, collapsed]: [Found[], Found[]] = [[], []];
      for await (const page of stage.paginate(asked)) plain.push(page);
      for await (const page of stage.paginate(`${asked}&collapse=series`)) collapsed.push(page);
      const pages = plain.map((page) => [page.page, page.totalResults, page.totalPages, allOf(page).toSorted()]);
      expect(collapsed.map((page) => [page.page, page.totalResults, page.totalPages, allOf(page).toSorted()])).toEqual(
        pages,
      );
      const all = collapsed.flatMap(allOf);
      expect(all).toHaveLength(plain[0]?.totalResults ?? -1);
      expect(new Set(all).size).toBe(all.length);
      // By their numbers the pages are the same.
      const last = await stage.find(`${asked}&collapse=series&page=${collapsed.length}`);
      expect(last.results).toEqual(collapsed.at(-1)?.results);
    }),
    { numRuns: 10 },
  );
});
