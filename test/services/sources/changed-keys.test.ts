import pg from 'pg';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { rotated } from '../../../dev/explore/mutants/rotation.ts';
import { succeed } from '../../support/commands.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { createTestIndices } from '../../support/engines/indices.ts';
import { closedAfterFile, forFile } from '../../support/for-file.ts';
import { runScript } from '../../support/sources/run-script.ts';

// A team changes the type of a key: its views are replaced, and keys of before may be none of the new type.

const database = await forFile(createTestDatabase());
const indices = await forFile(createTestIndices());
const env = { DATABASE_URL: database.url, ELASTICSEARCH_URL: indices.url, INDEX_PREFIX: indices.prefix };
const client = await closedAfterFile(new pg.Client(database.url), (opened) => opened.end());
await client.connect();
await client.query(`
  create schema crm; create schema search_source;
  create collation crm.folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
  create table crm.org (serial integer primary key, name text);
  insert into crm.org select i, 'Org ' || i from generate_series(1, 20) as i`);
// The team's session writes values as other texts than ours reads them.
await client.query(`set datestyle = 'SQL, DMY'; set timezone = 'Asia/Kolkata'; set extra_float_digits = 0;
  set bytea_output = 'escape'; set quote_all_identifiers = on`);

const run = async (...args: readonly string[]) => (await succeed(env, ...args)).out;

/** Shows the rows by this key, and follows them. */
async function show(columns: string): Promise<void> {
  await client.query('drop view if exists search_source.companies cascade');
  await client.query(`create view search_source.companies as
    select ${columns}, o.name, 'org-' || o.serial as slug from crm.org o where o.serial > 0`);
  await run('migrate');
  const script = await run('triggers');
  await withClient(database.url, (other) => runScript(other, script));
}

async function names(): Promise<readonly string[]> {
  const index = `${indices.prefix}companies`;
  await indices.client.indices.refresh({ index });
  const { hits } = await indices.client.search<{ name: string }>({ index, size: 100, sort: ['id'] });
  return hits.hits.flatMap(({ _source }) => (_source === undefined ? [] : [_source.name])).sort();
}

beforeAll(async () => {
  await show('o.serial as key');
  await run('reindex', 'companies');
});

/** Neighbours are tried together. */
const types = [
  ['texts', `'o' || o.serial as key`],
  ['integers again, unlike the texts', 'o.serial as key'],
  ['fixed-length characters', 'o.serial::char(8) as key'],
  ['bits', 'o.serial::bit(16) as key'],
  ['two columns', `o.serial % 3 as key1, o.serial::char(8) as key2`],
  ['our id', '1000 - o.serial as id'],
  ['another id', 'o.serial + 5 as id'],
  ['uuid', `md5(o.serial::text)::uuid as key`],
  [
    'texts in another case, under a case-insensitive collation',
    `(case length(o.name) % 2 when 0 then 'ORG' else 'org' end || o.serial) collate crm.folded as key`,
  ],
  ['dates', `date '2026-01-01' + o.serial as key`],
] as const;
const { tried } = rotated('pairs of types of keys', [0, 2, 4, 6, 8], 2);

test.each(tried.flatMap((at) => types.slice(at, at + 2)))(
  'documents equal the view after the key becomes %s',
  async (_, columns) => {
    await show(columns);
    await run('sync', '--once');
    await client.query(`update crm.org set name = name || '.' where serial % 4 = 0`);
    await client.query(`insert into crm.org select 1 + max(serial), 'New' from crm.org`);
    await client.query(
      'update crm.org set serial = -serial where serial = (select min(serial) from crm.org where serial > 0)',
    );
    await run('sync', '--once');
    const { rows } = await client.query<{ name: string }>('select name from crm.org where serial > 0');
    expect(await names()).toEqual(rows.map(({ name }) => name).sort());
    await run('verify', 'companies', '--deep');
    const { rows: unlisted } = await client.query(
      `select e.id from source_entities e where kind = 'companies' and shown is null
     and not exists (select from entity_removals r where r.kind = e.kind and r.id = e.id)`,
    );
    expect(unlisted).toEqual([]);
  },
);
