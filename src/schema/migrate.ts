import { readFileSync } from 'node:fs';
import pg from 'pg';
import { defaultLockWaits, type LockWaits, withLockRetries } from './lock-retries.ts';
import { compareMigrations, listMigrations, type Migration } from './migrations.ts';
import { listRelations, setRights } from './rights.ts';
import { isTooOld, readServerVersion, supportedServers } from './server-version.ts';
import { saveSources } from './sources/derive.ts';
import { hideShownTables, isShowingDue, listShownTables, showTables } from './sources/shown-tables.ts';
import { entityTables, hasTable, loggedTables, relationTables } from './tables.ts';
import { restoreTriggers } from './triggers.ts';

const connectTimeoutMs = 10_000;

class ServerTooOldError extends Error {
  constructor(version: string) {
    super(`The server runs Postgres ${version}; this version needs Postgres ${supportedServers}.`);
    this.name = 'ServerTooOldError';
  }
}

/** The database was migrated by a newer version of this program. */
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

/** Settings for tests: a later version's migrations, shorter waits. */
export interface MigrateOptions {
  readonly known?: readonly Migration[];
  readonly waits?: LockWaits;
}

/**
 * Brings the database's tables to this version, in one transaction: all of the missing migrations or none. Writers wait
 * meanwhile; readers of entities do not. Returns the names of those it applied. Two concurrent calls are fine: the
 * second one waits and finds nothing to do. Triggers that were dropped or disabled are restored, and the service's
 * roles, where they exist, get the rights that `rights.ts` lists.
 *
 * Throws `ServerTooOldError`, `SchemaNewerError`, `SchemaOlderError`, `TablesLockedError`, or the error of Postgres.
 */
export async function migrate(
  databaseUrl: string,
  log: (line: string) => void,
  { known = listMigrations(), waits = defaultLockWaits }: MigrateOptions = {},
): Promise<readonly string[]> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'entity-search migrate',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  });
  // A broken connection also fails the running query, which reports it.
  client.on('error', (error) => log(`The connection to Postgres broke: ${error.message}`));
  await client.connect();
  try {
    await refuseOldServer(client);
    // The role's search_path may begin with another schema.
    await client.query('set search_path = public');
    const { applied, shown, restored, roles } = await withLockRetries(client, waits, () => bringUp(client, known));
    for (const name of applied) log(`Applied ${name}.`);
    if (shown.length > 0) log(`Shown from the schema search_source: ${shown.join(', ')}.`);
    if (restored.length > 0) {
      log(
        `The triggers of ${restored.join(', ')} were restored. Index the rows written without them: entity-search repair.`,
      );
    }
    if (roles.length > 0) log(`Rights are set for ${roles.join(', ')}.`);
    return applied;
  } finally {
    await client.end();
  }
}

interface Changes {
  readonly applied: readonly string[];
  /** Tables that a team's views replace. */
  readonly shown: readonly string[];
  /** Tables whose triggers were restored. */
  readonly restored: readonly string[];
  readonly roles: readonly string[];
}

/** Everything is in the caller's transaction, so that no session sees our own tables in place of the team's views. */
async function bringUp(client: pg.Client, known: readonly Migration[]): Promise<Changes> {
  await client.query(`select pg_advisory_xact_lock(hashtext('entity-search migrate'))`);
  await refuseTakenNames(client);
  const missing = await listMissing(client, known);
  let shown: readonly string[] = [];
  if (missing.length > 0 || (await isShowingDue(client))) {
    await lockTables(client);
    await hideShownTables(client);
    for (const migration of missing) await apply(client, migration);
    shown = await showTables(client);
  }
  // Also applies to a change of a view that the team's views read.
  if ((await listShownTables(client)).length > 0) await saveSources(client);
  const restored = await restoreTriggers(client);
  const roles = await setRights(client);
  return { applied: missing.map(({ name }) => name), shown, restored, roles };
}

/** The indexer's tables, so that its processes wait too. */
const followed = ['search_changes', 'search_generations', 'search_resolver'] as const;

/**
 * Locks the tables that writers touch, in the order in which writers reach them, before anything is altered: a
 * migration alters several tables in its own order, which would sooner or later cause a deadlock with a writer.
 */
async function lockTables(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    // Views are left out, because locking a view also locks the team's tables behind it.
    `select name from unnest($1::text[]) with ordinality as t (name, at) join pg_class c on c.oid = to_regclass('public.' || name)
     where c.relkind in ('r', 'p') order by at`,
    [[...loggedTables, ...followed]],
  );
  const existing = new Set(rows.map(({ name }) => name));
  for (const [tables, mode] of [
    [loggedTables, 'share row exclusive'],
    [followed, 'access exclusive'],
  ] as const) {
    const names = tables.filter((name) => existing.has(name)).map((name) => `public.${name}`);
    if (names.length > 0) await client.query(`lock table ${names.join(', ')} in ${mode} mode`);
  }
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

/**
 * Returns the migrations that the database lacks. Throws `SchemaNewerError` or `SchemaOlderError` if it has others.
 */
async function listMissing(client: pg.Client, known: readonly Migration[]): Promise<readonly Migration[]> {
  if (!(await hasTable(client, 'schema_migrations'))) return known;
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by name');
  const { predatesBaseline, unknown, missing } = compareMigrations(
    rows.map(({ name }) => name),
    known,
  );
  if (predatesBaseline) throw new SchemaOlderError();
  if (unknown.length > 0) throw new SchemaNewerError(unknown);
  return missing;
}

/** The schema public has a foreign object under a name that we need. */
class NamesTakenError extends Error {
  constructor(names: readonly string[]) {
    const [first = ''] = names;
    super(
      `The schema public has ${names.join(', ')}, which entity-search did not make and whose names it needs. Nothing was changed. Move what is yours to a schema of its own (alter table public.${first} set schema crm), or use another database; views then show it: docs/existing-database.md.`,
    );
    this.name = 'NamesTakenError';
  }
}

/**
 * Checks for foreign tables and views under our names, before anything is changed. After the first migration, only
 * views that `migrate` did not create are foreign. Throws `NamesTakenError`.
 */
async function refuseTakenNames(client: pg.ClientBase): Promise<void> {
  const { rows: taken } = await client.query<{ name: string }>(
    `select name from unnest($1::text[]) with ordinality as n (name, at) join pg_class c on c.oid = to_regclass('public.' || name)
     where not exists (select from pg_attribute
                       where attrelid = to_regclass('public.schema_migrations') and attname = 'run_on')
       or (name = any($2::text[]) and c.relkind not in ('r', 'p')
           and coalesce(obj_description(c.oid, 'pg_class'), '') not like 'entity-search: %')
     order by at`,
    [listRelations(), [...entityTables, ...relationTables]],
  );
  if (taken.length > 0) throw new NamesTakenError(taken.map(({ name }) => name));
}
