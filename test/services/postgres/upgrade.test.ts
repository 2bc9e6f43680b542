import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { withApiLimits } from '../../../dev/lib/limits.ts';
import { apiKeyPrefix, generateApiKey, hashApiKey } from '../../../src/access/api-key.ts';
import { listMigrations, migrate } from '../../../src/schema/migrate.ts';
import { startApiProcess } from '../../support/api/process.ts';
import { createTestDatabase, dropDatabase } from '../../support/engines/database.ts';
import { requiredEnv } from '../../support/jest/required-env.ts';

// From the tables of every earlier version, with data in them, while programs go on reading and writing.

const migrations = listMigrations();

interface OldDatabase extends AsyncDisposable {
  readonly url: string;
  readonly pool: pg.Pool;
}

/** A database as the version left it whose last migration had this number. */
async function createOld(version: number): Promise<OldDatabase> {
  const url = new URL(requiredEnv('TEST_DATABASE_URL'));
  const name = `old_${randomUUID().replaceAll('-', '')}`;
  await withClient(url.href, (client) => client.query(`create database ${name}`));
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 6 });
  pool.on('error', () => undefined);
  const applied = migrations.slice(0, version);
  const statements = applied.map(({ path }) => readFileSync(path, 'utf8'));
  await pool.query(`begin; ${statements.join('\n')}; commit`);
  await pool.query(
    'create table schema_migrations (id serial primary key, name varchar(255) not null, run_on timestamp not null)',
  );
  for (const one of applied) {
    await pool.query('insert into schema_migrations (name, run_on) values ($1, now())', [one.name]);
  }
  await pool.query(data(version));
  return {
    url: url.href,
    pool,
    [Symbol.asyncDispose]: async () => {
      await pool.end();
      await dropDatabase(name);
    },
  };
}

/** What an installation of that version may hold. */
function data(version: number): string {
  const parts = [
    `insert into companies (id, name, slug, tags, total_funding_usd)
       select n, 'Company ' || n, 'company-' || n, '{Ledgers}', n * 10.5 from generate_series(1, 300) as n;
     insert into people (id, name, slug) select n, 'P ' || n, 'p-' || n from generate_series(1, 100) as n;
     insert into roles (person_id, position, title, organisation, company_id)
       select n, 0, 'Founder', 'Company ' || n, n from generate_series(1, 100) as n;
     insert into investors (id, name, slug) values (1, 'Fund', 'fund');
     insert into company_investors (company_id, position, investor_name, investor_id) values (1, 0, 'Fund', 1);`,
    '',
    `insert into search_generations (kind, number, index_name, hash, definition, document_sql, state, position)
       values ('companies', 1, 'companies-0a-1', '0a', '{}', 'select 1', 'live', pg_current_snapshot()),
              ('people', 1, 'people-0a-1', '0a', '{}', 'select 1', 'retired', pg_current_snapshot());
     insert into search_dead_letters (generation_id, id, reason) select id, 7, 'too long' from search_generations limit 1;`,
    `insert into accounts (name, plan) values ('Example', 'scale');`,
    `insert into x402_payments (network, asset, pay_to, payer, nonce, amount, valid_before, status, request_hash,
                                signature_hash, tx_hash, settled_at)
       values ('eip155:84532', '0xa', '0xb', '0xc', '0xd', 10000, 99, 'settled', repeat('a', 64), repeat('b', 64), '0xe', now());`,
    `select take_calls(id, '{1}', null, null, 0) from accounts;`,
  ];
  return parts.slice(0, version).join('\n');
}

/** All that a schema consists of, as Postgres tells it, in an order of its own. */
async function shapeOf(pool: pg.Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ part: string }>(
    `select 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull
              || ' ' || coalesce(pg_get_expr(d.adbin, d.adrelid), '') || a.attidentity::text as part
     from pg_class c join pg_attribute a on a.attrelid = c.oid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'p') and a.attnum > 0 and not a.attisdropped
     union all select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
       from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'
     union all select 'index ' || indexdef from pg_indexes where schemaname = 'public'
     union all select 'trigger ' || tgenabled::text || ' ' || pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
     union all select 'function ' || pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
     union all select 'view ' || viewname || definition from pg_views where schemaname = 'public'
     union all select 'options ' || relname || reloptions::text from pg_class
       where relnamespace = 'public'::regnamespace and reloptions is not null
     order by part`,
  );
  // The table of migrations is the runner's own.
  return rows.map(({ part }) => part).filter((part) => !part.includes('schema_migrations'));
}

/** The change log, in the order of appending. */
async function logged(pool: pg.Pool): Promise<readonly unknown[]> {
  const { rows } = await pool.query('select seq, xid::text as xid, kind, id, what from search_changes order by seq');
  return rows;
}

let fresh: readonly string[];
const folder = mkdtempSync(join(tmpdir(), 'entity-search-upgrade-'));

beforeAll(async () => {
  await using database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  fresh = await shapeOf(pool);
  await pool.end();
  const line = (n: number): string => JSON.stringify({ id: n, name: `Imported ${n}`, slug: `imported-${n}` });
  writeFileSync(join(folder, 'companies.ndjson'), Array.from({ length: 200 }, (_, at) => line(1_001 + at)).join('\n'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Writers and readers as they were from the first version on, until they are stopped; each failure is kept. */
function goOn(pool: pg.Pool) {
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

test.each(migrations.slice(0, -1).map(({ name }, at) => [name, at + 1] as const))(
  'from %s: the tables become those of a new database, nothing is lost, nobody is refused meanwhile',
  async (_name, version) => {
    await using old = await createOld(version);
    const waiting = version >= 2 ? await logged(old.pool) : [];
    const going = goOn(old.pool);
    const importing = entitySearch(['import', folder], { DATABASE_URL: old.url });
    const applied = await migrate(old.url, () => undefined);
    const imported = await importing;
    const { failures, rounds } = await going.stop();
    expect(applied).toEqual(migrations.slice(version).map(({ name }) => name));
    expect(failures).toEqual([]);
    expect(rounds).toBeGreaterThan(0);
    expect([imported.code, imported.err]).toEqual([0, expect.anything()]);
    expect(await shapeOf(old.pool)).toEqual(fresh);
    // What waited for readers still does, in the same order, and what came meanwhile is behind it.
    expect((await logged(old.pool)).slice(0, waiting.length)).toEqual(waiting);
    const { rows } = await old.pool.query(
      `select (select count(*)::int from companies) as companies, (select count(*)::int from roles where company_id is not null) as roles,
              (select count(*)::int from search_generations) as generations, (select count(*)::int from accounts) as accounts,
              (select count(*)::int from x402_payments) as payments, (select count(*)::int from account_months) as months`,
    );
    const since = (from: number, count: number): number => (version >= from ? count : 0);
    expect(rows).toEqual([
      {
        companies: 500,
        roles: 100,
        generations: since(3, 2),
        accounts: since(4, 1),
        payments: since(5, 1),
        months: since(6, 1),
      },
    ]);
  },
);

test('an API that runs goes on answering while the tables are brought up under it', async () => {
  // The tables that it needs are those up to the limits; what came after is the indexer's.
  await using old = await createOld(6);
  const key = generateApiKey('test', randomBytes);
  await old.pool.query(`insert into api_keys (account_id, name, prefix, hash) select id, $1, $1, $2 from accounts`, [
    apiKeyPrefix(key),
    hashApiKey(key),
  ]);
  await using api = startApiProcess(
    withApiLimits({ DATABASE_URL: old.url, ELASTICSEARCH_URL: 'http://127.0.0.1:1' }, { keys: { cacheMs: 0 } }),
  );
  const url = await api.url;
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
  await migrate(old.url, () => undefined);
  const atMigrated = statuses.length;
  while (statuses.length < atMigrated + 20) await new Promise((resolve) => setImmediate(resolve));
  going = false;
  await Promise.all(callers);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
});
