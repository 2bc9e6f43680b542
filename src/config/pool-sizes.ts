import type { Config } from './api.ts';

/** How many connections to Postgres each pool of an API process has at most. No process opens another pool. */
export function poolSizes({ postgres, paid }: Pick<Config, 'postgres' | 'paid'>) {
  return {
    entities: postgres.maxConnections,
    access: postgres.maxConnections,
    payments: paid === null ? 0 : postgres.maxConnections,
    // Whether Postgres answers, and how far the indices are behind: each asked one time after the other.
    health: 1,
    lag: 1,
  } as const;
}
