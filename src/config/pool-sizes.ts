import type { Config } from './api.ts';

/** Returns the maximum number of connections of each Postgres pool of an API process. There are no other pools. */
export function poolSizes({ postgres, paid }: Pick<Config, 'postgres' | 'paid'>) {
  return {
    entities: postgres.maxConnections,
    access: postgres.maxConnections,
    payments: paid === null ? 0 : postgres.maxConnections,
    // The pools for health and index lag send one query at a time.
    health: 1,
    lag: 1,
  } as const;
}
