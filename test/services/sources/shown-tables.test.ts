import pg from 'pg';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { migrate } from '../../../src/schema/migrate.ts';
import { expectedTriggers, readTriggers } from '../../../src/schema/triggers.ts';
import { createTestDatabase, type TestDatabase } from '../../support/engines/database.ts';
import { laterVersion } from '../../support/engines/migrations.ts';

// `entity-search migrate` with views in place of tables, or with foreign tables in the way: it uses
// them, or names the next step, and never removes anything.

let database: TestDatabase;
let pool: pg.Pool;

beforeEach(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 3 });
});

afterEach(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});

const run = (...args: readonly string[]) => entitySearch(args, { DATABASE_URL: database.url });

const orgs = `
  create schema search_source;
  create schema crm;
  create table crm.org (id integer primary key, name text, slug text, staff integer, links jsonb, url text);
  insert into crm.org (id, name, slug, staff, links) values
    (1, 'One', 'one', -5, '{"x": "https://x.example/one"}'), (2, ' ', 'blank', 1, null), (3, null, 'none', 1, null), (0, 'Zero', 'zero', 1, null),
    (4, 'Four', 'four', 7, '"no object"');
  create view search_source.companies as select id, name, slug, staff as employee_count, links, url as website from crm.org;`;

test('a view replaces our table: missing columns are null, and rows that cannot be entities are left out', async () => {
  await pool.query(orgs);
  expect(await run('migrate')).toMatchObject({
    code: 0,
    err: expect.stringContaining('Shown from the schema search_source: companies.'),
  });
  const { rows } = await pool.query(
    'select id, name, employee_count, links, tags, sources, logo, synthetic, updated_at::text from companies order by id',
  );
  const unknown = { tags: [], sources: [], logo: null, synthetic: false, updated_at: expect.stringContaining('1970') };
  expect(rows).toEqual([
    { id: '1', name: 'One', employee_count: null, links: { x: 'https://x.example/one' }, ...unknown },
    { id: '4', name: 'Four', employee_count: 7, links: {}, ...unknown },
  ]);
});

test('a later version migrates our own table and keeps showing the view, in one transaction', async () => {
  await pool.query(orgs);
  await pool.query(`create view search_source.investor_portfolio as
    select 5 as investor_id, 0 as position, name as company_name, id as company_id from crm.org where id = 1`);
  await migrate(database.url, () => undefined);
  await pool.query('create view public.report as select count(*) from companies');
  const { rows: before } = await pool.query('select * from investments');
  expect(before).toMatchObject([{ company_id: '1', asserted_by: 'investors' }]);
  const triggers = await readTriggers(pool);
  using later = laterVersion('create index companies_later on companies (city)');
  const { rows: aside } = await pool.query(`select 'public.entity_search_own_companies'::regclass::oid as oid`);
  expect(await migrate(database.url, () => undefined, { known: later.migrations })).toEqual(['001-later']);
  const { rows: indexed } = await pool.query(`select tablename from pg_indexes where indexname = 'companies_later'`);
  expect(indexed).toEqual([{ tablename: 'entity_search_own_companies' }]);
  expect(await readTriggers(pool)).toEqual(triggers);
  expect((await pool.query(`select 'public.entity_search_own_companies'::regclass::oid as oid`)).rows).toEqual(aside);
  expect((await pool.query('select * from report')).rows).toEqual([{ count: '2' }]);
  expect((await pool.query('select * from investments')).rows).toEqual(before);
  // Nothing is left to do.
  const said: string[] = [];
  await migrate(database.url, (line) => said.push(line), { known: later.migrations });
  expect(said.filter((line) => !line.startsWith('Rights'))).toEqual([]);
});

test('without the view, our own table is restored with its triggers', async () => {
  await pool.query(orgs);
  await pool.query(`create view search_source.company_investors as
    select 1::bigint as company_id, 0 as position, 'Fund' as investor_name`);
  await migrate(database.url, () => undefined);
  await pool.query('drop schema search_source cascade');
  await migrate(database.url, () => undefined);
  expect(await readTriggers(pool)).toEqual(expectedTriggers());
  expect((await pool.query('select * from investments')).rows).toEqual([]);
  await pool.query(`insert into companies (id, name, slug) values (1, 'Own', 'own')`);
  expect((await pool.query('select kind, id from search_changes')).rows).toContainEqual({ kind: 'companies', id: '1' });
});

test.each([
  [
    'our table has rows',
    `insert into companies (id, name, slug) values (9, 'Own', 'own')`,
    /the table companies has rows of its own/,
  ],
  [
    'a column is unknown',
    'alter view search_source.companies rename column website to site',
    /has columns that companies do not have: site\. Known: id, name/,
  ],
  [
    'a needed column is missing',
    'alter view search_source.companies rename column slug to logo',
    /lacks slug, without which/,
  ],
  [
    'a column has an unsupported type',
    'drop view search_source.companies; create view search_source.companies as select id, name, slug, true as founded_date from crm.org',
    /Column search_source\.companies\.founded_date is boolean, but must be date\. Write in the view/,
  ],
  [
    'a column is text with only some dates',
    `drop view search_source.companies; create view search_source.companies as select id, name, slug, '2020-01-01' as founded_date from crm.org`,
    /founded_date is text, but must be date\..*case when pg_input_is_valid\(VALUE::text, 'date'\)/,
  ],
  [
    'a relation has a key of another type',
    `create view search_source.roles as select 1 as person_id, 1 as position, now() as company_key`,
    /search_source\.roles: company_key is timestamp with time zone, and the key of search_source\.companies is integer\. Cast/,
  ],
  [
    'a relation has the key of a kind without a view',
    `create view search_source.roles as select 'x' as person_key, 1 as position`,
    /person_key is text, and the key of search_source\.people is not there/,
  ],
  [
    'a view has an id and a key',
    'drop view search_source.companies; create view search_source.companies as select id, id as key, name, slug from crm.org',
    /has both id and key: keep one of them/,
  ],
])('if %s, migrate reports it and changes nothing', async (_, spoil, message) => {
  await pool.query(orgs);
  await pool.query(spoil);
  const triggers = await readTriggers(pool);
  expect(await run('migrate')).toMatchObject({ code: 1, err: expect.stringMatching(message) });
  expect(await readTriggers(pool)).toEqual(triggers);
});

test.each([
  ['text', ['character varying', 'uuid']],
  ['bigint', ['integer']],
  ['numeric(20,2)', ['bigint']],
  ['timestamp with time zone', ['date']],
  ['jsonb', ['json']],
  ['text[]', ['character varying[]']],
  ['boolean', ['boolean']],
])('a column that must be %s may be %j', async (ours, theirs) => {
  expect(await fitting(ours, theirs)).toEqual(theirs);
});

test.each([
  ['date', ['text', 'integer']],
  ['integer', ['character varying']],
  ['jsonb', ['text']],
  ['boolean', ['text', 'integer']],
  ['text[]', ['text', 'jsonb']],
  ['integer[]', ['text[]']],
])('a column that must be %s may not be %j', async (ours, theirs) => {
  expect(await fitting(ours, theirs)).toEqual([]);
});

async function fitting(ours: string, theirs: readonly string[]): Promise<readonly string[]> {
  const { rows } = await pool.query<{ type: string }>(
    `select type from unnest($2::text[]) as type where entity_search_fits(type::regtype, to_regtype($1))`,
    [ours, theirs],
  );
  return rows.map(({ type }) => type);
}

test('a changed view is logged when it is shown, and only then', async () => {
  await pool.query(orgs);
  await pool.query(
    `insert into search_generations (kind, number, index_name, hash, definition, document_sql) values ('companies', 1, 'c', '', '{}', '')`,
  );
  const noted = async () =>
    (await pool.query(`select kind, id, what from search_changes where kind <> 'sources' order by seq`)).rows;
  await migrate(database.url, () => undefined);
  const both = [
    { kind: 'companies', id: null, what: 'truncate' },
    { kind: 'companies', id: null, what: 'all' },
  ];
  expect(await noted()).toEqual(both);
  await migrate(database.url, () => undefined);
  expect(await noted()).toEqual(both);
  await pool.query(`create or replace view search_source.companies as
    select id, name, slug, staff as employee_count, links, upper(url) as website from crm.org`);
  await migrate(database.url, () => undefined);
  expect(await noted()).toEqual([...both, ...both]);
});

test.each([
  [
    'a table of that name',
    'create table companies (id serial); create table plans (id int)',
    /The schema public has companies, plans, which/,
  ],
  [
    'a view of that name',
    'create schema crm; create view events as select 1 as id',
    /The schema public has events, which/,
  ],
  [
    "another program's migrations",
    'create table schema_migrations (version text)',
    /The schema public has schema_migrations, which/,
  ],
])('before the first migration, %s is left unchanged, with what to do', async (_, sql, message) => {
  const empty = `${database.url}_empty`;
  await pool.query(`create database "${new URL(empty).pathname.slice(1)}"`);
  const other = new pg.Client({ connectionString: empty });
  await other.connect();
  try {
    await other.query(sql);
    const outcome = await entitySearch(['migrate'], { DATABASE_URL: empty });
    expect(outcome).toMatchObject({ code: 1, err: expect.stringMatching(message) });
    const { rows } = await other.query(`select count(*)::int as count from pg_class where relname = 'search_changes'`);
    expect(rows).toEqual([{ count: 0 }]);
  } finally {
    await other.end();
    await pool.query(`drop database "${new URL(empty).pathname.slice(1)}"`);
  }
});

test('the role may have its own schema before public', async () => {
  await pool.query(`${orgs} create table crm.companies (id text); create table crm.plans (nothing text)`);
  const url = `${database.url}?options=-c%20search_path%3Dcrm,public`;
  expect(await entitySearch(['migrate'], { DATABASE_URL: url })).toMatchObject({ code: 0 });
  expect(await entitySearch(['plans', 'list', '--json'], { DATABASE_URL: database.url })).toMatchObject({ code: 0 });
});
