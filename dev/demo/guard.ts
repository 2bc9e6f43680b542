import { createElasticsearchClient } from '../../src/elasticsearch/client.ts';
import { aliasName, kindOfIndex } from '../../src/kinds/index-names.ts';
import { kindNames } from '../../src/kinds/kind.ts';
import { entityTables } from '../../src/schema/tables.ts';
import { withClient } from '../engines/postgres/client.ts';

// The demo imports fictional entities and builds indices. In a database and a cluster named by DATABASE_URL
// and ELASTICSEARCH_URL it does so only if they are empty, or if everything in them is its own.

/** The demo would write to an installation with other data. The message is one sentence for people. */
export class NotDemoOwnedError extends Error {
  override readonly name = 'NotDemoOwnedError';
}

const mark = 'made by npm run demo';
const consent = 'Name an empty one, or run npm run demo -- --into-existing to import the sample into it.';

/** Returns true if the database is empty or the demo's own, false if it has other data. */
async function isDemoOwned(databaseUrl: string): Promise<boolean> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ tables: number; mark: string | null; migrated: boolean }>(
      `select (select count(*)::int from pg_class c join pg_namespace n on n.oid = c.relnamespace
               where c.relkind in ('r', 'p') and n.nspname !~ '^(pg_|information_schema$)') as tables,
              to_regclass('public.schema_migrations') is not null as migrated,
              obj_description(to_regclass('public.schema_migrations'), 'pg_class') as mark`,
    );
    const [found] = rows;
    if (found === undefined || found.tables === 0 || found.mark === mark) return true;
    if (!found.migrated) return false;
    // The database is migrated and empty.
    const filled = entityTables.map((table) => `exists (select from ${table})`).join(' or ');
    const { rows: entities } = await client.query<{ any: boolean }>(`select ${filled} as any`);
    return entities[0]?.any === false;
  });
}

/** Indices with the demo's names that this database does not know. */
async function foreignIndices(
  databaseUrl: string,
  elasticsearchUrl: string,
  prefix: string,
): Promise<readonly string[]> {
  const client = createElasticsearchClient({
    url: elasticsearchUrl,
    apiKey: process.env.ELASTICSEARCH_API_KEY,
    caFile: process.env.ELASTICSEARCH_CA_FILE,
    maxConnections: 2,
    maxResponseBytes: 16 * 1_048_576,
  });
  try {
    const index = kindNames.flatMap((kind) => [aliasName(prefix, kind), `${aliasName(prefix, kind)}-*`]);
    const options = { index, ignore_unavailable: true, expand_wildcards: ['open' as const, 'closed' as const] };
    const there = Object.keys(await client.indices.getSettings(options));
    const ours = await withClient(databaseUrl, async (database) => {
      const { rows: tables } = await database.query(`select to_regclass('public.search_generations') as name`);
      if (tables[0]?.name === null) return new Set<string>();
      const { rows } = await database.query<{ name: string }>('select index_name as name from search_generations');
      return new Set(rows.map(({ name }) => name));
    });
    const isName = (name: string): boolean => kindOfIndex(name) !== null || index.includes(name);
    return there.filter((name) => isName(name) && !ours.has(name)).sort();
  } finally {
    await client.close();
  }
}

export interface GuardedEngines {
  readonly databaseUrl: string;
  readonly elasticsearchUrl: string;
  readonly indexPrefix: string;
  /** True for addresses from the environment. Others belong to the demo's own state folder. */
  readonly given: { readonly database: boolean; readonly elasticsearch: boolean };
}

export async function refuseForeignData({
  databaseUrl,
  elasticsearchUrl,
  indexPrefix,
  given,
}: GuardedEngines): Promise<void> {
  if (given.database && !(await isDemoOwned(databaseUrl))) {
    throw new NotDemoOwnedError(`The database in DATABASE_URL is not empty, and the demo did not make it. ${consent}`);
  }
  if (!given.elasticsearch) return;
  const [first, ...others] = await foreignIndices(databaseUrl, elasticsearchUrl, indexPrefix);
  if (first === undefined) return;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  throw new NotDemoOwnedError(
    `The cluster in ELASTICSEARCH_URL has ${first}${more}, which the demo did not create. Set INDEX_PREFIX, or run npm run demo -- --into-existing to let the demo's indices take over.`,
  );
}

/** Marks a migrated database as the demo's own, so that the next start reuses it. */
export async function markDemoOwned(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, (client) => client.query(`comment on table schema_migrations is '${mark}'`));
}
