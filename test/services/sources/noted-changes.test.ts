import pg from 'pg';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { affectedDocuments, type Change, dependantPages } from '../../../indexer/change-log/changes.ts';
import { type KindName, kindNames } from '../../../src/kinds/kind.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import { selectBodies } from '../../../src/kinds/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../support/engines/database.ts';
import { runScript } from '../../support/sources/run-script.ts';

// Whatever is written to tables of other names, keys and shapes: every document that it changes is noted. Statements are
// drawn at random; documents are compared before and after each.

let database: TestDatabase;
let pool: pg.Pool;

const org = '"Sales ""Dept"", $note$"."Org; --"';
const schema = '"Sales ""Dept"", $note$"';
const key = '"Region""s", "Org Id"';

/** Partitioned, with a composite key, without a primary key, with types that know no equality, and unusual names. */
const foreignTables = `
  create schema ${schema};
  create table ${schema}."Land" ("Code" text primary key, "select" text not null, visits integer not null default 0);
  create table ${org} (
    "Region""s" varchar(2) not null, "Org Id" uuid not null, "data" json, amount numeric, point point,
    land text references ${schema}."Land", "last seen" timestamptz, primary key (${key})
  ) partition by list ("Region""s");
  create table ${schema}."Org EU" partition of ${org} for values in ('EU');
  create table ${schema}."Org $$" partition of ${org} for values in ('US', 'JP');
  create table ${schema}.names (org uuid, region varchar(2), "Name" text not null, "from" integer not null default 0);
  create table ${schema}.tags (
    "#" integer generated always as identity primary key, region text, org uuid, "Tag" text not null);
  create table ${schema}.person (id smallint primary key, "Name" text not null);
  create table ${schema}.job (
    region text, org uuid, person smallint references ${schema}.person on delete cascade on update cascade, "Title" text, n integer primary key);`;

const foreignViews = `
  create view search_source.companies as
  select i.id, (select n."Name" from ${schema}.names n where n.org = o."Org Id" and n.region = o."Region""s" order by n."from" desc, n."Name" limit 1) as name,
    o."Region""s" || '-' || o."Org Id" as slug, o.data ->> 'claim' as tagline, o.amount::text || o.point::text as overview,
    l."select" as country,
    array(select t."Tag" from ${schema}.tags t where t.region = o."Region""s" and t.org = o."Org Id" order by t."#") as tags
  from search_source.companies_ids i
  join ${org} o on o."Region""s" = i.key1 and o."Org Id" = i.key2
  left join ${schema}."Land" l on l."Code" = o.land;
  create view search_source.people as select id, "Name" as name, id::text as slug from ${schema}.person;
  create view search_source.roles as
  select j.person as person_id, j.n as position, j."Title" as title, i.id as company_id
  from ${schema}.job j left join search_source.companies_ids i on i.key1 = j.region and i.key2 = j.org;`;

const triggers = [
  [
    org,
    `${schema}.names(region, org)`,
    '--children',
    `${schema}.tags(region, org)`,
    '--lookups',
    `${schema}."Land"`,
  ].concat(['--shown', '"Name"', 'from', '--ignore', '"last seen"', 'visits', '--kind', 'companies']),
  [`${schema}.person`, '--children', `${schema}.job`, '--kind', 'people'],
];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 4 });
  await pool.query(foreignTables);
  // A reader exists, so changes are noted.
  await pool.query(
    `insert into search_generations (kind, number, index_name, hash, definition, document_sql)
     select kind, 1, kind, '', '{}', '' from unnest($1::text[]) as kind`,
    [kindNames],
  );
  const env = { DATABASE_URL: database.url };
  for (const args of triggers) {
    const { code, out, err } = await entitySearch(['triggers', ...args], env);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    // It may be run again.
    await withClient(database.url, async (client) => {
      await runScript(client, out);
      await runScript(client, out);
    });
  }
  await pool.query(foreignViews);
  expect(await entitySearch(['migrate'], env)).toMatchObject({ code: 0 });
});

afterAll(async () => {
  await only?.end();
  await pool.end();
  await database[Symbol.asyncDispose]();
});

/** Numbers below a bound, the same for the same seed. */
function draws(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const pick = <Item>(draw: (below: number) => number, items: readonly Item[]): Item => {
  const item = items[draw(items.length)];
  if (item === undefined) throw new Error('There is nothing to pick.');
  return item;
};

/** One statement of any kind on any table, by any way in. */
function drawStatement(draw: (below: number) => number): string {
  const region = (): string => pick(draw, ['EU', 'US', 'JP']);
  const id = (): string => `00000000-0000-0000-0000-00000000000${draw(6)}`;
  const land = (): string => pick(draw, ["'CH'", "'DE'", 'null']);
  const where = `"Org Id" = '${id()}'`;
  const table = pick(draw, [org, org, `${schema}."Org EU"`, `${schema}."Org $$"`]);
  const own = table.endsWith('EU"') ? 'EU' : 'US';
  const person = draw(5) + 1;
  return pick(draw, [
    () =>
      `insert into ${table} values ('${table === org ? region() : own}', '${id()}', '{"claim": "${draw(9)}"}', ${draw(3)}.0, '(1,2)', ${land()}) on conflict do nothing`,
    () => `update ${table} set data = '{"claim": "${draw(9)}"}' where ${where}`,
    () =>
      `update ${table} set amount = amount::text::numeric(20, ${draw(3)}), point = point(${draw(3)}, 0), land = ${land()} where ${where}`,
    () =>
      `update ${org} set "Region""s" = '${region()}' where ${where} and not exists (select from ${org} o where o.${where})`,
    () => `update ${org} o set "Org Id" = '${id()}' where ${where} and (select count(*) from ${org}) < 4
           and not exists (select from ${org} p where p."Region""s" = o."Region""s")`,
    () => `delete from ${table} where ${where}`,
    () => `update ${org} set "last seen" = now()`,
    () => `insert into ${schema}.names values ('${id()}', '${region()}', 'Name ${draw(9)}', ${draw(3)})`,
    () =>
      `insert into ${schema}.names select '${id()}', region, 'All ${draw(9)}', 5 from unnest(array['EU', 'US', 'JP']) as region`,
    () => `update ${schema}.names set "Name" = 'Renamed ${draw(9)}' where org = '${id()}'`,
    () => `update ${schema}.names set org = '${id()}' where "from" = ${draw(3)}`,
    () => `delete from ${schema}.names where "Name" like '%${draw(9)}'`,
    () =>
      `insert into ${schema}.tags (region, org, "Tag") select '${region()}', '${id()}', 'tag ${draw(5)}' from generate_series(1, 3)`,
    () => `update ${schema}.tags set org = '${id()}', region = '${region()}' where "#" % 3 = ${draw(3)}`,
    () => `update ${schema}.tags set "Tag" = '${draw(5)}' where "#" % 5 = ${draw(5)}`,
    () => `delete from ${schema}.tags where "#" % 2 = ${draw(2)}`,
    () =>
      `insert into ${schema}."Land" values (${pick(draw, ["'CH'", "'DE'"])}, 'Land') on conflict ("Code") do update set "select" = 'Land ${draw(9)}'`,
    () => `update ${schema}."Land" set visits = visits + 1`,
    () =>
      `insert into ${schema}.person values (${person}, 'Person ${draw(5)}') on conflict (id) do update set "Name" = excluded."Name"`,
    () => `delete from ${schema}.person where id = ${person}`,
    () => `update ${schema}.person set id = id + 5 where id = ${person}`,
    () =>
      `insert into ${schema}.job select '${region()}', '${id()}', id, 'Title ${draw(5)}', coalesce((select max(n) from ${schema}.job), 0) + id from ${schema}.person`,
    () => `update ${schema}.job set org = '${id()}' where n % 3 = ${draw(3)}`,
    () => `merge into ${schema}.job j using ${schema}.person p on p.id = j.person and j.n % 2 = ${draw(2)}
           when matched and p.id < 3 then delete when matched then update set "Title" = 'Merged ${draw(5)}'`,
    () =>
      draw(2) > 0
        ? `select 1`
        : `truncate ${pick(draw, [`${schema}.tags`, `${schema}.job`, `${schema}."Org EU"`, `${schema}.names`, org])}`,
  ])();
}

/** The kinds whose tables are shown from elsewhere. */
const shownKinds = ['companies', 'people'] as const;

type Documents = ReadonlyMap<string, string>;

/** The hash of every document. */
async function readAll(client: pg.ClientBase): Promise<Documents> {
  const found = new Map<string, string>();
  for (const kind of shownKinds) {
    const { rows } = await client.query<{ id: string; hash: string }>(
      `select id, hash from (${selectBodies(kinds[kind].sql, 'document', '')}) as documents`,
    );
    for (const { id, hash } of rows) found.set(`${kind} ${id}`, hash);
  }
  return found;
}

type LoggedChange = Change & { readonly kind: KindName };

/** Documents that a reader of the log would read again, or look for, after these entries. */
async function readAgain(changes: readonly LoggedChange[], all: Iterable<string>): Promise<ReadonlySet<string>> {
  const again = new Set<string>();
  for (const kind of shownKinds) {
    const own = changes.filter((change) => change.kind === kind);
    const wanted = affectedDocuments({ kind, embeddingModel: null }, own);
    for (const id of wanted.ids) again.add(`${kind} ${id}`);
    for await (const page of dependantPages(pool, wanted.lookups)) for (const id of page) again.add(`${kind} ${id}`);
    if (!wanted.everything && !wanted.truncated) continue;
    for (const document of all) if (document.startsWith(`${kind} `)) again.add(document);
  }
  return again;
}

interface Missed {
  readonly statement: string;
  readonly documents: readonly string[];
}

/** Returns the removals noted since; a null id means all of a kind. */
async function readRemoved(client: pg.ClientBase, since: string | undefined): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ one: string }>(
    `select kind || ' ' || coalesce(id::text, 'null') as one from entity_removals where seq > $1`,
    [since],
  );
  return new Set(rows.map(({ one }) => one));
}

/** Draws statements until a document changes or disappears without a note, or enough were drawn. */
async function explore(
  seed: number,
  count: number,
): Promise<{ readonly missed: Missed | undefined; readonly changed: number }> {
  const draw = draws(seed);
  let before = await readAll(await sole());
  let changed = 0;
  for (let at = 0; at < count; at += 1) {
    const statement = drawStatement(draw);
    const client = await sole();
    const { rows: last } = await client.query<{ seq: string }>(
      'select coalesce(max(seq), 0) as seq from search_changes',
    );
    const { rows: lastRemoval } = await client.query<{ seq: string }>(
      'select coalesce(max(seq), 0) as seq from entity_removals',
    );
    const removalsBefore = lastRemoval[0]?.seq;
    try {
      await client.query(statement);
    } catch (error) {
      // Drawn without knowledge of the rows: a constraint refused it, and nothing happened.
      if (!(error instanceof pg.DatabaseError) || !/^23|^21000$/.test(error.code ?? '')) throw error;
      continue;
    }
    const { rows } = await client.query<Omit<LoggedChange, 'id' | 'seq'> & { id: string | null; seq: string }>(
      'select xid::text as xid, seq, kind, id, what, entity, model from search_changes where seq > $1',
      [last[0]?.seq],
    );
    const entries = rows.map((row) => ({ ...row, seq: Number(row.seq), id: row.id === null ? null : Number(row.id) }));
    const after = await readAll(client);
    const gone = [...before.keys()].filter((one) => !after.has(one));
    const removed = await readRemoved(client, removalsBefore);
    const unlisted = gone.filter((one) => !removed.has(one) && !removed.has(`${one.split(' ')[0]} null`));
    if (unlisted.length > 0) return { missed: { statement, documents: unlisted }, changed };
    const differing = [...new Set([...before.keys(), ...after.keys()])].filter(
      (one) => before.get(one) !== after.get(one),
    );
    const again = await readAgain(entries, [...before.keys(), ...after.keys()]);
    const documents = differing.filter((one) => !again.has(one));
    if (documents.length > 0) return { missed: { statement, documents }, changed };
    changed += differing.length;
    before = after;
  }
  return { missed: undefined, changed };
}

let only: pg.Client | undefined;
async function sole(): Promise<pg.Client> {
  if (only === undefined) {
    only = new pg.Client({ connectionString: database.url });
    await only.connect();
  }
  return only;
}

test('every document that a statement changes is noted', async () => {
  const { missed, changed } = await explore(7, 400);
  expect(missed).toBeUndefined();
  expect(changed).toBeGreaterThan(200);
});

test.each([
  [`${schema}.tags`, 'companies_update'],
  [`${schema}."Org $$"`, 'companies_insert'],
  [`${schema}."Org EU"`, 'companies_truncate'],
  [org, 'companies_update'],
  [`${schema}.job`, 'people_delete'],
  [`${schema}."Land"`, 'companies_update'],
])('without the trigger of %s, %s, that is found out', async (table, name) => {
  await pool.query(`alter table ${table} disable trigger entity_search_${name}`);
  const { missed } = await explore(11, 2_000);
  await pool.query(`alter table ${table} enable always trigger entity_search_${name}`);
  expect(missed).toBeDefined();
});
