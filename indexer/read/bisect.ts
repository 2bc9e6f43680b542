import type pg from 'pg';
import { byIndex, byIndexSql, type Queryable } from '../../src/postgres/by-index.ts';
import { isRowError } from './row-errors.ts';

// If one row's data makes a statement fail, it fails for all its rows. A scan may even meet a bad row that the
// statement doesn't ask for, because a view's conditions are evaluated first. So a failed statement is repeated for
// halves of the items, with lookups by index only.

/** An item that fails by itself. */
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
  if (items.length === 0) return [];
  try {
    await read(database, items);
    return [];
  } catch (error) {
    if (!isRowError(error)) throw error;
  }
  return halve(items, (some) => byIndex(database, (client) => read(client, some)));
}

/** The same within the caller's transaction, which may also write. */
export async function bisectInTransaction<Item>(
  client: pg.ClientBase,
  items: readonly Item[],
  run: (items: readonly Item[]) => Promise<void>,
): Promise<readonly Failing<Item>[]> {
  const attempt = async (some: readonly Item[]): Promise<void> => {
    await client.query('savepoint bisecting');
    try {
      await run(some);
      await client.query('release savepoint bisecting');
    } catch (error) {
      if (isRowError(error)) await client.query('rollback to savepoint bisecting; release savepoint bisecting');
      throw error;
    }
  };
  if (items.length === 0) return [];
  try {
    await attempt(items);
    return [];
  } catch (error) {
    if (!isRowError(error)) throw error;
  }
  await client.query(byIndexSql);
  return halve(items, attempt);
}

async function halve<Item>(
  items: readonly Item[],
  attempt: (items: readonly Item[]) => Promise<void>,
): Promise<readonly Failing<Item>[]> {
  const [item] = items;
  if (item === undefined) return [];
  try {
    await attempt(items);
    return [];
  } catch (error) {
    if (!isRowError(error)) throw error;
    if (items.length === 1) return [{ item, error }];
  }
  const middle = Math.ceil(items.length / 2);
  return [...(await halve(items.slice(0, middle), attempt)), ...(await halve(items.slice(middle), attempt))];
}
