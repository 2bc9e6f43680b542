import type pg from 'pg';
import { type Moment, presentMoment } from '../../src/lib/moment.ts';

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
  const { rows } = await client.query<{ version: number }>(`select nextval('search_versions') as version`);
  const version = rows[0]?.version;
  if (version === undefined) throw new Error('Postgres answered no version.');
  return { version, drawnAt };
}

export async function lastVersion(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ version: number }>('select last_value as version from search_versions');
  return rows[0]?.version ?? 0;
}
