import type { ErrorBody } from '../../support/api/in-process.ts';
import { forFile } from '../../support/for-file.ts';
import { testOnRealData } from '../../support/real-data.ts';
import { type Found, findWith, keyOf, setDataStage, setFeaturesStage } from '../../support/stages/features.ts';

/** The number of results that pages reach here: by default 10,000. */
const pagesReach = 500;
/** More than pages reach, and all alike: most scores and most sort values are equal. */
const companyCount = 730;

const stage = await forFile(
  setFeaturesStage({
    // Ids meet across kinds, so that an id alone settles no tie.
    sql: `
    insert into companies (id, name, slug, tags, founded_date)
      select n, 'Twin Ledger', 'twin-' || n, '{Ledgers}', date '2001-02-03' + (n % 7)::int * 365
      from generate_series(1, ${companyCount}) as n;
    insert into investors (id, name, slug) select n, 'Twin Ledger', 'twin-' || n from generate_series(1, 300) as n;
    insert into people (id, name, slug) select n, 'Twin Ledger', 'twin-' || n from generate_series(1, 300) as n;
    analyze;`,
  }),
);
await stage.indices.client.indices.putSettings({
  index: `${stage.indices.prefix}companies`,
  settings: { 'index.max_result_window': pagesReach },
});

async function allPages(query: string): Promise<{ readonly keys: string[]; readonly pages: Found[] }> {
  const pages: Found[] = [];
  for await (const page of stage.paginate(query)) pages.push(page);
  return { keys: pages.flatMap(({ results }) => results.map(keyOf)), pages };
}

async function problem(query: string, api = stage.api): Promise<ErrorBody & { readonly status: number }> {
  const response = await api.keyed(`/api/v1/search?${query}`);
  return { status: response.status, ...((await response.json()) as ErrorBody) };
}

async function openPointsInTime(): Promise<number> {
  const stats = await stage.indices.client.indices.stats({ index: `${stage.indices.prefix}*`, metric: 'search' });
  return stats._all.total?.search?.open_contexts ?? -1;
}

describe('Paging by cursor returns every result once, in order', () => {
  test.each([
    ['by equal scores, beyond the results that pages reach', 'type=companies&query=twin%20ledger', companyCount],
    ['without text, with equal prominence', 'type=people', 300],
    ['by a value that half of them share', 'type=companies&sort=-founded&founded_from=2006', 208],
  ])('%s', async (_, query, count) => {
    const { keys, pages } = await allPages(`${query}&limit=100`);
    expect(keys).toHaveLength(count);
    expect(new Set(keys).size).toBe(count);
    expect(new Set(pages.map(({ totalResults }) => totalResults))).toEqual(new Set([count]));
    expect(pages.map(({ page }) => page)).toEqual(pages.map((_page, at) => at + 1));
    expect(pages).toHaveLength(Math.ceil(count / 100));
    // The first ones are those that pages give, in their order.
    const last = Math.min(pages.length, pagesReach / 100);
    const page = await stage.find(`${query}&limit=100&page=${last}`);
    expect(keys.slice((last - 1) * 100, last * 100)).toEqual(page.results.map(keyOf));
  });

  test('across kinds with equal ids and scores', async () => {
    const { keys, pages } = await allPages('type=all&query=twin%20ledger&tag=ledgers&limit=100&founded_to=2001');
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toHaveLength(pages[0]?.totalResults ?? -1);
    const mixed: string[] = [];
    for await (const { results } of stage.paginate(
      'type=all&query=twin%20ledger&sort=-name&limit=40&updated_since=2001-01-01',
    )) {
      mixed.push(...results.map(keyOf));
      if (mixed.length > 200) break;
    }
    expect(new Set(mixed).size).toBe(mixed.length);
  });

  test('has no cursor for a single page, and none at the exact end', async () => {
    expect((await stage.find('type=people&limit=100&page=3')).nextCursor).toBeNull();
    expect((await stage.find('type=people&limit=100&page=4')).nextCursor).toBeNull();
    expect((await allPages('type=people&limit=100')).pages.map(({ nextCursor }) => nextCursor === null)).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('from a later page starts after that page', async () => {
    const second = await stage.find('type=people&limit=50&page=2');
    const third = await stage.find(`type=people&limit=50&cursor=${second.nextCursor}`);
    const asPage = await stage.find('type=people&limit=50&page=3');
    expect(third.results).toEqual(asPage.results);
    expect([third.page, third.totalResults, third.totalPages]).toEqual([3, 300, 6]);
  });

  test('sends one search per page, and closes its point in time at the end', async () => {
    const open = await openPointsInTime();
    const first = await stage.find('type=people&limit=100&query=twin');
    expect(await openPointsInTime()).toBe(open);
    const asked = stage.api.asked.length;
    const second = await stage.find(`type=people&limit=100&query=twin&cursor=${first.nextCursor}`);
    expect(stage.api.asked.length - asked).toBe(1);
    expect(await openPointsInTime()).toBeGreaterThan(open);
    const last = await stage.find(`type=people&limit=100&query=twin&cursor=${second.nextCursor}`);
    expect(last.nextCursor).toBeNull();
    expect(await openPointsInTime()).toBe(open);
  });

  test('can continue in another process', async () => {
    const shared = { CURSOR_SECRET: 'one that both of these have' };
    const [one, other] = [await stage.startApi(shared), await stage.startApi(shared)];
    const first = await findWith(one, 'type=people&limit=100');
    const second = await findWith(other, `type=people&limit=100&cursor=${first.nextCursor}`);
    expect(second.page).toBe(2);
  });
});

describe('While documents change', () => {
  test('no result of the first page is repeated, nothing else is missed, and all pages show the same state', async () => {
    const { client, prefix } = stage.indices;
    const query = 'type=investors&limit=20&sort=name';
    const first = await stage.find(query);
    const [moved] = first.results;
    const [fourth] = (await stage.find(`${query}&page=4`)).results;
    const write = async (id: number, doc: object) =>
      client.update({ index: `${prefix}investors`, id: String(id), doc, refresh: true });
    // Between the first page and the first cursor: one shown goes to the end, one not shown to the top.
    await write(moved?.id ?? 0, { name: 'ZZ last' });
    await write(fourth?.id ?? 0, { name: 'AA first' });
    const keys = first.results.map(keyOf);
    let next = first.nextCursor;
    let page = 0;
    while (next !== null) {
      const found = await stage.find(`${query}&cursor=${next}`);
      keys.push(...found.results.map(keyOf));
      next = found.nextCursor;
      page += 1;
      // Also later: from here on nothing changes its results.
      if (page < 5) {
        await write(290 + page, { name: 'AA moved' });
        await client.delete({ index: `${prefix}investors`, id: String(280 + page), refresh: true });
        await client.create({
          index: `${prefix}investors`,
          id: String(1_000 + page),
          document: { id: 1_000 + page, name: 'ZZ new' },
          refresh: true,
        });
      }
    }
    expect(keys).toHaveLength(300);
    expect(new Set(keys).size).toBe(300);
  });
});

describe('An unusable cursor is 400 with the next step', () => {
  const query = 'type=people&limit=100';

  test('unused for longer than it is kept: cursor_expired', async () => {
    const first = await stage.find(query);
    const second = await stage.find(`${query}&cursor=${first.nextCursor}`);
    const body = JSON.stringify(stage.api.asked.at(-1)?.body);
    expect(body).toContain('"keep_alive":"300000ms"');
    // The cluster does this by itself when the time is over.
    await stage.indices.client.closePointInTime({ id: /"pit":\{"id":"([^"]+)"/.exec(body)?.[1] ?? '' });
    expect(await problem(`${query}&cursor=${second.nextCursor}`)).toMatchObject({
      status: 400,
      code: 'cursor_expired',
    });
  });

  test('reused after its last page, with its point in time closed: cursor_expired', async () => {
    const { pages } = await allPages(query);
    const [, second] = pages;
    expect(await problem(`${query}&cursor=${second?.nextCursor}`)).toMatchObject({ code: 'cursor_expired' });
  });

  test('from a retired generation: cursor_expired, on first and later use', async () => {
    const { nextCursor } = await stage.find(query);
    const under = await stage.find(`${query}&cursor=${nextCursor}`);
    const [before] = (await stage.indices.list()).filter((name) => name.includes('people'));
    await stage.reindex('people');
    // Kept for a rollback, it can still be paged through; retired, it can't.
    if (before !== undefined && (await stage.indices.list()).includes(before)) {
      expect((await stage.find(`${query}&cursor=${nextCursor}`)).page).toBe(2);
      await stage.indices.client.indices.delete({ index: before });
    }
    for (const cursor of [nextCursor, under.nextCursor]) {
      expect(await problem(`${query}&cursor=${cursor}`)).toMatchObject({ status: 400, code: 'cursor_expired' });
    }
    expect((await allPages(query)).keys).toHaveLength(300);
  });
});

testOnRealData('paging through real data')(
  'paging through real data returns every entity of every kind once',
  async () => {
    await using whole = await setDataStage();
    const kinds = ['companies', 'people', 'investors', 'events'] as const;
    const expected = (await Promise.all(kinds.map((kind) => whole.records(kind)))).flat().map(keyOf);
    for (const query of ['type=all&limit=100&fields=name', 'type=all&query=singapore&limit=100&fields=name']) {
      const keys: string[] = [];
      let total = -1;
      for await (const { results, totalResults } of whole.paginate(query)) {
        keys.push(...results.map(keyOf));
        total = totalResults;
      }
      expect(new Set(keys).size).toBe(keys.length);
      expect(keys).toHaveLength(total);
      if (!query.includes('query')) expect(keys.sort()).toEqual(expected.sort());
    }
  },
);
