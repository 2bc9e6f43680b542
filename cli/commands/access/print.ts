import type pg from 'pg';
import { withDatabase } from '../../connections.ts';
import type { CommandContext } from '../../context.ts';
import { CommandError } from '../../errors.ts';

interface JsonFlag {
  readonly json?: boolean | undefined;
}

/** Prints the row that a query answers; throws `CommandError` with `otherwise` where it answers none. */
export async function printRow<Row extends object>(
  context: CommandContext,
  flags: JsonFlag,
  query: (pool: pg.Pool) => Promise<Row | null>,
  otherwise: string,
): Promise<void> {
  const row = await withDatabase(context, query);
  if (row === null) throw new CommandError(otherwise);
  context.terminal.printResult(row, flags);
}

/** Prints the rows that a query answers, or `empty` where there are none. */
export async function printList(
  context: CommandContext,
  flags: JsonFlag,
  query: (pool: pg.Pool) => Promise<readonly object[]>,
  empty: string,
): Promise<void> {
  context.terminal.printRows(await withDatabase(context, query), flags, empty);
}
