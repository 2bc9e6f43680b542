import type pg from 'pg';
import { byIndex, byIndexSql, type Queryable } from '../../src/postgres/by-index.ts';
import { isRowError } from './row-errors.ts';

// If one row's data makes a statement fail, it fails for all its rows. A scan may even meet a bad row that the
// statement doesn't ask for, because a view's conditions are evaluated first. So a failed statement is repeated for
// halves of the items, with lookups by index only.

export interface Failing<Item> {
  readonly item: Item;
  readonly error: unknown;
}

/** Reads items together, or in halves if a row makes that fail. Returns the items that fail by themselves. */
export async function bisect<Item>(
  database: Queryable,
  items: readonly Item[],
  read: (database: Queryable | pg.ClientBase, items: readonly Item[]) => Promise<void>,
): Promise<readonly Failing<Item>[]> {
  try {
    if (items.length > 0) await read(database, items);
    return [];
  } catch (error) {
    if (!isRowError(error)) throw error;
  }
  return byIndex(database, (client) => bisectInTransaction(client, items, (some) => read(client, some)));
}

/** The same within the caller's transaction, which may also write. */
export async function bisectInTransaction<Item>(
  client: pg.ClientBase,
  items: readonly Item[],
  run: (items: readonly Item[]) => Promise<void>,
): Promise<readonly Failing<Item>[]> {
  const [item] = items;
  if (item === undefined) return [];
  await client.query('savepoint bisecting');
  try {
    await run(items);
    await client.query('release savepoint bisecting');
    return [];
  } catch (error) {
    if (!isRowError(error)) throw error;
    await client.query(`rollback to savepoint bisecting; release savepoint bisecting; ${byIndexSql}`);
    if (items.length === 1) return [{ item, error }];
  }
  const middle = Math.ceil(items.length / 2);
  const first = await bisectInTransaction(client, items.slice(0, middle), run);
  return [...first, ...(await bisectInTransaction(client, items.slice(middle), run))];
}
