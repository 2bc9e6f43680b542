import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { PostgresPair } from '../../../dev/engines/postgres/pair.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { withCommandLimits } from '../../../dev/lib/limits.ts';
import { runDoctor } from '../../support/doctor.ts';
import { createTestDatabase, type TestDatabase } from '../../support/engines/database.ts';
import { createTestIndices, type TestIndices } from '../../support/engines/indices.ts';
import { requiredEnv } from '../../support/jest/required-env.ts';
import { until } from '../../support/until.ts';

// Documents are read from a streaming standby (DATABASE_READ_URL), and never in a state that is older than the change
// log says.

const other = requiredEnv('TEST_DATABASE_URL');
const companies = 600;

let pair: PostgresPair;
let database: TestDatabase;
let indices: TestIndices;
let name: string;
let standbyUrl: string;

beforeAll(async () => {
  pair = await PostgresPair.start({ folder: mkdtempSync(join(tmpdir(), 'entity-search-standby-')) });
  process.env.TEST_DATABASE_URL = pair.url('postgres');
  database = await createTestDatabase();
  name = new URL(database.url).pathname.slice(1);
  indices = createTestIndices();
  await onPrimary(
    `insert into companies (id, name, slug) select n, 'Company ' || n, 'company-' || n from generate_series(1, ${companies}) n`,
  );
  await pair.addStandby();
  standbyUrl = pair.standbyUrl(name);
}, 60_000);

afterAll(async () => {
  await indices[Symbol.asyncDispose]();
  await pair[Symbol.asyncDispose]();
  process.env.TEST_DATABASE_URL = other;
});

const onPrimary = (sql: string) => withClient(database.url, (client) => client.query(sql));
const onStandby = (sql: string) => withClient(standbyUrl, (client) => client.query(sql));

async function run(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const env = { DATABASE_URL: database.url, ELASTICSEARCH_URL: indices.url, INDEX_PREFIX: indices.prefix };
  const limits = withCommandLimits({ ...env, DATABASE_READ_URL: standbyUrl, ...more }, { verify: { waitMs: 500 } });
  return entitySearch(args, limits);
}

/** It has to succeed; answers what it said for people. */
async function runWell(...args: readonly string[]): Promise<string> {
  const { code, err } = await run(args);
  expect({ args, code, err: code === 0 ? '' : err }).toEqual({ args, code: 0, err: '' });
  return err;
}

/** Compared with the primary itself. */
async function expectEqual(): Promise<void> {
  const { code, err } = await run(['verify', 'companies', '--deep'], { DATABASE_READ_URL: '' });
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
}

/** What doctor says of the standby. */
async function diagnosed(url: string): Promise<readonly [string | undefined, string | undefined]> {
  const { of } = await runDoctor({
    DATABASE_URL: database.url,
    DATABASE_READ_URL: url,
    ELASTICSEARCH_URL: indices.url,
  });
  const [finding] = of('postgres standby');
  return [finding?.level, finding?.found];
}

/** Rows that the standby has read so far. */
async function rowsRead(): Promise<number> {
  const { rows } = await onStandby(
    `select tup_returned::int as rows from pg_stat_database where datname = current_database()`,
  );
  return rows[0].rows;
}

const toldOfPrimary = 'Documents are read from the primary';

test('a load, sync and a comparison read rows from the standby', async () => {
  for (const args of [
    ['reindex', 'companies'],
    ['sync', '--once'],
    ['verify', 'companies', '--deep'],
  ]) {
    const before = await rowsRead();
    await onPrimary(`update companies set name = name || ' Ltd'`);
    if (args[0] === 'verify') await runWell('sync', '--once');
    expect(await runWell(...args)).not.toContain(toldOfPrimary);
    await until(async () => (await rowsRead()) >= before + companies, `reading there: ${args[0]}`);
  }
  await expectEqual();
  expect(await diagnosed(standbyUrl)).toEqual(['ok', 'It has replayed all that was committed.']);
}, 60_000);

test('a standby that lags is not read from, and said to', async () => {
  await onStandby('select pg_wal_replay_pause()');
  await onPrimary(`update companies set name = 'New ' || id`);
  expect(await runWell('sync', '--once')).toContain(
    `${toldOfPrimary}, not from the standby of DATABASE_READ_URL: it has not`,
  );
  await expectEqual();
  await onPrimary(`update companies set name = 'Newer ' || id`);
  expect(await runWell('reindex', 'companies')).toContain(toldOfPrimary);
  await expectEqual();
  // The index is older than the tables, and so is the standby: that must not count as equal.
  await onPrimary(`update companies set name = 'Newest' where id = 7`);
  const { code, err } = await run(['verify', 'companies']);
  expect([code, err]).toEqual([4, expect.stringContaining(toldOfPrimary)]);
  expect(await diagnosed(standbyUrl)).toEqual(['warn', expect.stringContaining('it has not replayed')]);
  await onStandby('select pg_wal_replay_resume()');
  expect(await runWell('sync', '--once')).not.toContain(toldOfPrimary);
  await expectEqual();
}, 60_000);

test('while replay stops and goes on under load, no old state arrives as the newest', async () => {
  const stop = new AbortController();
  const sync = entitySearch(
    ['sync'],
    {
      DATABASE_URL: database.url,
      ELASTICSEARCH_URL: indices.url,
      INDEX_PREFIX: indices.prefix,
      DATABASE_READ_URL: standbyUrl,
      SYNC_POLL: '10',
    },
    stop.signal,
  );
  await withClient(database.url, async (client) => {
    for (let round = 1; round <= 60; round += 1) {
      if (round % 6 === 1) await onStandby('select pg_wal_replay_pause()');
      if (round % 6 === 4) await onStandby('select pg_wal_replay_resume()');
      // The last word about each row is spoken in another round.
      await client.query('update companies set name = $1 where id % 60 = $2', [`Round ${round}`, round % 60]);
      await client.query('delete from companies where id = $1', [round]);
    }
  });
  await onStandby('select pg_wal_replay_resume()');
  const lag = async () => (await onPrimary('select sum(pending)::int as pending from search_lag')).rows[0].pending;
  await until(async () => (await lag()) === 0, 'arriving');
  stop.abort();
  await sync;
  await expectEqual();
}, 60_000);

test('another server is refused, and nothing is written from it', async () => {
  await onPrimary(`update companies set name = 'Mine' where id = 100`);
  const { code, err } = await run(['sync', '--once'], { DATABASE_READ_URL: other });
  expect([code, err]).toEqual([3, expect.stringContaining('leads to no standby of the database at DATABASE_URL')]);
  expect(err).toMatch(/system identifier is \d+, not \d+/);
  expect(await diagnosed(other)).toEqual(['fail', expect.stringContaining('leads to no standby')]);
  await runWell('sync', '--once');
  await expectEqual();
});

test('the primary itself, a promoted standby and none at all are not read from, and the work is done', async () => {
  const change = () => onPrimary(`update companies set name = name || '!'`);
  await change();
  const itself = await run(['sync', '--once'], { DATABASE_READ_URL: database.url });
  expect([itself.code, itself.err]).toEqual([0, expect.stringContaining('it is no standby, or was promoted')]);
  await onStandby('select pg_promote()');
  await change();
  expect(await runWell('sync', '--once')).toContain('it is no standby, or was promoted');
  await pair.crashStandby();
  await change();
  expect(await runWell('sync', '--once')).toContain('ECONNREFUSED');
  await expectEqual();
}, 60_000);
