import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { schemaHash } from '../../../dev/engines/postgres/schema-hash.ts';
import { migrate } from '../../../src/schema/migrate.ts';
import { requiredEnv } from '../jest/required-env.ts';

/** A migrated, empty database of one test file. */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
}

/**
 * A fresh database on the server named by TEST_DATABASE_URL, copied from a template that is migrated once per state
 * of the schema files; `await using` drops it.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = requiredEnv('TEST_DATABASE_URL');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await withClient(server, async (client) => {
    const template = await ensureTemplate(server, client);
    await client.query(`create database ${name} template ${template}`);
  });
  return {
    url: withDatabase(server, name),
    [Symbol.asyncDispose]: () => dropDatabase(name),
  };
}

const leaveMs = 1_000;

/**
 * Drops a database of the server named by TEST_DATABASE_URL. Connections that were ended a moment ago may leave first:
 * thrown out, they would report an error without a listener.
 */
export async function dropDatabase(name: string): Promise<void> {
  await withClient(requiredEnv('TEST_DATABASE_URL'), async (client) => {
    const deadlineMs = performance.now() + leaveMs;
    const connected = async (): Promise<boolean> => {
      const { rows } = await client.query('select from pg_stat_activity where datname = $1 limit 1', [name]);
      return rows.length > 0;
    };
    while (performance.now() < deadlineMs && (await connected())) await delay(5);
    await client.query(`drop database ${name} with (force)`);
  });
}

async function ensureTemplate(server: string, client: pg.Client): Promise<string> {
  const name = `template_${schemaHash().slice(0, 16)}`;
  // Held until the caller's connection ends, so copying is under it too: two at once would disturb each other.
  await client.query(`select pg_advisory_lock(hashtext('entity-search test template'))`);
  const { rows } = await client.query('select from pg_database where datname = $1', [name]);
  if (rows.length > 0) return name;
  // Built under another name: a template that bears its own is whole.
  await client.query(`drop database if exists ${name}_new with (force)`);
  await client.query(`create database ${name}_new`);
  await migrate(withDatabase(server, `${name}_new`), () => undefined);
  await client.query(`alter database ${name}_new rename to ${name}`);
  return name;
}

function withDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}
