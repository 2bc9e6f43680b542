import type pg from 'pg';
import { isRowError } from './row-errors.ts';

/**
 * Runs statements for items together; if a row's data makes them fail, again with lookups by index only, because a scan
 * meets the row whatever the items are, and then for halves of them. Returns the items that fail alone.
 */
export async function bisectInTransaction<Item>(
  client: pg.ClientBase,
  items: readonly Item[],
  run: (items: readonly Item[]) => Promise<void>,
  isByIndex = false,
): Promise<readonly Item[]> {
  if (items.length === 0) return [];
  await client.query('savepoint bisecting');
  try {
    await run(items);
    await client.query('release savepoint bisecting');
    return [];
  } catch (error) {
    if (!isRowError(error)) throw error;
    await client.query('rollback to savepoint bisecting; release savepoint bisecting');
  }
  if (!isByIndex) {
    await client.query(
      'set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off',
    );
    return bisectInTransaction(client, items, run, true);
  }
  if (items.length === 1) return items;
  const middle = Math.ceil(items.length / 2);
  return [
    ...(await bisectInTransaction(client, items.slice(0, middle), run, true)),
    ...(await bisectInTransaction(client, items.slice(middle), run, true)),
  ];
}
