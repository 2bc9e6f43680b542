import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withClient } from '../../dev/engines/postgres/client.ts';
import { prepareCluster } from '../../dev/engines/postgres/cluster.ts';
import { type PostgresServer, startServer } from '../../dev/engines/postgres/server.ts';
import { findPostgres, type PostgresVersion } from '../../dev/engines/postgres/versions.ts';
import { rotated } from '../../dev/explore/mutants/rotation.ts';
import { entitySearch } from '../../dev/lib/command-line.ts';
import { FetchError } from '../../dev/lib/fetch-once.ts';
import { openState } from '../../dev/lib/state.ts';
import { writeSample } from '../../dev/sample/generate.ts';
import { flushWal } from '../../indexer/read/flush-wal.ts';
import { createPool } from '../../src/postgres/pool.ts';
import { testedServers } from '../../src/schema/server-version.ts';
import { expectedTriggers, readTriggers } from '../../src/schema/triggers.ts';
import { createTestIndices, type TestIndices } from '../support/engines/indices.ts';
import { addRoles, asRole, createRolesDatabase, type RolesDatabase } from '../support/engines/service-roles.ts';
import { expectWholeSale } from '../support/payments/whole-sale.ts';
import { type ChainStage, setChainStage } from '../support/stages/chain.ts';
import { buildIndices, envOf, runAs, serveAccounts } from '../support/stages/installation.ts';
import { setPaidStage } from '../support/stages/paid.ts';
import { patienceMs } from '../support/until.ts';

// The main paths on the oldest supported version of Postgres and, in turns, on one between it and the version of all
// other tests. All tests of services on one version:
// `POSTGRES_VERSION=15 TEST_STATE=.local/test-15 npm run jest -- --selectProjects engines`.

const folder = mkdtempSync(join(tmpdir(), 'entity-search-versions-'));
const neverAborted = new AbortController().signal;
const counts = { companies: 60, people: 40, investors: 20, events: 20 };
const printLine = (line: string): void => void process.stderr.write(`${line}\n`);

const [oldest, ...newer] = testedServers;
const between = rotated('versions of Postgres between the oldest and the newest', newer.slice(0, -1), 2).tried;

const programs = new Map<PostgresVersion, string>();
for (const version of [oldest, ...between]) {
  try {
    programs.set(version, await findPostgres(version, { env: process.env, printLine }));
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    printLine(`SKIPPED: Postgres ${version}. ${error.message}`);
    // So that it shows among the skipped tests.
    test.skip(`Postgres ${version}`, () => undefined);
  }
}

type Counted = 'inserted' | 'updated' | 'unchanged' | 'pruned' | 'bad';

function sumOf(kinds: readonly Readonly<Record<Counted, number>>[]): Readonly<Record<Counted, number>> {
  const sum = (of: Counted): number => kinds.reduce((total, one) => total + one[of], 0);
  return {
    inserted: sum('inserted'),
    updated: sum('updated'),
    unchanged: sum('unchanged'),
    pruned: sum('pruned'),
    bad: sum('bad'),
  };
}

let chain: ChainStage;

beforeAll(async () => {
  await writeSample(folder, { seed: 4, counts }, neverAborted);
  chain = await setChainStage();
});

afterAll(async () => {
  await chain[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

for (const [version, binaries] of programs)
  describe(`On Postgres ${version}`, () => {
    const usual = process.env.TEST_DATABASE_URL;
    let server: PostgresServer;
    let restart: () => Promise<PostgresServer>;
    let release: () => void;
    let database: RolesDatabase;
    let indices: TestIndices;

    beforeAll(async () => {
      const state = openState(join(folder, String(version)));
      release = state.release;
      const cluster = await prepareCluster(state, {
        sync: false,
        programs: { version, folder: binaries },
      });
      restart = () => startServer(cluster, cluster.dataDir);
      server = await restart();
      process.env.TEST_DATABASE_URL = server.url('postgres');
      database = await createRolesDatabase();
      indices = createTestIndices();
    });

    afterAll(async () => {
      await indices[Symbol.asyncDispose]();
      await server.stop();
      release();
      process.env.TEST_DATABASE_URL = usual;
    });

    test('migrations create the same triggers as on the newest version', async () => {
      const found = await withClient(database.ownerUrl, async (client) => ({
        triggers: await readTriggers(client),
        ...(await client.query(`select current_setting('server_version_num')::int / 10000 as major`)),
      }));
      expect(found.rows).toEqual([{ major: version }]);
      expect(found.triggers).toEqual(expectedTriggers());
    });

    test('an import adds, changes and removes rows, and triggers log it', async () => {
      const run = (...args: readonly string[]) => runAs({ ...database, indices }, 'writer', 'import', folder, ...args);
      expect(sumOf(await run())).toEqual({ inserted: 140, updated: 0, unchanged: 0, pruned: 0, bad: 0 });
      const change = `update companies set name = name || ' Ltd' where id in (select id from companies order by id limit 3);
                    delete from events where id in (select id from events order by id limit 2);
                    insert into people (id, name, slug) values (999999999, 'Extra', 'extra')`;
      await withClient(database.ownerUrl, (client) => client.query(change));
      const entries = () => withClient(database.ownerUrl, (client) => client.query('select from search_changes'));
      const { rowCount } = await entries();
      expect(sumOf(await run('--strict', '--prune'))).toEqual({
        inserted: 2,
        updated: 3,
        unchanged: 135,
        pruned: 1,
        bad: 0,
      });
      expect((await entries()).rowCount).toBeGreaterThan((rowCount ?? 0) + 5);
    });

    // The versions between the oldest and the newest accept every statement that these two accept.
    if (version === oldest) {
      test('indices are built, follow changes, and are equal to the tables', async () => {
        await buildIndices({ ...database, indices });
        const change = `update companies set name = 'Renamed' where id = (select min(id) from companies)`;
        await withClient(database.ownerUrl, (client) => client.query(change));
        await runAs({ ...database, indices }, 'indexer', 'sync', '--once');
        await runAs({ ...database, indices }, 'indexer', 'verify', '--deep');
        const rows = (await runAs({ ...database, indices }, 'indexer', 'status')).map(
          (one: { rows: number }) => one.rows,
        );
        expect(rows).toEqual(Object.values(counts));
      });

      test('accounts and keys are created, and the API serves', async () => {
        await serveAccounts({ ...database, indices });
      });

      test('a search is sold, replayed, observed and audited', async () => {
        await using stage = await setPaidStage(chain);
        await addRoles(stage.stage.databaseUrl);
        await using api = await stage.startApi({ DATABASE_URL: asRole(stage.stage.databaseUrl, 'api') });
        await expectWholeSale(stage, api);
      });
    }

    test('doctor finds no problem with Postgres', async () => {
      const { out } = await entitySearch(['doctor', '--json'], envOf({ ...database, indices }, 'indexer'));
      const findings: { readonly check: string; readonly level: string; readonly found: string }[] = JSON.parse(out);
      const ofPostgres = findings.filter(({ check }) => check.startsWith('postgres '));
      expect(ofPostgres.find(({ check }) => check === 'postgres version')?.found).toMatch(`Postgres ${version}.`);
      expect(ofPostgres.filter(({ level }) => level !== 'ok')).toEqual([]);
    });

    test('flushed changes survive a crash, even if they were committed asynchronously', async () => {
      const times = { connectTimeoutMs: patienceMs, statementTimeoutMs: patienceMs, idleTimeoutMs: patienceMs };
      const url = (): string => Object.assign(new URL(database.ownerUrl), { port: server.port }).href;
      const rename = async (name: string, flush: boolean): Promise<unknown> => {
        const pool = createPool({ url: url(), applicationName: 'test', maxConnections: 3, ...times }, () => undefined);
        const client = await pool.connect();
        client.on('error', () => undefined);
        await client.query('set synchronous_commit = off');
        await client.query('update companies set name = $1', [name]);
        await client.query('begin isolation level repeatable read, read only');
        if (flush) await flushWal(pool);
        await server.crash();
        client.release(true);
        await pool.end();
        server = await restart();
        const { rows } = await withClient(url(), (after) =>
          after.query('select distinct name from companies order by 1 limit 2'),
        );
        return rows;
      };
      expect(await rename('Flushed', true)).toEqual([{ name: 'Flushed' }]);
      // Without a flush it is lost, so the crash does lose what is not on disk.
      expect(await rename('Lost', false)).toEqual([{ name: 'Flushed' }]);
    });
  });
