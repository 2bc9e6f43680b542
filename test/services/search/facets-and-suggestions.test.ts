import { forFile } from '../../support/for-file.ts';
import { type Item, setFeaturesStage, setSampleStage } from '../../support/stages/features.ts';

const stage = await forFile(setSampleStage());

function valuesOf(item: Item, facet: string): readonly (string | boolean)[] {
  const location = item.location_json as { readonly city: string | null; readonly country: string | null } | null;
  const values: Readonly<Record<string, unknown>> = {
    country: location?.country,
    city: location?.city,
    tag: item.tags,
    ecosystem: item.ecosystems,
    company_stage: item.company_stage,
    funding_stage: item.funding_stage,
    focus: item.investment_focus,
    event_type: item.event_types,
    online: item.is_online,
    entity_type: item.entity_type,
  };
  const found = [values[facet] ?? []].flat();
  return [...new Set(found.filter((value) => typeof value === 'string' || typeof value === 'boolean'))];
}

const fold = (value: string | boolean): string => String(value).toLowerCase();

/** The 20 most frequent values, ties by value as the index folds it. */
function counted(items: readonly Item[], facet: string) {
  const counts = new Map<string | boolean, number>();
  for (const value of items.flatMap((item) => valuesOf(item, facet))) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (fold(a.value) < fold(b.value) ? -1 : 1))
    .slice(0, 20);
}

const facets: readonly (readonly [kind: 'companies' | 'people' | 'investors' | 'events', names: readonly string[]])[] =
  [
    ['companies', ['country', 'city', 'tag', 'ecosystem', 'company_stage', 'funding_stage']],
    ['people', ['country', 'city', 'tag']],
    ['investors', ['country', 'city', 'focus']],
    ['events', ['country', 'city', 'tag', 'ecosystem', 'event_type', 'online']],
  ];

describe('Facets count the values in Postgres, with their spelling', () => {
  test.each(facets)('of %s: %j', async (kind, names) => {
    const records = await stage.records(kind);
    const found = await stage.find(`type=${kind}&facets=${names.join(',')}&limit=1`);
    for (const name of names) expect([name, found.facets?.[name]]).toEqual([name, counted(records, name)]);
    expect(Object.keys(found.facets ?? {})).toEqual(names);
  });

  test('of all kinds together, in one request', async () => {
    const kinds = ['companies', 'people', 'investors', 'events'] as const;
    const records = (await Promise.all(kinds.map((kind) => stage.records(kind)))).flat();
    const before = stage.api.asked.length;
    const found = await stage.find('type=all&facets=country&facets=tag,focus,online,entity_type');
    expect(stage.api.asked.length - before).toBe(1);
    for (const name of ['country', 'tag', 'focus', 'online', 'entity_type']) {
      expect([name, found.facets?.[name]]).toEqual([name, counted(records, name)]);
    }
  });

  test('each value, sent back as a filter, finds the counted number', async () => {
    const found = await stage.find('type=all&query=network&facets=country,tag');
    for (const name of ['country', 'tag']) {
      for (const { value, count } of found.facets?.[name]?.slice(0, 5) ?? []) {
        const filtered = await stage.find(`type=all&query=network&${name}=${encodeURIComponent(value)}`);
        if (filtered.matchedBy === found.matchedBy) expect([value, filtered.totalResults]).toEqual([value, count]);
      }
    }
  });

  test('are absent unless requested, and empty without values', async () => {
    expect(await stage.find('type=all')).not.toHaveProperty('facets');
    expect((await stage.find('type=people&country=Nowhere&facets=tag')).facets).toEqual({ tag: [] });
  });

  test('stay the same on every page of a cursor', async () => {
    const seen: unknown[] = [];
    for await (const { facets: counts } of stage.paginate('type=events&facets=country&limit=100')) seen.push(counts);
    expect(seen.length).toBeGreaterThan(2);
    for (const counts of seen) expect(counts).toEqual(seen[0]);
  });
});

test('spellings of one value are counted together under the most frequent one', async () => {
  await using few = await setFeaturesStage({
    sql: `insert into companies (id, name, slug, tags, country)
          select n, 'C ' || n, 'c-' || n,
                 array[case when n <= 3 then 'DeFi' else 'defi' end, 'Straße', 'Ærø & co, ltd'],
                 case when n % 2 = 0 then 'Côte d''Ivoire' else 'cote d''ivoire' end
          from generate_series(1, 5) as n`,
  });
  const { facets: counts } = await few.find('type=companies&facets=tag,country');
  expect(counts?.tag).toEqual([
    { value: 'Ærø & co, ltd', count: 5 },
    { value: 'DeFi', count: 5 },
    { value: 'Straße', count: 5 },
  ]);
  expect(counts?.country).toEqual([{ value: "cote d'ivoire", count: 5 }]);
  // A comma that belongs to a value is sent with a backslash.
  const escaped = encodeURIComponent('ærø & co\\, ltd');
  expect((await few.find(`type=companies&tag=${escaped}`)).totalResults).toBe(5);
});

async function suggested(query: string): Promise<readonly Item[]> {
  const response = await stage.api.keyed(`/api/v1/suggest?${query}`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { readonly data: { readonly suggestions: readonly Item[] } }).data.suggestions;
}

describe('Suggestions on the sample', () => {
  test('begin with the typed text, whatever its case and accents', async () => {
    for (const typed of ['ti', 'TID', 'tíd']) {
      const names = (await suggested(`q=${encodeURIComponent(typed)}`)).map(({ name }) => String(name).toLowerCase());
      expect(names.length).toBeGreaterThan(0);
      expect(names[0]).toContain(typed.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase());
    }
  });

  test('mix the kinds, or are limited to one', async () => {
    const kinds = new Set((await suggested('q=a&limit=20')).map(({ entity_type }) => entity_type));
    expect(kinds.size).toBeGreaterThan(1);
    const people = await suggested('q=a&limit=20&type=people');
    expect(new Set(people.map(({ entity_type }) => entity_type))).toEqual(new Set(['people']));
  });

  test('find a company with one letter missing, wrong, doubled or swapped', async () => {
    const found = await stage.find('type=companies&limit=40');
    const names = found.results.map(({ name }) => String(name)).filter((name) => /^[a-z ]{8,}$/i.test(name));
    expect(names.length).toBeGreaterThan(2);
    for (const name of names.slice(0, 3)) {
      const letters = name.replaceAll(' ', '').slice(0, 8);
      const typos = [
        letters.slice(0, 3) + letters.slice(4),
        `${letters.slice(0, 3)}q${letters.slice(4)}`,
        letters.slice(0, 4) + letters.slice(3),
        letters.slice(0, 3) + letters.charAt(4) + letters.charAt(3) + letters.slice(5),
      ];
      for (const typo of typos) {
        const suggestions = await suggested(`q=${encodeURIComponent(typo)}&limit=20`);
        expect([typo, suggestions.length > 0]).toEqual([typo, true]);
      }
    }
  });

  test('are returned for the first letters of any name', async () => {
    for (const { name } of (await stage.find('type=all&limit=30')).results) {
      const typed = String(name).slice(0, 4);
      expect([typed, (await suggested(`q=${encodeURIComponent(typed)}`)).length]).not.toEqual([typed, 0]);
    }
  });
});
