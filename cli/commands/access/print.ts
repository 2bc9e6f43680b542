import type pg from 'pg';
import { withDatabase } from '../../connections.ts';
import type { CommandContext } from '../../context.ts';
import { CommandError } from '../../errors.ts';

/** Prints the row that a query answers; throws `CommandError` with `otherwise` where it answers none. */
export async function printRow<Row extends object>(
  context: CommandContext,
  query: (pool: pg.Pool) => Promise<Row | null>,
  otherwise: string,
): Promise<void> {
  const row = await withDatabase(context, query);
  if (row === null) throw new CommandError(otherwise);
  context.terminal.printResult(row);
}

/** Prints the rows that a query answers, or `empty` where there are none. */
export async function printList(
  context: CommandContext,
  query: (pool: pg.Pool) => Promise<readonly object[]>,
  empty: string,
): Promise<void> {
  context.terminal.printRows(await withDatabase(context, query), empty);
}
