import { databaseConfig } from '../src/config/indexer.ts';
import type { Environment } from '../src/config/settings.ts';
import { clientConfig } from '../src/postgres/pool.ts';
import { poolsTransactions } from '../src/postgres/transaction-pooling.ts';
import { RefusedError } from './errors.ts';

/** What to do where a pooler that lends connections by the transaction stands in between; one sentence. */
export const poolingRemedy =
  'Set DATABASE_URL to the address of Postgres itself, not of the pooler, for all commands of entity-search.';

/** Locks and temporary tables would be held on a connection that others are given next. */
export class TransactionPoolingError extends RefusedError {
  constructor() {
    super(`A connection pooler in transaction mode answers at DATABASE_URL, where locks are lost. ${poolingRemedy}`);
  }
}

/**
 * Refuses to work through a pooler that lends a connection for a transaction, before any lock is taken. For each
 * command that keeps something in its session. Throws `TransactionPoolingError`, or what Postgres says.
 */
export async function refuseTransactionPooling(env: Environment): Promise<void> {
  const settings = { ...databaseConfig(env), applicationName: 'entity-search, looking for a pooler' };
  if (await poolsTransactions(clientConfig(settings))) throw new TransactionPoolingError();
}
