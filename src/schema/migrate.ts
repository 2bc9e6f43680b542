import { readFileSync } from 'node:fs';
import pg from 'pg';
import { compareMigrations, listMigrations, type Migration } from './migrations.ts';
import { setRights, setRightsWithin } from './rights.ts';
import { isTooOld, readServerVersion, supportedServers } from './server-version.ts';
import { restoreTriggers } from './shape.ts';
import { hideShownTables, isShowingDue, showTables } from './sources/shown-tables.ts';
import { refuseTakenNames } from './sources/taken-names.ts';
import { whileWritersPause } from './writers-pause.ts';

const connectTimeoutMs = 10_000;

/** The server is too old for the schema. */
class ServerTooOldError extends Error {
  constructor(version: string) {
    super(`The server runs Postgres ${version}; this version needs Postgres ${supportedServers}.`);
    this.name = 'ServerTooOldError';
  }
}

/** The database was migrated by a newer version of this program, which this one would not understand. */
export class SchemaNewerError extends Error {
  constructor(unknown: readonly string[]) {
    super(
      `The database has migrations that this version does not know (${unknown.join(', ')}). Use the version that made them, or a later one.`,
    );
    this.name = 'SchemaNewerError';
  }
}

/** The database was created by a version before 1.0.0, which can't be upgraded. */
export class SchemaOlderError extends Error {
  constructor() {
    super(
      "The database's tables are from before version 1.0.0 and can't be upgraded. Create an empty database, set DATABASE_URL to it, run entity-search migrate, and import the entities again.",
    );
    this.name = 'SchemaOlderError';
  }
}

/**
 * Brings the database's tables to this version, in one transaction: all of the missing migrations or none. Writers
 * wait meanwhile; readers of entities do not.
 * Returns the names of those it applied. Two at once are fine: the second one waits and finds nothing to do.
 * Triggers that were dropped or disabled are restored.
 * Afterwards the service's roles, where they exist, get the rights that `rights.ts` lists.
 *
 * Throws `ServerTooOldError`, `SchemaNewerError`, `SchemaOlderError`, or the error of Postgres.
 */
export async function migrate(
  databaseUrl: string,
  log: (line: string) => void,
  known = listMigrations(),
): Promise<readonly string[]> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'entity-search migrate',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  });
  // A broken connection also fails the query that is under way, and that is what reports it.
  client.on('error', (error) => log(`The connection to Postgres broke: ${error.message}`));
  await client.connect();
  try {
    await refuseOldServer(client);
    // A role that is at home in an existing database may have a schema of its own before it.
    await client.query('set search_path = public');
    await whileNobodyMigrates(client, () => refuseTakenNames(client));
    const due = (await listMissing(client, known)).length > 0 || (await isShowingDue(client));
    const { applied, shown } = due ? await whileWritersPause(client, () => applyMissing(client, known)) : nothing;
    for (const name of applied) log(`Applied ${name}.`);
    if (shown.length > 0) log(`Shown from the schema search_source: ${shown.join(', ')}.`);
    const restored = await restoreTriggers(client);
    if (restored.length > 0) {
      log(`The triggers of ${restored.join(', ')} were put back. What was written without them: entity-search repair.`);
    }
    const roles = await setRights(client);
    if (roles.length > 0) log(`Rights are set for ${roles.join(', ')}.`);
    return applied;
  } finally {
    await client.end();
  }
}

interface Applied {
  readonly applied: readonly string[];
  /** Tables that views of the team's own replace. */
  readonly shown: readonly string[];
}

const nothing: Applied = { applied: [], shown: [] };

const migrationLock = `select pg_advisory_xact_lock(hashtext('entity-search migrate'))`;

/** What another one makes meanwhile is not taken for somebody else's. */
async function whileNobodyMigrates(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migrationLock);
    await work();
  } finally {
    await client.query('rollback');
  }
}

/** All in the caller's transaction, so that no session sees our own tables in place of those that are shown. */
async function applyMissing(client: pg.Client, known: readonly Migration[]): Promise<Applied> {
  await client.query(migrationLock);
  const missing = await listMissing(client, known);
  await hideShownTables(client);
  for (const migration of missing) await apply(client, migration);
  const shown = await showTables(client);
  await setRightsWithin(client);
  return { applied: missing.map(({ name }) => name), shown };
}

async function apply(client: pg.Client, { name, files }: Migration): Promise<void> {
  for (const file of files) await client.query(readFileSync(file, 'utf8'));
  await client.query(
    `create table if not exists schema_migrations (name text primary key, run_on timestamptz not null default now())`,
  );
  await client.query('insert into schema_migrations (name) values ($1)', [name]);
}

async function refuseOldServer(client: pg.Client): Promise<void> {
  const version = await readServerVersion(client);
  if (isTooOld(version)) throw new ServerTooOldError(version.name);
}

/** The migrations that the database lacks. Throws `SchemaNewerError` or `SchemaOlderError` where it has others. */
async function listMissing(client: pg.Client, known: readonly Migration[]): Promise<readonly Migration[]> {
  const { rows: tables } = await client.query(`select to_regclass('public.schema_migrations') as name`);
  if (tables[0]?.name === null) return known;
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by name');
  const { predatesBaseline, unknown, missing } = compareMigrations(
    rows.map(({ name }) => name),
    known,
  );
  if (predatesBaseline) throw new SchemaOlderError();
  if (unknown.length > 0) throw new SchemaNewerError(unknown);
  return missing;
}
