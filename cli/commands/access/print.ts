import type pg from 'pg';
import { withDatabase } from '../../connections.ts';
import type { CommandContext } from '../../context.ts';
import { CommandError } from '../../errors.ts';

/** Prints the row that a query returns; throws `CommandError` with `otherwise` if it returns none. */
export async function printRow<Row extends object>(
  context: CommandContext,
  query: (pool: pg.Pool) => Promise<Row | null>,
  otherwise: string,
): Promise<void> {
  const row = await withDatabase(context, query);
  if (row === null) throw new CommandError(otherwise);
  context.terminal.printResult(row);
}

export async function printList(
  context: CommandContext,
  query: (pool: pg.Pool) => Promise<readonly object[]>,
  empty: string,
): Promise<void> {
  context.terminal.printRows(await withDatabase(context, query), empty);
}
