import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { schemaHash } from '../../../dev/engines/postgres/schema-hash.ts';
import { migrate } from '../../../src/schema/migrate.ts';
import { requiredEnv } from '../jest/required-env.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
}

/** A template database, which is built once and then copied. */
export interface Template {
  readonly name: string;
  /** The template to start from; null for an empty database. */
  readonly from: Template | null;
  build(url: string): Promise<unknown>;
}

/** The empty tables, once per state of the schema files. */
export const migrated: Template = {
  name: `template_${schemaHash().slice(0, 16)}`,
  from: null,
  build: (url) => migrate(url, () => undefined),
};

/** Creates a database on the server of TEST_DATABASE_URL by copying a template. `await using` drops it. */
export async function createTestDatabase(template = migrated): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await createDatabase(name, template);
  return { url: databaseUrl(name), [Symbol.asyncDispose]: () => dropDatabase(name) };
}

async function createDatabase(name: string, template: Template | null): Promise<void> {
  await withClient(requiredEnv('TEST_DATABASE_URL'), async (client) => {
    if (template !== null) await ensureTemplate(client, template);
    await client.query(`create database ${name} ${template === null ? '' : `template ${template.name}`}`);
  });
}

const leaveMs = 1_000;

/**
 * Drops a database on the server of TEST_DATABASE_URL. Waits for connections that just ended: if they were terminated,
 * they would report an error without a listener.
 */
export async function dropDatabase(name: string): Promise<void> {
  await withClient(requiredEnv('TEST_DATABASE_URL'), async (client) => {
    await disconnected(client, name);
    await client.query(`drop database ${name} with (force)`);
  });
}

/** Waits until ended connections are gone. */
async function disconnected(client: pg.Client, database: string): Promise<void> {
  const deadlineMs = performance.now() + leaveMs;
  const connected = async (): Promise<boolean> => {
    const { rows } = await client.query('select from pg_stat_activity where datname = $1 limit 1', [database]);
    return rows.length > 0;
  };
  while (performance.now() < deadlineMs && (await connected())) await delay(5);
}

async function ensureTemplate(client: pg.Client, { name, from, build }: Template): Promise<void> {
  // The lock is held until the caller's connection ends, so that it also covers the copying, which can't run twice at a
  // time.
  await client.query('select pg_advisory_lock(hashtext($1))', [name]);
  const { rows } = await client.query('select from pg_database where datname = $1', [name]);
  if (rows.length > 0) return;
  // The template is built under another name, so that one with its own name is complete.
  await client.query(`drop database if exists ${name}_new with (force)`);
  await createDatabase(`${name}_new`, from);
  await build(databaseUrl(`${name}_new`));
  await disconnected(client, `${name}_new`);
  await client.query(`alter database ${name}_new rename to ${name}`);
}

function databaseUrl(name: string): string {
  const url = new URL(requiredEnv('TEST_DATABASE_URL'));
  url.pathname = `/${name}`;
  return url.href;
}
