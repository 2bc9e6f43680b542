import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { withApiLimits } from '../../../dev/lib/limits.ts';
import { apiKeyPrefix, generateApiKey, hashApiKey } from '../../../src/access/api-key.ts';
import { migrate } from '../../../src/schema/migrate.ts';
import { startConnectedApi } from '../../support/api/connected.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { laterVersion } from '../../support/engines/migrations.ts';
import { until } from '../../support/until.ts';

// From the baseline to a later version, with data in the tables, while programs continue to read and write.

const later = laterVersion(`
  alter table companies add column later_note text;
  alter table accounts add column later_note text;
  alter table search_generations add column later_note text;
  create index companies_later on companies (later_note);`);
const folder = mkdtempSync(join(tmpdir(), 'entity-search-upgrade-'));

beforeAll(() => {
  const line = (n: number): string => JSON.stringify({ id: n, name: `Imported ${n}`, slug: `imported-${n}` });
  writeFileSync(join(folder, 'companies.ndjson'), Array.from({ length: 200 }, (_, at) => line(1_001 + at)).join('\n'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  later[Symbol.dispose]();
});

const data = `
  insert into companies (id, name, slug, tags, total_funding_usd)
    select n, 'Company ' || n, 'company-' || n, '{Ledgers}', n * 10.5 from generate_series(1, 300) as n;
  insert into people (id, name, slug) select n, 'P ' || n, 'p-' || n from generate_series(1, 100) as n;
  insert into roles (person_id, position, title, organisation, company_id)
    select n, 0, 'Founder', 'Company ' || n, n from generate_series(1, 100) as n;
  insert into search_generations (kind, number, index_name, hash, definition, document_sql, state, position)
    values ('companies', 1, 'companies-0a-1', '0a', '{}', 'select 1', 'live', pg_current_snapshot());
  insert into accounts (name, plan) values ('Example', 'scale');
  select take_calls(id, '{1}', null, null, 0) from accounts;`;

/** The change log, in the order of appending. */
async function logged(pool: pg.Pool): Promise<readonly unknown[]> {
  const { rows } = await pool.query('select seq, xid::text as xid, kind, id, what from search_changes order by seq');
  return rows;
}

/** Reads and writes until it is stopped, and keeps each failure. */
function readAndWrite(pool: pg.Pool) {
  const failures: string[] = [];
  let rounds = 0;
  let going = true;
  const loop = async (work: () => Promise<unknown>): Promise<void> => {
    while (going) {
      try {
        await work();
        rounds += 1;
      } catch (error) {
        failures.push(String(error));
      }
    }
  };
  const readers = loop(async () => {
    const { rows } = await pool.query(
      `select c.id, c.name, count(r.*) from companies c left join roles r on r.company_id = c.id where c.id <= 300 group by c.id`,
    );
    if (rows.length !== 300) throw new Error(`${rows.length} of 300 companies were seen`);
  });
  const writers = loop(() => pool.query(`update companies set tagline = clock_timestamp()::text where id = 5`));
  const owners = loop(() => pool.query(`update people set headline = clock_timestamp()::text where id % 10 = 3`));
  return {
    async stop() {
      going = false;
      await Promise.all([readers, writers, owners]);
      return { failures, rounds };
    },
  };
}

test('from the baseline to a later version, nothing is lost and no reader or writer fails', async () => {
  await using database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max: 6 });
  pool.on('error', () => undefined);
  await pool.query(data);
  const pending = await logged(pool);
  const going = readAndWrite(pool);
  const importing = entitySearch(['import', folder], { DATABASE_URL: database.url });
  expect(await migrate(database.url, () => undefined, { known: later.migrations })).toEqual(['001-later']);
  const imported = await importing;
  const { failures, rounds } = await going.stop();
  expect(failures).toEqual([]);
  expect(rounds).toBeGreaterThan(0);
  expect([imported.code, imported.err]).toEqual([0, expect.anything()]);
  expect((await logged(pool)).slice(0, pending.length)).toEqual(pending);
  const { rows } = await pool.query(
    `select (select count(later_note is null)::int from companies) as companies,
            (select count(*)::int from roles where company_id is not null) as roles,
            (select count(*)::int from search_generations) as generations, (select count(*)::int from account_months) as months`,
  );
  expect(rows).toEqual([{ companies: 500, roles: 100, generations: 1, months: 1 }]);
  expect(await migrate(database.url, () => undefined, { known: later.migrations })).toEqual([]);
  await pool.end();
});

test('a running API keeps answering while a later version migrates the tables', async () => {
  await using database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  await pool.query(data);
  const key = generateApiKey('test', randomBytes);
  await pool.query(`insert into api_keys (account_id, name, prefix, hash) select id, $1, $1, $2 from accounts`, [
    apiKeyPrefix(key),
    hashApiKey(key),
  ]);
  await pool.end();
  await using api = await startConnectedApi(
    withApiLimits({ DATABASE_URL: database.url, ELASTICSEARCH_URL: 'http://127.0.0.1:1' }, { keys: { cacheMs: 0 } }),
  );
  const { url } = api;
  const headers = { authorization: `Bearer ${key}` };
  const statuses: number[] = [];
  const warm = Promise.withResolvers<void>();
  let going = true;
  const callers = Array.from({ length: 4 }, async () => {
    while (going) {
      for (const path of ['/api/v1/usage', '/api/v1/companies/5', '/api/health']) {
        statuses.push((await fetch(`${url}${path}`, { headers })).status);
        if (statuses.length > 20) warm.resolve();
      }
    }
  });
  await warm.promise;
  await migrate(database.url, () => undefined, { known: later.migrations });
  const atMigrated = statuses.length;
  await until(() => statuses.length >= atMigrated + 20, 'answers after the migration');
  going = false;
  await Promise.all(callers);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
});
