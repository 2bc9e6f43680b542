import { withClient } from '../../../dev/engines/postgres/client.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { createEntityStore } from '../../../src/postgres/records.ts';
import { triggerScript } from '../../../src/schema/sources/triggers.ts';
import { runDoctor } from '../../support/doctor.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { createTestIndices } from '../../support/engines/indices.ts';
import { testPool } from '../../support/engines/pool.ts';
import { closedAfterFile, forFile } from '../../support/for-file.ts';
import { runScript } from '../../support/sources/run-script.ts';

// Rows that a team's view can't convert: they stop no command and no other record.

const database = await forFile(createTestDatabase());
const indices = await forFile(createTestIndices());
const env = { DATABASE_URL: database.url, ELASTICSEARCH_URL: indices.url, INDEX_PREFIX: indices.prefix };
const pool = await closedAfterFile(testPool(database.url, 3), (opened) => opened.end());
const store = createEntityStore(pool, 5_000);

const run = async (...args: readonly string[]) => {
  const { code, out, err } = await entitySearch(args, env);
  return { code, out, err };
};

beforeAll(async () => {
  await pool.query(`
    create schema crm;
    create table crm.org (id uuid primary key default gen_random_uuid(), name text, profile jsonb not null default '{}');
    create table crm.job (id int primary key, org uuid, per int);
    create index on crm.job (org);
    insert into crm.org (name, profile)
    select 'Org ' || i, jsonb_build_object('public', 'true', 'size', i) from generate_series(1, 40) as i;
    create schema search_source;
    create view search_source.companies as
    select o.id as key, o.name, lower(replace(o.name, ' ', '-')) as slug, (o.profile ->> 'size')::int as employee_count,
           (select sum(100 / j.per)::int from crm.job j where j.org = o.id) as year_founded
    from crm.org o where (o.profile ->> 'public')::boolean`);
  // Bad from the beginning, and bad once it is indexed; in a condition, in a list, and in another table.
  await pool.query(`update crm.org set profile = '{"public": "maybe"}' where name in ('Org 1', 'Org 40')`);
  expect(await run('migrate')).toMatchObject({ code: 0 });
  await withClient(database.url, async (client) => runScript(client, await triggerScript(client)));
});

const documents = async (): Promise<readonly string[]> => {
  const index = `${indices.prefix}companies`;
  await indices.client.indices.refresh({ index });
  const { hits } = await indices.client.search<{ name: string }>({ index, size: 100 });
  return hits.hits.map(({ _source }) => _source?.name ?? '').sort();
};

const names = (without: readonly number[]): readonly string[] =>
  Array.from({ length: 40 }, (_, at) => at + 1)
    .filter((number) => !without.includes(number))
    .map((number) => `Org ${number}`)
    .sort();

test('a reindex leaves out unreadable rows, with a dead letter that names the row', async () => {
  const { code, err } = await run('reindex', 'companies', '--allow-dead-letters', '2');
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
  expect(await documents()).toEqual(names([1, 40]));
  const { out } = await run('dead-letters', 'companies', '--json');
  const named =
    /companies \d+ \(key [0-9a-f-]{36} of search_source\.companies\): invalid input syntax for type boolean: \\"maybe\\"/g;
  expect(out.match(named)).toHaveLength(2);
});

test('doctor names view, key and value of an unreadable row', async () => {
  const { findings } = await runDoctor(env);
  const named = findings.filter(({ check, found }) => check === 'index of companies' && found.includes('maybe'));
  expect(named).toEqual([
    expect.objectContaining({
      found: expect.stringMatching(/key [0-9a-f-]{36} of search_source\.companies\): invalid input syntax/),
      todo: expect.stringContaining('entity-search dead-letters retry companies'),
    }),
  ]);
});

test('sync continues, whichever part of the view fails', async () => {
  await pool.query(`update crm.org set profile = profile || '{"size": "many"}' where name = 'Org 7'`);
  await pool.query(`insert into crm.job select 1, id, 0 from crm.org where name = 'Org 8'`);
  await pool.query(`update crm.org set profile = '{"public": "perhaps"}' where name = 'Org 9'`);
  await pool.query(`update crm.org set name = 'Org 10a' where name = 'Org 10'`);
  expect(await run('sync', '--once')).toMatchObject({ code: 0 });
  expect(await documents()).toContain('Org 10a');
  const { out } = await run('dead-letters', 'companies', '--json');
  for (const reason of ['type integer: \\"many\\"', 'division by zero', 'type boolean: \\"perhaps\\"']) {
    expect(out).toContain(reason);
  }
});

test.each([
  ['plan', 0],
  ['status', 0],
  ['verify', 2],
  ['repair', 2],
])('%s continues without failing', async (command, code) => {
  const { code: found, err } = await run(command, 'companies');
  expect({ found, err: found === code ? '' : err }).toEqual({ found: code, err: '' });
});

test('an unreadable record fails alone, by id and by slug', async () => {
  const { rows } = await pool.query<{ id: number; slug: string | null; unread: boolean }>(
    `select id, slug, shown = 0 or slug in ('org-7', 'org-8') as unread
     from source_entities where kind = 'companies' order by id`,
  );
  expect(rows).toHaveLength(40);
  for (const { id, slug, unread } of rows) {
    const byId = await store.record('companies', { id, slug: String(id) });
    expect({ id, ok: byId.ok }).toEqual({ id, ok: !unread });
    if (unread || slug === null) continue;
    expect(await store.record('companies', { id: null, slug })).toMatchObject({ ok: true, value: { id } });
  }
  expect(await store.record('companies', { id: null, slug: 'nobody' })).toMatchObject({ ok: true, value: null });
  const good = rows.filter(({ unread }) => !unread).map(({ id }) => id);
  expect(await store.records('companies', { by: 'id', values: good })).toMatchObject({ ok: true });
});

test('once the rows are repaired, everything is equal and no dead letter is left', async () => {
  await pool.query(`update crm.org set profile = '{"public": "true", "size": 1}'; delete from crm.job`);
  expect(await run('sync', '--once')).toMatchObject({ code: 0 });
  expect(await run('verify', 'companies', '--deep')).toMatchObject({ code: 0 });
  expect((await run('dead-letters', 'companies', '--json')).out).not.toContain('invalid input');
  expect(await documents()).toEqual([...names([10]), 'Org 10a'].sort());
});
