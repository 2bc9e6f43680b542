import { kindNames } from '../../../src/kinds/kind.ts';
import { forFile } from '../../support/for-file.ts';
import { type Found, type Item, keyOf, setSampleStage } from '../../support/stages/features.ts';

const stage = await forFile(setSampleStage());

async function everything(query: string): Promise<Item[]> {
  const pages: Found[] = [];
  for await (const page of stage.paginate(`${query}&limit=100`)) pages.push(page);
  return pages.flatMap(({ results }) => results);
}

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

describe('A sort is the order of Postgres’ values', () => {
  test.each(sorts)('%s of %s, and reversed', async (sort, kind, key, first) => {
    const records = await stage.records(kind as 'companies');
    const fields = 'fields=name,updated_at';
    expect((await everything(`type=${kind}&sort=${sort}&${fields}`)).map(keyOf)).toEqual(ordered(records, key, first));
    const reversed = await everything(`type=${kind}&sort=-${sort}`);
    expect(reversed.map(keyOf)).toEqual(ordered(records, key, first === 1 ? -1 : 1));
  });

  test('of all kinds puts those without the value behind those with it, then by kind and id', async () => {
    const items = await everything('type=all&sort=-starts&fields=start_date');
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

  test('relevance is what is meant without one, and reversed it is the same list from its end', async () => {
    const query = 'type=all&query=wallet';
    const plain = await everything(query);
    expect((await everything(`${query}&sort=relevance`)).map(keyOf)).toEqual(plain.map(keyOf));
    const reversed = await everything(`${query}&sort=-relevance`);
    expect(new Set(reversed.map(keyOf))).toEqual(new Set(plain.map(keyOf)));
    expect(reversed.at(-1)?.id === plain[0]?.id || reversed.length > 1).toBe(true);
  });
});

describe('A sort other than relevance', () => {
  test('orders the strict hits, and asks once', async () => {
    const before = stage.api.asked.length;
    const found = await stage.find('type=companies&query=wallet&sort=name&limit=100');
    expect(found.matchedBy).toBe('strict');
    expect(stage.api.asked.length - before).toBe(1);
    const names = found.results.map((item) => folded(item.name));
    expect(names).toEqual([...names].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
  });

  test('orders the tolerant ones where there are no strict ones', async () => {
    const [company] = await stage.records('companies');
    const name = String(company?.name);
    const misspelt = `${name.slice(0, 2)}${name.slice(3)}`.replaceAll(' ', '');
    const found = await stage.find(`type=companies&query=${encodeURIComponent(misspelt)}&sort=name`);
    expect(found.matchedBy).toBe('tolerant');
    expect(found.results.map((item) => item.name)).toContain(name);
  });
});
