import type pg from 'pg';
import { type Moment, presentMoment } from '../../src/lib/moment.ts';
import { readValue } from '../../src/postgres/statements.ts';

/**
 * Versions from here on belong to another writer, such as a time in nanoseconds; ours reach this in the year 2106. The
 * supply above them would soon end: versions stay below 2^53.
 */
export const firstForeignVersion = 2 ** 52;

export interface DrawnVersion {
  readonly version: number;
  /** A moment before it was drawn. */
  readonly drawnAt: Moment;
}

/** Draws the next external version. A separate statement: the snapshot of its documents is taken after it. */
export async function nextVersion(client: pg.Pool | pg.PoolClient): Promise<DrawnVersion> {
  const drawnAt = presentMoment();
  return { version: await readValue(client, `select nextval('search_versions')`), drawnAt };
}

export function lastVersion(pool: pg.Pool): Promise<number> {
  return readValue(pool, 'select last_value from search_versions');
}
