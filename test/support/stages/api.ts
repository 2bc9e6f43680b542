import { randomBytes } from 'node:crypto';
import type { Client } from '@elastic/elasticsearch';
import pg from 'pg';
import { indexRequest } from '../../../mappings/registry.ts';
import { apiKeyPrefix, generateApiKey, hashApiKey } from '../../../src/access/api-key.ts';
import { indexOptions } from '../../../src/config/indexer.ts';
import { aliasName, generationName } from '../../../src/kinds/index-names.ts';
import { kindNames } from '../../../src/kinds/kind.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import { selectBodies } from '../../../src/kinds/sql.ts';
import { createTestDatabase } from '../engines/database.ts';
import { createTestIndices } from '../engines/indices.ts';

/** A database and indices of its own, with one company in both. */
export interface Stage extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly elasticsearchUrl: string;
  readonly indexPrefix: string;
  readonly pool: pg.Pool;
  /** A new living key of the one account. */
  createKey(): Promise<string>;
  revokeKey(key: string): Promise<void>;
}

export async function setStage(): Promise<Stage> {
  await using resources = new AsyncDisposableStack();
  const database = resources.use(await createTestDatabase());
  const indices = resources.use(createTestIndices());
  const pool = resources.adopt(new pg.Pool({ connectionString: database.url, max: 2 }), (opened) => opened.end());
  await pool.query(
    `insert into companies (id, name, slug, tags) values (1, 'Quartz Ledger', 'quartz-ledger', '{Ledgers}')`,
  );
  await pool.query(`insert into accounts (name, plan) values ('Tests', 'scale')`);
  await fillIndices(indices.client, pool, indices.prefix);
  const owned = resources.move();
  return {
    databaseUrl: database.url,
    elasticsearchUrl: indices.url,
    indexPrefix: indices.prefix,
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

async function fillIndices(client: Client, pool: pg.Pool, prefix: string): Promise<void> {
  for (const kind of kindNames) {
    const index = generationName(prefix, kind, '0a', 1);
    const { settings, mappings } = indexRequest(kind, indexOptions({}));
    // Without replicas, which one node cannot hold: the test of doctor needs a green cluster.
    const alone = { ...settings, number_of_replicas: 0 };
    await client.indices.create({ index, settings: alone, mappings, aliases: { [aliasName(prefix, kind)]: {} } });
    const { rows } = await pool.query<{ id: string; body: string }>(selectBodies(kinds[kind].sql, 'document', ''));
    for (const { id, body } of rows) {
      await client.index({ index, id, document: JSON.parse(body) as object, refresh: true });
    }
  }
}
