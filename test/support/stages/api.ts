import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { indexRequest } from '../../../mappings/registry.ts';
import { apiKeyPrefix, generateApiKey, hashApiKey } from '../../../src/access/api-key.ts';
import { indexOptions } from '../../../src/config/indexer.ts';
import { aliasName, generationName } from '../../../src/kinds/index-names.ts';
import { kindNames } from '../../../src/kinds/kind.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import { selectBodies } from '../../../src/kinds/sql.ts';
import { createTestClient } from '../engines/indices.ts';
import { openWorld, type World } from '../engines/worlds.ts';

/** A few entities in a new database, and in indices that by default other files share. */
export interface Stage extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly elasticsearchUrl: string;
  readonly indexPrefix: string;
  readonly pool: pg.Pool;
  createKey(): Promise<string>;
  revokeKey(key: string): Promise<void>;
}

/** Entities of a stage. */
interface Contents {
  readonly name: string;
  readonly sql: string;
}

export const oneCompany: Contents = {
  name: 'company',
  sql: `insert into companies (id, name, slug, tags) values (1, 'Quartz Ledger', 'quartz-ledger', '{Ledgers}')`,
};

export const clientCompanies: Contents = {
  name: 'clients',
  sql: `${oneCompany.sql};
    insert into companies (id, name, slug, tags, country, website)
      select id, 'Plover Spire ' || id, 'plover-spire-' || id, '{exchange}', 'Australia', 'https://plover.example'
      from generate_series(11, 70) id;
    update companies set name = 'Plover Spire', slug = 'plover-spire' where id = 11`,
};

export function openContents({ name, sql }: Contents = oneCompany, open = openWorld): Promise<World> {
  return open(name, (built) => fill(built, sql));
}

export async function setStage(contents = oneCompany, open = openWorld): Promise<Stage> {
  await using resources = new AsyncDisposableStack();
  const { env } = resources.use(await openContents(contents, open));
  const pool = resources.adopt(new pg.Pool({ connectionString: env.DATABASE_URL, max: 2 }), (opened) => opened.end());
  const owned = resources.move();
  return {
    databaseUrl: env.DATABASE_URL,
    elasticsearchUrl: env.ELASTICSEARCH_URL,
    indexPrefix: env.INDEX_PREFIX,
    pool,
    async createKey() {
      const key = generateApiKey('test', randomBytes);
      await pool.query(
        `insert into api_keys (account_id, name, prefix, hash) select id, $1, $1, $2 from accounts where name = 'Tests'`,
        [apiKeyPrefix(key), hashApiKey(key)],
      );
      return key;
    },
    async revokeKey(key) {
      await pool.query('update api_keys set revoked_at = now() where hash = $1', [hashApiKey(key)]);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function fill({ DATABASE_URL, INDEX_PREFIX: prefix }: World['env'], sql: string): Promise<void> {
  const elasticsearch = createTestClient();
  await withClient(DATABASE_URL, async (postgres) => {
    await postgres.query(`${sql}; insert into accounts (name, plan) values ('Tests', 'scale')`);
    for (const kind of kindNames) {
      const index = generationName(prefix, kind, '0a', 1);
      const { settings, mappings } = indexRequest(kind, indexOptions({}));
      // Without replicas, which one node can't have, because the test of doctor needs a green cluster.
      const alone = { ...settings, number_of_replicas: 0 };
      const aliases = { [aliasName(prefix, kind)]: {} };
      await elasticsearch.indices.create({ index, settings: alone, mappings, aliases });
      const { rows } = await postgres.query<{ id: string; body: string }>(
        selectBodies(kinds[kind].sql, 'document', ''),
      );
      if (rows.length === 0) continue;
      const operations = rows.flatMap(({ id, body }) => [{ index: { _id: id } }, JSON.parse(body) as object]);
      const { errors } = await elasticsearch.bulk({ index, operations, refresh: true });
      if (errors) throw new Error(`The ${kind} of a stage could not be indexed.`);
    }
  });
  await elasticsearch.close();
}
