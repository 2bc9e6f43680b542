import type pg from 'pg';
import { poolingRemedy } from '../../../indexer/transaction-pooling.ts';
import { poolsTransactions } from '../../../src/postgres/transaction-pooling.ts';
import { type Check, fail, ok } from '../finding.ts';

/** Does a pooler stand at the address that would lose locks? */
export function poolerCheck(config: pg.ClientConfig): Check {
  const name = 'postgres pooler';
  return {
    name,
    async look() {
      if (!(await poolsTransactions(config))) return [ok(name, 'Connections keep what they are told.')];
      const found = 'A connection pooler in transaction mode answers at DATABASE_URL: sync and reindex refuse it.';
      return [fail(name, found, poolingRemedy)];
    },
  };
}
