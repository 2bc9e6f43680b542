import { kindNames } from '../../../src/kinds/kind.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { forFile } from '../../support/for-file.ts';
import { type Found, type Item, keyOf, setSampleStage } from '../../support/stages/features.ts';

const stage = await forFile(setSampleStage());
const kinds = ['companies', 'people', 'investors', 'events'] as const;
const all = (await Promise.all(kinds.map((kind) => stage.records(kind)))).flat();

function place(item: Item, part: 'city' | 'country'): string | null {
  const { location_json: location } = item as {
    location_json?: { city: string | null; country: string | null } | null;
  };
  return location?.[part] ?? null;
}

function list(item: Item, field: string): readonly unknown[] {
  const value = item[field];
  return Array.isArray(value) ? value : [];
}

function number(item: Item, field: string): number {
  const value = item[field];
  return typeof value === 'number' ? value : Number.NaN;
}

async function everything(query: string): Promise<{ readonly items: Item[]; readonly total: number }> {
  const pages: Found[] = [];
  for await (const page of stage.paginate(`${query}&limit=100`)) pages.push(page);
  return { items: pages.flatMap(({ results }) => results), total: pages[0]?.totalResults ?? -1 };
}

const keysOf = async (query: string): Promise<string[]> => (await everything(`${query}&fields=name`)).items.map(keyOf);

/** A parameter, and which entities must be found by it. */
const rules: readonly (readonly [type: string, query: string, holds: (item: Item) => boolean])[] = [
  ['all', 'country=Portugal', (item) => place(item, 'country') === 'Portugal'],
  ['all', 'country=portugal,JAPAN', (item) => ['Portugal', 'Japan'].includes(place(item, 'country') ?? '')],
  ['all', 'country=Portugal&country=Japan', (item) => ['Portugal', 'Japan'].includes(place(item, 'country') ?? '')],
  ['people', 'city=lisbon', (item) => place(item, 'city') === 'Lisbon'],
  ['companies', 'tag=Payments', (item) => list(item, 'tags').includes('payments')],
  ['all', 'tag=payments', (item) => list(item, 'tags').includes('payments')],
  ['companies', 'company_stage=growth', (item) => item.company_stage === 'growth'],
  ['companies', 'funding_stage=seed,Series-A', (item) => ['seed', 'series-a'].includes(String(item.funding_stage))],
  ['companies', 'founded_from=2018', (item) => number(item, 'year_founded') >= 2018],
  ['companies', 'founded_to=2018', (item) => number(item, 'year_founded') <= 2018],
  [
    'all',
    'founded_from=2016&founded_to=2018',
    (item) => number(item, 'year_founded') >= 2016 && number(item, 'year_founded') <= 2018,
  ],
  ['companies', 'employees_min=100', (item) => number(item, 'total_employees') >= 100],
  ['companies', 'employees_max=10', (item) => number(item, 'total_employees') <= 10],
  ['events', 'starts_from=2024-06-01', (item) => String(item.start_date ?? '') >= '2024-06-01'],
  ['events', 'starts_to=2024-06-01', (item) => item.start_date !== null && String(item.start_date) <= '2024-06-01'],
  ['events', 'event_type=Conference', (item) => list(item, 'event_types').includes('conference')],
  ['events', 'online=true', (item) => item.is_online === true],
  ['all', 'online=false', (item) => item.is_online === false],
  ['all', '-country=portugal,JAPAN', (item) => !['Portugal', 'Japan'].includes(place(item, 'country') ?? '')],
  ['people', 'not_city=LISBON', (item) => place(item, 'city') !== 'Lisbon'],
  [
    'all',
    '-funding_stage=seed&not_funding_stage=series-a',
    (item) => !['seed', 'series-a'].includes(String(item.funding_stage)),
  ],
  ['events', '-event_type=conference', (item) => !list(item, 'event_types').includes('conference')],
  [
    'all',
    'country=Portugal,Japan&-country=Japan&not_tag=payments',
    (item) => place(item, 'country') === 'Portugal' && !list(item, 'tags').includes('payments'),
  ],
  [
    'companies',
    'country=Portugal&founded_from=2018',
    (item) => place(item, 'country') === 'Portugal' && number(item, 'year_founded') >= 2018,
  ],
];

describe('A filter finds the same rows as Postgres', () => {
  test.each(rules)('%s %s', async (type, query, holds) => {
    const expected = all.filter((item) => (type === 'all' || item.entity_type === type) && holds(item)).map(keyOf);
    const { items, total } = await everything(`type=${type}&${query}`);
    expect(items.map(keyOf).sort()).toEqual(expected.sort());
    expect(total).toBe(expected.length);
    expect(expected.length).toBeGreaterThan(0);
  });

  test.each(['focus', 'ecosystem'] as const)('%s, with a value that occurs', async (name) => {
    const field = name === 'focus' ? 'investment_focus' : 'ecosystems';
    const value = all.flatMap((item) => list(item, field))[0];
    const expected = all.filter((item) => list(item, field).includes(value)).map(keyOf);
    const keys = await keysOf(`type=all&${name}=${encodeURIComponent(String(value).toUpperCase())}`);
    expect(keys.sort()).toEqual(expected.sort());
    expect(expected.length).toBeGreaterThan(0);
  });

  test('company: people who work there and investors who hold it', async () => {
    const id = Number(
      await readValue<string>(
        stage.pool,
        `select company_id from roles where company_id in (select company_id from investor_portfolio) limit 1`,
      ),
    );
    const { rows: expected } = await stage.pool.query<{ key: string }>(
      `select 'people/' || person_id as key from roles where company_id = $1
       union select 'people/' || person_id from person_companies where company_id = $1
       union select 'investors/' || investor_id from investments where company_id = $1 and investor_id is not null`,
      [id],
    );
    const keys = await keysOf(`type=all&company=${id}`);
    expect(keys.sort()).toEqual(expected.map(({ key }) => key).sort());
    expect(keys.some((key) => key.startsWith('investors'))).toBe(true);
  });

  test('investor: companies that it holds according to either side', async () => {
    const { rows } = await stage.pool.query<{ investor_id: string; ids: string[] }>(
      `select investor_id, array_agg(distinct 'companies/' || company_id) as ids from investments
       where investor_id is not null and company_id is not null group by 1 order by count(*) desc limit 2`,
    );
    for (const { investor_id, ids } of rows) {
      expect((await keysOf(`type=companies&investor=${investor_id}`)).sort()).toEqual(ids.sort());
    }
    const ids = rows.map(({ investor_id }) => investor_id).join(',');
    const union = new Set(rows.flatMap((row) => row.ids));
    expect((await everything(`type=companies&investor=${ids}`)).total).toBe(union.size);
  });

  test('updated_since, for every kind and to the millisecond', async () => {
    const count = async (since: string): Promise<number> =>
      (await stage.find(`type=all&limit=1&updated_since=${encodeURIComponent(since)}`)).totalResults;
    const updatedMs = (item: Item): number => Date.parse(String(item.updated_at));
    const expected = (ms: number): number => all.filter((item) => updatedMs(item) >= ms).length;
    for (const kind of kinds) {
      const lastMs = Math.max(...all.filter((item) => item.entity_type === kind).map(updatedMs));
      expect(expected(lastMs + 1)).toBeLessThan(expected(lastMs));
      expect(await count(new Date(lastMs).toISOString())).toBe(expected(lastMs));
      expect(await count(new Date(lastMs + 1).toISOString())).toBe(expected(lastMs + 1));
      const twoHoursEast = new Date(lastMs + 2 * 3_600_000).toISOString().replace('Z', '+02:00');
      expect(await count(twoHoursEast)).toBe(expected(lastMs));
    }
    const dayMs = 86_400_000;
    expect(await count(new Date(Date.now() + dayMs).toISOString().slice(0, 10))).toBe(0);
    expect(await count(new Date(Math.min(...all.map(updatedMs))).toISOString().slice(0, 10))).toBe(all.length);
  });
});

const ligatures: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'ae', œ: 'oe', ı: 'i' };

/** As the index folds names. */
function folded(value: unknown): string {
  const letters = String(value).toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
  return letters.replace(/[łøđßæœı]/g, (letter) => ligatures[letter] ?? letter);
}

type Key = string | number | null;
const sorts: readonly (readonly [sort: string, kind: string, key: (item: Item) => Key, first: 1 | -1])[] = [
  ['name', 'people', (item) => folded(item.name), 1],
  ['newest', 'investors', (item) => String(item.updated_at), -1],
  ['founded', 'companies', (item) => item.year_founded as number | null, 1],
  ['funding', 'companies', (item) => (item.total_funding_usd === null ? null : Number(item.total_funding_usd)), 1],
  ['employees', 'companies', (item) => item.total_employees as number | null, 1],
  ['starts', 'events', (item) => item.start_date as string | null, 1],
];

/** Missing values last whatever the direction, then by id. */
function ordered(items: readonly Item[], key: (item: Item) => Key, direction: 1 | -1): string[] {
  const compare = (a: Item, b: Item): number => {
    const [left, right] = [key(a), key(b)];
    if (left === right) return a.id - b.id;
    if (left === null || right === null) return left === null ? 1 : -1;
    return (left < right ? -1 : 1) * direction;
  };
  return [...items].sort(compare).map(keyOf);
}

describe('A sort has the order of values in Postgres', () => {
  test.each(sorts)('%s of %s, and reversed', async (sort, kind, key, first) => {
    const records = await stage.records(kind as 'companies');
    const fields = 'fields=name,updated_at';
    expect(await keysOf(`type=${kind}&sort=${sort}&${fields}`)).toEqual(ordered(records, key, first));
    expect(await keysOf(`type=${kind}&sort=-${sort}`)).toEqual(ordered(records, key, first === 1 ? -1 : 1));
  });

  test('of all kinds puts entities without the value last, then sorts by kind and id', async () => {
    const { items } = await everything('type=all&sort=-starts&fields=start_date');
    const dated = items.findIndex((item) => item.start_date === undefined || item.start_date === null);
    const rest = items.slice(dated);
    expect(items.slice(0, dated).every((item) => item.entity_type === 'events')).toBe(true);
    expect(rest.some((item) => typeof item.start_date === 'string')).toBe(false);
    const byKind = [...rest].sort((a, b) =>
      a.entity_type < b.entity_type ? -1 : a.entity_type > b.entity_type ? 1 : a.id - b.id,
    );
    expect(rest.map(keyOf)).toEqual(byKind.map(keyOf));
    const counts = await Promise.all(kindNames.map(async (kind) => (await stage.records(kind)).length));
    expect(items).toHaveLength(counts.reduce((sum, count) => sum + count, 0));
  });

  test('relevance is the default, and reversed it lists the same hits in reverse', async () => {
    const query = 'type=all&query=wallet';
    const { items: plain } = await everything(query);
    expect(await keysOf(`${query}&sort=relevance`)).toEqual(plain.map(keyOf));
    const { items: reversed } = await everything(`${query}&sort=-relevance`);
    expect(new Set(reversed.map(keyOf))).toEqual(new Set(plain.map(keyOf)));
    expect(reversed.at(-1)?.id === plain[0]?.id || reversed.length > 1).toBe(true);
  });
});

describe('A sort other than relevance', () => {
  test('orders the strict hits with one query', async () => {
    const before = stage.api.asked.length;
    const found = await stage.find('type=companies&query=wallet&sort=name&limit=100');
    expect(found.matchedBy).toBe('strict');
    expect(stage.api.asked.length - before).toBe(1);
    const names = found.results.map((item) => folded(item.name));
    expect(names).toEqual([...names].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
  });

  test('orders the tolerant hits if there are no strict ones', async () => {
    const [company] = await stage.records('companies');
    const name = String(company?.name);
    const misspelt = `${name.slice(0, 2)}${name.slice(3)}`.replaceAll(' ', '');
    const found = await stage.find(`type=companies&query=${encodeURIComponent(misspelt)}&sort=name`);
    expect(found.matchedBy).toBe('tolerant');
    expect(found.results.map((item) => item.name)).toContain(name);
  });
});
