import { withClient } from '../../../dev/engines/postgres/client.ts';
import { requiredEnv } from '../jest/required-env.ts';
import { createTestDatabase, dropDatabase, migrated, type TestDatabase } from './database.ts';
import { createTestClient, createTestIndices } from './indices.ts';

/** Entities that several test files read. */
export interface World extends TestDatabase {
  /** The environment of programs, with all addresses. */
  readonly env: Readonly<Record<'DATABASE_URL' | 'ELASTICSEARCH_URL' | 'INDEX_PREFIX', string>>;
}

/**
 * Opens a separate database, which may be written, and indices that other files share: Elasticsearch refuses writes and
 * changes of aliases. The first file of a run that opens the world builds it.
 */
export async function openWorld(name: string, build: (env: World['env']) => Promise<unknown>): Promise<World> {
  const run = requiredEnv('TEST_RUN');
  // Tests of several versions of Postgres share one Elasticsearch.
  const { port } = new URL(requiredEnv('TEST_DATABASE_URL'));
  const envOf = (url: string): World['env'] => ({
    DATABASE_URL: url,
    ELASTICSEARCH_URL: requiredEnv('TEST_ELASTICSEARCH_URL'),
    INDEX_PREFIX: `${indexPrefix(run)}${port}-${name}-`,
  });
  const database = await openFilledDatabase(name, async (url) => {
    const env = envOf(url);
    await build(env);
    await setReadOnly(env.INDEX_PREFIX, true);
  });
  return { ...database, env: envOf(database.url) };
}

/** Opens a world with its own database and indices, which the test file may change. */
export async function openOwnWorld(_name: string, build: (env: World['env']) => Promise<unknown>): Promise<World> {
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await createTestDatabase());
  const { prefix } = resources.use(createTestIndices());
  const env = { DATABASE_URL: url, ELASTICSEARCH_URL: requiredEnv('TEST_ELASTICSEARCH_URL'), INDEX_PREFIX: prefix };
  await build(env);
  const owned = resources.move();
  return { url, env, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Opens a separate database with rows from the first file of a run. */
export function openFilledDatabase(name: string, fill: (url: string) => Promise<unknown>): Promise<TestDatabase> {
  return createTestDatabase({ name: `${databasePrefix(requiredEnv('TEST_RUN'))}${name}`, from: migrated, build: fill });
}

export async function dropWorlds(run: string): Promise<void> {
  await withClient(requiredEnv('TEST_DATABASE_URL'), async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [databasePrefix(run)],
    );
    for (const { datname } of rows) await dropDatabase(datname);
  });
  await setReadOnly(indexPrefix(run), false);
  await createTestIndices(indexPrefix(run))[Symbol.asyncDispose]();
}

async function setReadOnly(prefix: string, readOnly: boolean): Promise<void> {
  const client = createTestClient();
  await client.indices.putSettings({
    index: `${prefix}*`,
    expand_wildcards: 'all',
    allow_no_indices: true,
    settings: { 'index.blocks.read_only': readOnly ? true : null },
  });
  await client.close();
}

const databasePrefix = (run: string): string => `world_${run}_`;
const indexPrefix = (run: string): string => `w${run}-`;
