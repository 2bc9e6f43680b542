import type pg from 'pg';
import { codeOf } from '../../../indexer/errors.ts';
import { CommandError } from '../../errors.ts';
import { exitCodes } from '../../exit-codes.ts';

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
