import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeSample } from '../../dev/sample/generate.ts';
import { serviceRoles } from '../../src/schema/rights.ts';
import { startConnectedApi } from '../support/api/connected.ts';
import { createTestIndices, type TestIndices } from '../support/engines/indices.ts';
import { findPgBouncer, type PgBouncer, startPgBouncer } from '../support/engines/pgbouncer.ts';
import { addRoles, asRole, createRolesDatabase, type RolesDatabase } from '../support/engines/service-roles.ts';
import { expectWholeSale } from '../support/payments/whole-sale.ts';
import { buildIndices, envOf, runAs, serveAccounts } from '../support/stages/installation.ts';
import { setPaidStage } from '../support/stages/paid.ts';

// The real PgBouncer in transaction mode, with fewer connections to Postgres than clients: the API works through it.

const command = findPgBouncer();
if (command === undefined) {
  process.stderr.write(
    'SKIPPED: PgBouncer. It is not on this machine: install the package pgbouncer, or run .ci/pgbouncer on Debian.\n',
  );
}

/** With PgBouncer's own: what the documentation asks for. */
const advised = { default_pool_size: 2, max_client_conn: 200, ignore_startup_parameters: 'extra_float_digits' };
const ignoring = { ignore_startup_parameters: 'extra_float_digits,statement_timeout,options' };
const pooled = { POSTGRES_POOLER: 'transaction' };

(command === undefined ? describe.skip : describe)('Through PgBouncer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'entity-search-pgbouncer-'));
  let database: RolesDatabase;
  let indices: TestIndices;
  let bouncer: PgBouncer;

  beforeAll(async () => {
    database = await createRolesDatabase();
    indices = createTestIndices();
    const urls = [...serviceRoles.map((role) => database.urlOf(role)), database.ownerUrl];
    bouncer = await startPgBouncer(command ?? '', urls, advised);
    const counts = { companies: 60, people: 40, investors: 20, events: 20 };
    await writeSample(folder, { seed: 4, counts }, new AbortController().signal);
    await runAs({ ...database, indices }, 'writer', 'import', folder);
    await buildIndices({ ...database, indices });
  });

  afterAll(async () => {
    await bouncer[Symbol.asyncDispose]();
    await indices[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  test('the API serves: searches, records, keys, quotas and accounts', async () => {
    const through = { DATABASE_URL: bouncer.through(database.urlOf('api')), ...pooled };
    await serveAccounts({ ...database, indices }, through);
  });

  describe('under hundreds of calls that share two connections to Postgres', () => {
    let headers: Readonly<Record<string, string>>;
    beforeAll(async () => {
      const admin = (...args: readonly string[]) => runAs({ ...database, indices }, 'admin', ...args);
      await admin('accounts', 'create', 'Busy', '--plan', 'scale');
      const { key } = await admin('keys', 'create', '--account', 'Busy', '--name', 'busy');
      headers = { authorization: `Bearer ${key}` };
    });

    /** Starts two APIs and calls both. Returns the statuses, and logged warnings and errors. */
    async function callBoth(settings: Readonly<Record<string, string>>, through: PgBouncer) {
      const env = { ...envOf({ ...database, indices }, 'api'), ...settings };
      const engines = { ...env, DATABASE_URL: through.through(database.urlOf('api')) };
      await using one = await startConnectedApi(engines);
      await using other = await startConnectedApi(engines);
      const both = [one, other];
      const calls = both.flatMap(({ url }) => [`${url}/api/v1/usage`, `${url}/api/v1/search?type=people&query=a`]);
      const caller = async (): Promise<readonly number[]> => {
        const statuses: number[] = [];
        for (const call of Array.from({ length: 4 }, () => calls).flat()) {
          statuses.push((await fetch(call, { headers })).status);
        }
        return statuses;
      };
      const statuses = (await Promise.all(Array.from({ length: 16 }, caller))).flat();
      const complaints = both.flatMap(({ log }) => log.filter(({ level }) => level === 'warn' || level === 'error'));
      return { statuses: [...new Set(statuses)], complaints };
    }

    test('none fails', async () => {
      expect(await callBoth(pooled, bouncer)).toEqual({ statuses: [200], complaints: [] });
    });

    test('some fail without the pooler setting, because prepared statements are on another connection', async () => {
      await using other = await startPgBouncer(command ?? '', [database.urlOf('api')], { ...advised, ...ignoring });
      const { complaints } = await callBoth({}, other);
      expect(JSON.stringify(complaints)).toMatch(/prepared statement .{1,40} (does not exist|already exists)/);
    });
  });

  test('a search is sold, replayed, observed and audited', async () => {
    await using stage = await setPaidStage();
    await addRoles(stage.stage.databaseUrl);
    const url = asRole(stage.stage.databaseUrl, 'api');
    await using own = await startPgBouncer(command ?? '', [url], advised);
    await using api = await stage.startApi({ DATABASE_URL: own.through(url), ...pooled });
    await expectWholeSale(stage, api);
  });
});
