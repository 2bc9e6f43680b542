import { randomBytes } from 'node:crypto';
import type { Client } from '@elastic/elasticsearch';
import pg from 'pg';
import { indexDefinition } from '../../mappings/registry.ts';
import { apiKeyPrefix, generateApiKey, hashApiKey } from '../../src/access/api-key.ts';
import { createElasticsearchClient } from '../../src/clients/elasticsearch.ts';
import { aliasName, generationName } from '../../src/index-names.ts';
import { kindNames } from '../../src/kinds/kind.ts';
import { kinds } from '../../src/kinds/registry.ts';
import { selectBodies } from '../../src/kinds/sql.ts';
import { migrate } from '../../src/schema/migrate.ts';

/** A database and indices of its own, with one company in both. */
export interface Stage extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly indexPrefix: string;
  readonly pool: pg.Pool;
  /** A new living key of the one account. */
  createKey(): Promise<string>;
  revokeKey(key: string): Promise<void>;
}

export async function setStage(serverUrl: string, elasticsearchUrl: string): Promise<Stage> {
  const name = `api_${randomBytes(6).toString('hex')}`;
  await onServer(serverUrl, `create database ${name}`);
  const databaseUrl = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  await migrate(databaseUrl, () => undefined);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  await pool.query(
    `insert into companies (id, name, slug, tags) values (1, 'Quartz Ledger', 'quartz-ledger', '{Ledgers}')`,
  );
  await pool.query(`insert into accounts (name, plan) values ('Tests', 'starter')`);
  const indexPrefix = `${name.replace('_', '-')}-`;
  const client = createElasticsearchClient({
    url: elasticsearchUrl,
    apiKey: undefined,
    caFile: undefined,
    maxConnections: 2,
    maxResponseBytes: 1_048_576,
  });
  await fillIndices(client, pool, indexPrefix);
  return {
    databaseUrl,
    indexPrefix,
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
    [Symbol.asyncDispose]: async () => {
      await pool.end();
      await client.indices.delete({ index: kindNames.map((kind) => generationName(indexPrefix, kind, '0a', 1)) });
      await client.close();
      await onServer(serverUrl, `drop database ${name} with (force)`);
    },
  };
}

async function fillIndices(client: Client, pool: pg.Pool, prefix: string): Promise<void> {
  for (const kind of kindNames) {
    const index = generationName(prefix, kind, '0a', 1);
    const { settings, mappings } = indexDefinition(kind);
    await client.indices.create({ index, settings, mappings, aliases: { [aliasName(prefix, kind)]: {} } });
    const { rows } = await pool.query<{ id: string; body: string }>(selectBodies(kinds[kind].sql, 'document', ''));
    for (const { id, body } of rows) {
      await client.index({ index, id, document: JSON.parse(body) as object, refresh: true });
    }
  }
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement);
  await client.end();
}
