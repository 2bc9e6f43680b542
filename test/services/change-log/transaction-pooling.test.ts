import pg from 'pg';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { clientConfig } from '../../../src/postgres/pool.ts';
import { poolsTransactions } from '../../../src/postgres/transaction-pooling.ts';
import { forFile } from '../../support/for-file.ts';
import { startPoolingProxy } from '../../support/proxies/pooling.ts';
import { setReindexStage } from '../../support/stages/reindex.ts';

// A pooler that lends a connection for a transaction: commands that need a session refuse before they take a lock.

const stage = await forFile(setReindexStage());
const pooler = await forFile(startPoolingProxy(stage.databaseUrl));

const limits = {
  applicationName: 'pooling test',
  maxConnections: 1,
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 5_000,
  idleTimeoutMs: 5_000,
};

test.each([1, 2, 10])('a pooler with %i server connections is distinguished from Postgres', async (most) => {
  await using narrow = await startPoolingProxy(stage.databaseUrl, most);
  expect(await poolsTransactions(clientConfig({ ...limits, url: narrow.url }))).toBe(true);
  expect(await poolsTransactions(clientConfig({ ...limits, url: stage.databaseUrl }))).toBe(false);
});

test('a busy pooler is recognised, too, whichever clients take its server connections meanwhile', async () => {
  await using busy = await startPoolingProxy(stage.databaseUrl);
  const config = clientConfig({ ...limits, url: busy.url });
  let stopped = false;
  const others = Array.from({ length: 6 }, async () => {
    const client = new pg.Client(config);
    await client.connect();
    while (!stopped) await client.query('select 1');
    await client.end();
  });
  const found = await Promise.all(Array.from({ length: 5 }, () => poolsTransactions(config)));
  stopped = true;
  await Promise.all(others);
  expect(found).toEqual([true, true, true, true, true]);
});

test.each([
  [['migrate']],
  [['import', 'test']],
  [['reindex', 'companies']],
  [['sync']],
  [['sync', '--once']],
  [['repair', 'companies']],
  [['rollback', 'companies']],
])('%j is refused in one sentence, and nothing was begun', async (args) => {
  const { code, err } = await entitySearch(args, { ...stage.env, DATABASE_URL: pooler.url });
  expect([code, err]).toEqual([3, expect.stringContaining('pooler in transaction mode answers at DATABASE_URL')]);
  expect(await stage.generations('companies')).toEqual([]);
  const { rows } = await stage.pool.query(
    `select from pg_locks where locktype = 'advisory'
       and database = (select oid from pg_database where datname = current_database())`,
  );
  expect(rows).toEqual([]);
});

test('commands that keep nothing in a session work through it', async () => {
  const { code, out } = await entitySearch(['status', '--json'], { ...stage.env, DATABASE_URL: pooler.url });
  expect([code, JSON.parse(out).length]).toEqual([0, 4]);
});
