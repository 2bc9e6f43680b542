import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type pg from 'pg';
import { codeOf } from '../../../indexer/errors.ts';
import { label } from '../../arguments.ts';
import { withDatabase } from '../../connections.ts';
import type { CommandContext } from '../../context.ts';
import { CommandError } from '../../errors.ts';
import { exitCodes } from '../../exit-codes.ts';

/** The person or program that makes a change, as the audit log names it. */
export type Actor = () => string;

/** Adds `--actor` to a group of commands. Without it, the user of this process makes the changes. */
export function addActorOption(group: Command): Actor {
  group.option('--actor <NAME>', 'who makes changes, for the audit log; default: the user of this process', label);
  return () => group.opts<{ readonly actor?: string }>().actor ?? userInfo().username;
}

const foreignKeyViolation = '23503';

/** Runs the query; throws `CommandError` if there is no such plan. */
export function onPlan<Result>(
  plan: string | undefined,
  query: (pool: pg.Pool) => Promise<Result>,
): (pool: pg.Pool) => Promise<Result> {
  return async (pool) => {
    try {
      return await query(pool);
    } catch (cause) {
      if (codeOf(cause) !== foreignKeyViolation) throw cause;
      const message = `There is no plan ${plan}. See: entity-search plans list`;
      throw new CommandError(message, exitCodes.failed, { cause });
    }
  };
}

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
