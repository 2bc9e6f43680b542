import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
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

const schemaFolder = new URL('./migrations/', import.meta.url);
const migrationFile = /\d{3}-[a-z0-9-]+\.sql/;

/** The names of the migrations, in order, and their files' paths. */
export function listMigrations(): readonly { readonly name: string; readonly path: string }[] {
  // Of the literal above.
  // nosemgrep: no-expressions-from-values
  const wholeName = new RegExp(`^${migrationFile.source}$`);
  return readdirSync(schemaFolder)
    .filter((file) => wholeName.test(file))
    .sort()
    .map((file) => ({ name: file.replace(/\.sql$/, ''), path: fileURLToPath(new URL(file, schemaFolder)) }));
}

/**
 * Brings the database's tables to this version, in one transaction: all of the missing migrations or none. Writers
 * wait meanwhile; whoever reads entities does not.
 * Answers the names of those it applied. Two at once are fine: the second one waits and finds nothing to do.
 * Triggers that somebody has dropped or disabled are put back.
 * Afterwards the service's roles, where they exist, get the rights that `rights.ts` lists.
 *
 * Throws `ServerTooOldError`, `SchemaNewerError`, or what Postgres says.
 */
export async function migrate(databaseUrl: string, log: (line: string) => void): Promise<readonly string[]> {
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
    const missing = await listMissing(client);
    const due = missing.length > 0 || (await isShowingDue(client));
    const { applied, shown } = due ? await whileWritersPause(client, () => applyMissing(client, missing)) : nothing;
    for (const { name } of applied) log(`Applied ${name}.`);
    if (shown.length > 0) log(`Shown from the schema search_source: ${shown.join(', ')}.`);
    const restored = await restoreTriggers(client);
    if (restored.length > 0) {
      log(`The triggers of ${restored.join(', ')} were put back. What was written without them: entity-search repair.`);
    }
    const roles = await setRights(client);
    if (roles.length > 0) log(`Rights are set for ${roles.join(', ')}.`);
    return applied.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

interface Applied {
  readonly applied: readonly { readonly name: string }[];
  /** Tables that views of the team's own stand in for. */
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

/** All in the caller's transaction: nobody sees our own tables in place of those that are shown. */
async function applyMissing(client: pg.Client, missing: readonly string[]): Promise<Applied> {
  // The runner's own lock ends before this transaction does.
  await client.query(migrationLock);
  await hideShownTables(client);
  const applied = missing.length === 0 ? [] : await runMigrations(withoutTransactions(client));
  const shown = await showTables(client);
  await setRightsWithin(client);
  return { applied, shown };
}

/** The runner's own transaction would end the caller's. A failure is thrown, and the caller rolls back. */
function withoutTransactions(client: pg.Client): pg.Client {
  const query = (first: unknown, ...rest: readonly unknown[]): unknown => {
    const isEnd = typeof first === 'string' && /^\s*(begin|commit|rollback)\s*;?\s*$/i.test(first);
    return Reflect.apply(client.query, client, isEnd ? ['select', ...rest] : [first, ...rest]);
  };
  return new Proxy(client, { get: (target, name) => (name === 'query' ? query : Reflect.get(target, name, target)) });
}

function runMigrations(client: pg.Client): Promise<readonly { readonly name: string }[]> {
  return runner({
    dbClient: client,
    dir: fileURLToPath(schemaFolder),
    ignorePattern: `(?!${migrationFile.source}$).*`,
    direction: 'up',
    migrationsTable: 'schema_migrations',
    advisoryLockMode: 'wait',
    singleTransaction: true,
    // The runner's own account is for its authors; what was applied is told by the caller, and errors are thrown.
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
}

async function refuseOldServer(client: pg.Client): Promise<void> {
  const version = await readServerVersion(client);
  if (isTooOld(version)) throw new ServerTooOldError(version.name);
}

/** The migrations that the database does not have yet. Throws `SchemaNewerError` where it has others. */
async function listMissing(client: pg.Client): Promise<readonly string[]> {
  const known = listMigrations().map(({ name }) => name);
  const { rows: tables } = await client.query(`select to_regclass('public.schema_migrations') as name`);
  if (tables[0]?.name === null) return known;
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by id');
  const applied = rows.map(({ name }) => name);
  const unknown = applied.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new SchemaNewerError(unknown);
  return known.filter((name) => !applied.includes(name));
}
