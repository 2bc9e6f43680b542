import type { Pool } from 'pg';
import type { DatabaseProbe } from '../ports.ts';

/**
 * Checks Postgres with the smallest query.
 * @param pool a separate pool, so that a busy API doesn't look like a dead database
 * @param timeoutMs after which a statement counts as failed; its connection is given up
 * @param onFailure called with the reason if Postgres did not answer
 */
export function createDatabaseProbe(pool: Pool, timeoutMs: number, onFailure: (cause: unknown) => void): DatabaseProbe {
  return {
    async answers() {
      try {
        await pool.query({ text: 'select 1', query_timeout: timeoutMs });
        return true;
      } catch (cause) {
        onFailure(cause);
        return false;
      }
    },
  };
}
