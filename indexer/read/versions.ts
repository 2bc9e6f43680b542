import type pg from 'pg';

/**
 * Versions from here on are of somebody else, such as a time in nanoseconds; ours come here in the year 2106. Above them
 * nothing could be drawn for long: they stay below 2^53.
 */
export const firstForeignVersion = 2 ** 52;

/** The next external version. A statement of its own: the snapshot that it stands for is taken after it. */
export async function nextVersion(client: pg.Pool | pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ version: number }>(`select nextval('search_versions') as version`);
  const version = rows[0]?.version;
  if (version === undefined) throw new Error('Postgres answered no version.');
  return version;
}

/** The highest version that was drawn so far. */
export async function lastVersion(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ version: number }>('select last_value as version from search_versions');
  return rows[0]?.version ?? 0;
}
