import { databaseConfig } from '../src/config/indexer.ts';
import type { Environment } from '../src/config/settings.ts';
import { clientConfig } from '../src/postgres/pool.ts';
import { poolsTransactions } from '../src/postgres/transaction-pooling.ts';
import { RefusedError } from './errors.ts';

/** The remedy for a pooler in transaction mode; one sentence. */
export const poolingRemedy =
  'Set DATABASE_URL to the address of Postgres itself, not of the pooler, for all commands of entity-search.';

/** The pooler would hand the connection, with its locks and temporary tables, to other clients. */
export class TransactionPoolingError extends RefusedError {
  constructor() {
    super(`A connection pooler in transaction mode answers at DATABASE_URL, where locks are lost. ${poolingRemedy}`);
  }
}

/**
 * Throws `TransactionPoolingError` if a pooler in transaction mode is in between. Called before any lock is taken, by
 * each command that keeps state in its session. Rejects with an error of Postgres.
 */
export async function refuseTransactionPooling(env: Environment): Promise<void> {
  const settings = { ...databaseConfig(env), applicationName: 'entity-search, looking for a pooler' };
  if (await poolsTransactions(clientConfig(settings))) throw new TransactionPoolingError();
}
