import { recordFields } from '../../../src/kinds/fields.ts';
import type { KindName } from '../../../src/kinds/kind.ts';
import { forFile } from '../../support/for-file.ts';
import { type Item, setFeaturesStage } from '../../support/stages/features.ts';

// The ways to keep a copy that docs/api.md describes.

const stage = await forFile(
  setFeaturesStage({
    sql: `
    insert into investors (id, name, slug, updated_at)
      select id, 'Fund ' || id, 'fund-' || id, '2026-01-01' from generate_series(1, 20) as id;
    insert into companies (id, name, slug, updated_at)
      select id, 'Company ' || id, 'company-' || id, '2026-01-01' from generate_series(1, 230) as id;
    insert into company_investors (company_id, position, investor_name, investor_id)
      select id, 0, 'Fund ' || 1 + id % 20, 1 + id % 20 from generate_series(1, 230) as id`,
  }),
);

const hourMs = 3_600_000;
type Copy = Map<number, Item>;

async function list(kind: KindName, more = ''): Promise<readonly Item[]> {
  const items: Item[] = [];
  const query = `type=${kind}&limit=100&fields=${recordFields([kind]).join()}${more}`;
  for await (const { results } of stage.paginate(query)) items.push(...results);
  return items;
}

/** Changed entities replace those of the copy. Returns their ids. */
async function update(kind: KindName, copy: Copy, notedMs: number): Promise<readonly number[]> {
  const changed = await list(kind, `&updated_since=${new Date(notedMs - hourMs).toISOString()}`);
  for (const item of changed) copy.set(item.id, item);
  return changed.map(({ id }) => id).toSorted((one, other) => one - other);
}

/** Returns the ids of those that were removed. */
async function replace(kind: KindName, copy: Copy): Promise<readonly number[]> {
  const items = await list(kind);
  const there = new Set(items.map(({ id }) => id));
  const removed = [...copy.keys()].filter((id) => !there.has(id));
  copy.clear();
  for (const item of items) copy.set(item.id, item);
  return removed.toSorted((one, other) => one - other);
}

interface Backed {
  readonly investor_references: readonly { readonly id: number | null; readonly name: string }[];
}

const inOrder = (items: Iterable<Item>) => [...items].toSorted((one, other) => one.id - other.id);

test("a copy learns of new, changed and removed entities, and finds a company's investor", async () => {
  const notedMs = Date.now();
  const copies = { companies: new Map<number, Item>(), investors: new Map<number, Item>() };
  for (const kind of ['companies', 'investors'] as const) {
    expect(await replace(kind, copies[kind])).toEqual([]);
    expect(inOrder(copies[kind].values())).toEqual(inOrder(await stage.records(kind)));
  }
  await stage.pool.query(`
    delete from companies where id % 50 = 0;
    delete from investors where id = 3;
    update companies set overview = 'Another' where id in (7, 110);
    update investors set name = 'Other Fund', slug = 'other-fund' where id = 8;
    insert into companies (id, name, slug) values (50, 'Come Back', 'come-back'), (900, 'Newcomer', 'newcomer')`);
  await stage.reindex('companies', 'investors');

  expect(await update('companies', copies.companies, notedMs)).toEqual([7, 50, 110, 900]);
  expect(await update('investors', copies.investors, notedMs)).toEqual([8]);
  // Company 27 was not touched, but its investor was renamed: the reference leads to the new name.
  const { investor_references: backers } = copies.companies.get(27) as Item & Backed;
  expect(backers).toEqual([{ id: 8, name: 'Fund 8', slug: 'fund-8' }]);
  expect(copies.investors.get(backers[0]?.id ?? 0)).toMatchObject({ name: 'Other Fund', slug: 'other-fund' });

  expect(await replace('companies', copies.companies)).toEqual([100, 150, 200]);
  expect(await replace('investors', copies.investors)).toEqual([3]);
  for (const kind of ['companies', 'investors'] as const) {
    expect(inOrder(copies[kind].values())).toEqual(inOrder(await stage.records(kind)));
  }
});
