import type pg from 'pg';

/** The versions of Postgres on which the schema and all statements are tested, oldest first. */
export const testedServers = [15, 16, 17, 18] as const;

/** A server's version as Postgres reports it, and its major number. */
export interface ServerVersion {
  readonly name: string;
  readonly major: number;
}

export async function readServerVersion(database: pg.ClientBase | pg.Pool): Promise<ServerVersion> {
  const { rows } = await database.query<ServerVersion>(
    `select current_setting('server_version') as name, current_setting('server_version_num')::int / 10000 as major`,
  );
  const [version] = rows;
  if (version === undefined) throw new Error('Postgres answered no version.');
  return version;
}

/** Returns true if the server is too old for the tables: statements would fail for lack of later features. */
export function isTooOld({ major }: ServerVersion): boolean {
  return major < testedServers[0];
}

/** The supported versions in words, "15 to 18". */
export const supportedServers = `${testedServers[0]} to ${testedServers.at(-1)}`;
