import pg from 'pg';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { succeed } from '../../support/commands.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { createTestIndices } from '../../support/engines/indices.ts';
import { closedAfterFile, forFile } from '../../support/for-file.ts';
import { runScript } from '../../support/sources/run-script.ts';

// Writes of a team to its own tables, including those that more complex triggers failed or missed.

const database = await forFile(createTestDatabase());
const indices = await forFile(createTestIndices());
const env = { DATABASE_URL: database.url, ELASTICSEARCH_URL: indices.url, INDEX_PREFIX: indices.prefix };
const client = await closedAfterFile(new pg.Client(database.url), (opened) => opened.end());

const run = (...args: readonly string[]) => succeed(env, ...args);

async function prepare(): Promise<void> {
  await run('migrate');
  const { out } = await run('triggers');
  await withClient(database.url, (other) => runScript(other, out));
}

beforeAll(async () => {
  await client.connect();
  await client.query(`
    create schema crm;
    create table crm.country (code varchar(4) primary key, name text);
    create table crm.org (id uuid primary key default gen_random_uuid(), legal_name text, handle text, profile json,
                          country_code varchar(4), deleted boolean not null default false, last_seen timestamptz);
    create table crm.comment (id int primary key, subject_id text, body text);
    create table crm.person ("$note$ key" int primary key, name text);
    create table crm.job (id int primary key, person int, org uuid);
    create schema search_source;
    create view search_source.companies as
    select o.id as key, o.legal_name as name, coalesce(o.handle, o.id::text) as slug, c.name as country,
           (select max(m.body) from crm.comment m where m.subject_id = o.id::text) as tagline
    from crm.org o left join crm.country c on c.code = o.country_code where not o.deleted;
    create view search_source.people as
    select p."$note$ key" as key, p.name, 'p' || p."$note$ key" as slug from crm.person p
    where exists (select from crm.job j where j.person = p."$note$ key");
    create view search_source.roles as
    select j.person as person_key, j.id as position, 'Engineer' as title, j.org as company_key from crm.job j;
    insert into crm.org (legal_name, handle) select 'Org ' || i, 'org-' || i from generate_series(1, 30) as i;
    insert into crm.person select i, 'Person ' || i from generate_series(1, 5) as i;
    insert into crm.job select i, i, (select id from crm.org where handle = 'org-' || i) from generate_series(1, 5) as i`);
  await prepare();
  await run('reindex', 'companies', 'people');
});

interface Shown {
  readonly id: number;
  readonly name: string;
  readonly country: string | null;
  readonly tagline: string | null;
  readonly employers: readonly (string | null)[];
}

async function find(kind: 'companies' | 'people', name: string): Promise<Shown | undefined> {
  const index = `${indices.prefix}${kind}`;
  await indices.client.indices.refresh({ index });
  const { hits } = await indices.client.search<{
    id: number;
    name: string;
    tagline?: string;
    location_json?: { country: string } | null;
    roles?: { organisation: string | null }[];
  }>({ index, query: { term: { 'name.sort': name } } });
  const source = hits.hits[0]?._source;
  if (source === undefined) return undefined;
  const { id, tagline = null, location_json = null, roles = [] } = source;
  const employers = roles.map(({ organisation }) => organisation);
  return { id, name: source.name, country: location_json?.country ?? null, tagline, employers };
}

const settle = () => run('sync', '--once');

/** Proves that nothing of this test or an earlier one is missing. */
async function prove(): Promise<void> {
  await settle();
  const { err } = await run('verify', 'companies', 'people', '--deep');
  expect(err).not.toContain('no trigger has noted');
}

test('a child row whose text is not a key is written without effect', async () => {
  await client.query(`insert into crm.comment values (1, 'page 7', 'x')`);
  await client.query(`insert into crm.comment select 2, id::text, 'Good' from crm.org where handle = 'org-2'`);
  await settle();
  expect(await find('companies', 'Org 2')).toMatchObject({ tagline: 'Good' });
});

test('a row with json that is invalid as jsonb can be updated', async () => {
  await client.query(`update crm.org set profile = '{"a": "\\u0000"}' where handle = 'org-3'`);
  await client.query(`update crm.org set last_seen = now(), legal_name = 'Org 3a' where handle = 'org-3'`);
  await settle();
  expect(await find('companies', 'Org 3a')).toBeDefined();
});

test('a soft deletion and its undoing reach the people who show the company', async () => {
  await client.query(`update crm.org set deleted = true where handle = 'org-1'`);
  await settle();
  expect(await find('companies', 'Org 1')).toBeUndefined();
  expect(await find('people', 'Person 1')).toMatchObject({ employers: [null] });
  await client.query(`update crm.org set deleted = false where handle = 'org-1'`);
  await settle();
  expect(await find('people', 'Person 1')).toMatchObject({ employers: ['Org 1'] });
});

test('a lookup row that is added after the rows that refer to it reaches them', async () => {
  await client.query(`update crm.org set country_code = 'DE' where handle in ('org-4', 'org-5')`);
  await run('sync', '--once');
  await client.query(`insert into crm.country values ('DE', 'Germany')`);
  await settle();
  expect(await find('companies', 'Org 4')).toMatchObject({ country: 'Germany' });
});

test('two transactions that each delete one of the last two rows remove the entity, which /removals lists', async () => {
  await client.query(`insert into crm.job values (21, 2, null)`);
  await run('sync', '--once');
  const person = await find('people', 'Person 2');
  const [one, other] = [new pg.Client(database.url), new pg.Client(database.url)];
  await Promise.all([one.connect(), other.connect()]);
  await one.query('begin; delete from crm.job where id = 21');
  await other.query('begin; delete from crm.job where id = 2');
  await Promise.all([one.query('commit'), other.query('commit')]);
  await Promise.all([one.end(), other.end()]);
  await settle();
  expect(await find('people', 'Person 2')).toBeUndefined();
  const { rows } = await client.query(`select id::int as id from entity_removals where kind = 'people'`);
  expect(rows).toContainEqual({ id: person?.id });
});

test('rows that bypassed the triggers are counted by verify, and found after repair', async () => {
  await client.query(`begin; set local session_replication_role = replica;
    alter table crm.org disable trigger all;
    insert into crm.org (legal_name, handle) values ('Silent', 'silent');
    delete from crm.org where handle = 'org-30';
    alter table crm.org enable trigger all; commit`);
  const { code, err } = await entitySearch(['verify', 'companies'], env);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('2 entities of your views differ') });
  await run('repair', 'companies');
  await prove();
  expect(await find('companies', 'Silent')).toBeDefined();
  expect(await find('companies', 'Org 30')).toBeUndefined();
});

test('a table that only a function reads is logged by a trigger of the team', async () => {
  await client.query(`
    create table crm."Rating" ("Org" uuid, stars int);
    create function crm.stars(org uuid) returns text language sql stable
      return (select max(r.stars)::text from crm."Rating" r where r."Org" = org);
    create or replace view search_source.companies as
    select o.id as key, o.legal_name as name, coalesce(o.handle, o.id::text) as slug, c.name as country,
           crm.stars(o.id) as tagline
    from crm.org o left join crm.country c on c.code = o.country_code where not o.deleted`);
  await prepare();
  await run('sync', '--once');
  await client.query(`
    create function crm.note_ratings() returns trigger language plpgsql as $$
    begin
      perform public.entity_search_note('companies', array(select "Org"::text from new_rows));
      return null;
    end $$;
    create trigger note after insert on crm."Rating" referencing new table as new_rows
      for each statement execute function crm.note_ratings()`);
  await client.query(`insert into crm."Rating" select id, 5 from crm.org where handle = 'org-6'`);
  await prove();
  expect(await find('companies', 'Org 6')).toMatchObject({ tagline: '5' });
});

test('a logged change that leads to the same entities many times reaches all of them', async () => {
  await client.query(`
    create table crm.badge (id int primary key, label text);
    create table crm.holder (badge int, org uuid);
    create index on crm.holder (badge); create index on crm.holder (org);
    insert into crm.org (legal_name) select 'Holder ' || i from generate_series(1, 101) as i;
    insert into crm.holder
    select i, o.id from crm.org o, generate_series(1, 110) as i where o.legal_name like 'Holder%' and o.legal_name <> 'Holder 101';
    insert into crm.badge select i, 'Badge' from generate_series(1, 111) as i;
    insert into crm.holder select 111, o.id from crm.org o where o.legal_name = 'Holder 101';
    create or replace view search_source.companies as
    select o.id as key, o.legal_name as name, coalesce(o.handle, o.id::text) as slug, c.name as country,
           (select max(b.label) from crm.holder h join crm.badge b on b.id = h.badge where h.org = o.id) as tagline
    from crm.org o left join crm.country c on c.code = o.country_code where not o.deleted`);
  await prepare();
  await run('sync', '--once');
  await client.query(`update crm.badge set label = 'Changed'`);
  await prove();
  expect(await find('companies', 'Holder 101')).toMatchObject({ tagline: 'Changed' });
});

async function noted(statement: string): Promise<readonly (readonly string[])[]> {
  const { rows: before } = await client.query<{ seq: string }>('select max(seq)::text as seq from search_changes');
  await client.query(statement);
  const { rows } = await client.query<{ keys: readonly (readonly string[])[] }>(
    `select keys from search_changes where kind = 'sources' and seq > $1 and what = 'row' order by seq`,
    [before[0]?.seq],
  );
  return rows.flatMap(({ keys }) => keys);
}

test('a large update logs each row once, and its old key if that changed', async () => {
  await client.query(`insert into crm.org (legal_name) select 'Many ' || i from generate_series(1, 600) as i`);
  const named = `update crm.org set legal_name = legal_name || '.' where legal_name like 'Many%'`;
  expect(await noted(named)).toHaveLength(600);
  const moved = `update crm.org set id = gen_random_uuid() where legal_name like 'Many%'`;
  expect(await noted(moved)).toHaveLength(1_200);
  await client.query(`delete from crm.org where legal_name like 'Many%'`);
});

test('a row whose large value the view reads is logged even if unchanged', async () => {
  await client.query(`
    create or replace view search_source.companies as
    select o.id as key, o.legal_name as name, coalesce(o.handle, o.id::text) as slug, c.name as country,
           left(o.profile::text, 9) as tagline
    from crm.org o left join crm.country c on c.code = o.country_code where not o.deleted;
    alter table crm.org alter column profile set storage external;
    update crm.org set profile = to_json('Small'::text) where handle = 'org-11';
    update crm.org set profile = to_json('Large' || repeat('x', 1000000)) where handle = 'org-12'`);
  await prepare();
  const seen = (handle: string) => noted(`update crm.org set last_seen = now() where handle = '${handle}'`);
  expect([await seen('org-11'), await seen('org-12')]).toEqual([[], [expect.any(Array)]]);
  await prove();
  expect(await find('companies', 'Org 12')).toMatchObject({ tagline: '"Largexxx' });
});

test('a widened key works once the views are recreated', async () => {
  await client.query(`
    drop view search_source.people cascade; drop view search_source.roles cascade;
    alter table crm.person alter column "$note$ key" type bigint; alter table crm.job alter column person type bigint`);
  // Written before the views exist again.
  await client.query(
    `insert into crm.person values (3000000000, 'Wide'); insert into crm.job values (31, 3000000000, null)`,
  );
  await client.query(`
    create view search_source.people as
    select p."$note$ key" as key, p.name, 'p' || p."$note$ key" as slug from crm.person p
    where exists (select from crm.job j where j.person = p."$note$ key");
    create view search_source.roles as
    select j.person as person_key, j.id as position, 'Engineer' as title, j.org as company_key from crm.job j`);
  await prepare();
  await prove();
  expect(await find('people', 'Wide')).toBeDefined();
});

test.each([
  ['a short statement_timeout', `set statement_timeout = '2s'`],
  ['a short lock_timeout', `set lock_timeout = '50ms'`],
  ['serializable transactions', `set default_transaction_isolation = 'serializable'`],
  ['repeatable read', `set default_transaction_isolation = 'repeatable read'`],
])('with %s, a large row and a child row can be written', async (_, setting) => {
  await withClient(database.url, async (other) => {
    await other.query(setting);
    await other.query(
      `update crm.org set legal_name = legal_name || '.', profile = to_json(repeat('x', 4000000)) where handle = 'org-8'`,
    );
    await other.query(`insert into crm.job values (40, 4, null) on conflict (id) do update set org = excluded.org`);
    await other.query('delete from crm.job where id = 40');
  });
});

test('a prepared transaction is logged once it is committed', async () => {
  await client.query(
    `begin; update crm.org set legal_name = 'Prepared' where handle = 'org-9'; prepare transaction 'team-writes'`,
  );
  await run('sync', '--once');
  expect(await find('companies', 'Prepared')).toBeUndefined();
  await client.query(`commit prepared 'team-writes'`);
  await prove();
  expect(await find('companies', 'Prepared')).toBeDefined();
});

test('a dropped column makes no write fail, and every row counts as changed', async () => {
  await client.query(`
    drop view search_source.companies cascade; alter table crm.org drop column country_code;
    update crm.org set legal_name = 'Dropped' where handle = 'org-10'`);
  await client.query(`
    create view search_source.companies as
    select o.id as key, o.legal_name as name, coalesce(o.handle, o.id::text) as slug from crm.org o where not o.deleted`);
  await prepare();
  await prove();
  expect(await find('companies', 'Dropped')).toBeDefined();
});
