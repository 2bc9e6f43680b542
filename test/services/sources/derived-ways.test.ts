import pg from 'pg';
import { rotated } from '../../../dev/explore/mutants/rotation.ts';
import { seededRandom } from '../../../dev/torture/random.ts';
import { findAffected, type Note } from '../../../indexer/resolver/notes.ts';
import { migrate } from '../../../src/schema/migrate.ts';
import { deriveSources } from '../../../src/schema/sources/derive.ts';
import { triggerScript } from '../../../src/schema/sources/triggers.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { closedAfterFile, forFile } from '../../support/for-file.ts';
import { runScript } from '../../support/sources/run-script.ts';
import { drawStatement, filled, schema } from '../../support/sources/team-tables.ts';

// For views of many shapes: whatever is written, every entity that the view shows differently is among those that the
// notes lead to.

const database = await forFile(createTestDatabase());
const client = await closedAfterFile(new pg.Client(database.url), (opened) => opened.end());

const slug = 'o.id::text as slug';
const own = `o.id as key, o.name, ${slug}`;

/** Selects that show companies, and the tables whose changes concern all companies. */
const views: readonly (readonly [title: string, select: string, unknown: readonly string[]])[] = [
  ['one table', `select id as key, name, id::text as slug from crm.org`, []],
  ['a soft delete', `select ${own} from crm.org o where not deleted`, []],
  [
    'a child in a list',
    `select ${own}, array(select t.tag from crm.tag t where t.org = o.id order by 1) as tags from crm.org o`,
    [],
  ],
  [
    'a lookup without a foreign key',
    `select ${own}, c.name as country from crm.org o left join crm.country c on c.code = o.country_code`,
    [],
  ],
  [
    'a lookup of a lookup',
    `select ${own}, r.name as country from crm.org o left join crm.country c on c.code = o.country_code left join crm.region r on r.id = c.region_id`,
    [],
  ],
  [
    'nested joins',
    `select ${own}, r.name as country from crm.org o left join (crm.country c join crm.region r on r.id = c.region_id) on c.code = o.country_code`,
    [],
  ],
  [
    'a polymorphic child',
    `select ${own}, (select max(m.body) from crm.comment m where m.subject_type = 'org' and m.subject_id = o.id::text) as overview from crm.org o`,
    [],
  ],
  ['its parent', `select ${own}, p.name as city from crm.org o left join crm.org p on p.id = o.parent`, []],
  [
    'two references to one table',
    `select ${own}, (select sum(d.amount)::text from crm.deal d where d.buyer = o.id) as city, (select sum(d.amount)::text from crm.deal d where d.seller = o.id) as country from crm.org o`,
    [],
  ],
  [
    'either of two references',
    `select ${own}, (select sum(d.amount)::text from crm.deal d where d.buyer = o.id or d.seller = o.id) as city from crm.org o`,
    ['crm.deal'],
  ],
  [
    'views over views',
    `select n.id as key, n.name, n.id::text as slug, c.name as country from crm.live_named n left join crm.country c on c.code = n.country_code`,
    [],
  ],
  [
    'a union of two tables',
    `select id as key, name, id::text as slug from crm.org union all select t.org, min(t.tag), t.org::text || '-tag' from crm.tag t where not exists (select from crm.org o where o.id = t.org) group by t.org`,
    [],
  ],
  [
    'exists',
    `select ${own} from crm.org o where exists (select from crm.tag t where t.org = o.id and t.weight > 1)`,
    [],
  ],
  ['not exists', `select ${own} from crm.org o where not exists (select from crm.blocked b where b.org = o.id)`, []],
  ['in a subselect', `select ${own} from crm.org o where o.id in (select t.org from crm.tag t)`, []],
  [
    'not in a subselect',
    `select ${own} from crm.org o where o.id not in (select b.org from crm.blocked b)`,
    ['crm.blocked'],
  ],
  [
    'a group',
    `select ${own}, count(t.tag)::int as employee_count from crm.org o left join crm.tag t on t.org = o.id group by o.id`,
    [],
  ],
  [
    'a grouped subselect',
    `select ${own}, n.count::int as employee_count from crm.org o left join (select org, count(*) from crm.tag group by org) n on n.org = o.id`,
    [],
  ],
  [
    'a lateral limit',
    `select ${own}, n.tag as tagline from crm.org o left join lateral (select t.tag from crm.tag t where t.org = o.id order by t.weight, t.tag limit 1) n on true`,
    [],
  ],
  [
    'the first of all',
    `select ${own}, n.tag as tagline from crm.org o left join (select t.org, t.tag from crm.tag t order by t.weight desc, t.tag, t.org limit 2) n on n.org = o.id`,
    ['crm.tag'],
  ],
  ['distinct on', `select distinct on (o.name) ${own} from crm.org o order by o.name, o.rank, o.id`, ['crm.org']],
  [
    'a window over everything',
    `select ${own}, (row_number() over (order by o.rank, o.id))::int as employee_count from crm.org o`,
    ['crm.org'],
  ],
  [
    'a window over a partition',
    `select o.id as key, o.name, ${slug}, (rank() over (partition by o.country_code order by o.rank))::int as employee_count from crm.org o`,
    ['crm.org'],
  ],
  [
    'a composite key',
    `select u.tenant as key1, u.id as key2, u.name, u.tenant || '-' || u.id as slug, (select string_agg(n.body, ' ' order by n.body) from crm.unit_note n where (n.tenant, n.unit_id) = (u.tenant, u.id)) as overview from crm.unit u`,
    [],
  ],
  [
    'a with',
    `with big as (select t.org from crm.tag t where t.weight > 1) select ${own} from crm.org o join big b on b.org = o.id group by o.id`,
    [],
  ],
  [
    'a right join',
    `select ${own}, c.name as country from crm.country c right join crm.org o on o.country_code = c.code`,
    [],
  ],
  [
    'a condition on the kept side of an outer join',
    `select ${own}, c.name as country, p.name as city from crm.org o join crm.org p on true left join crm.country c on c.code = o.country_code and o.parent = p.id where p.rank = 0`,
    ['crm.org'],
  ],
  [
    'a recursive with',
    `with recursive up (id, top) as (select id, id from crm.org where parent is null union all select o.id, up.top from crm.org o join up on o.parent = up.id) select ${own}, up.top::text as city from crm.org o join up on up.id = o.id`,
    ['crm.org'],
  ],
  [
    'a cross join',
    `select ${own}, (select string_agg(r.name, ',' order by r.id) from crm.region r) as city from crm.org o`,
    ['crm.region'],
  ],
  [
    'an array of keys',
    `select ${own}, (select count(*)::int from crm.tag t where t.org = any(array[o.id, o.parent])) as employee_count from crm.org o`,
    ['crm.tag'],
  ],
  [
    'odd names',
    `select ${own}, (select max(w."va lue") from crm."we$note$ird ""t" w where w."or""g" = o.id) as city from crm.org o`,
    [],
  ],
  ['partitions', `select ${own}, (select max(p.body) from crm.part p where p.org = o.id) as city from crm.org o`, []],
  [
    'a text that is cast to the key',
    `select ${own}, (select max(m.body) from crm.memo m where m.org::uuid = o.id) as city from crm.org o`,
    [],
  ],
  [
    'a key that is cast to a lookup',
    `select m.id as key, m.body as name, m.id::text as slug, o.name as country from crm.comment m left join crm.org o on o.id = m.subject_id::uuid where m.subject_id like '0%'`,
    ['crm.org'],
  ],
  [
    'a lookup under a collation without case',
    `select ${own}, w.label as country from crm.org o left join crm.word w on w.word = o.country_code`,
    ['crm.word'],
  ],
  [
    'a lookup without trailing blanks',
    `select p.id as key, p.name, p.id::text as slug, q.id::text as country from crm.place p left join crm.place q on q.iso = p.name`,
    ['crm.place'],
  ],
  [
    'a group of numbers that look different',
    `select p.id as key, min(p.name) as name, p.id::text as slug from crm.place p group by p.id`,
    ['crm.place'],
  ],
  [
    'a table that inherits from another',
    `select s.id as key, s.name, s.id::text as slug, o.name as country, s.badge as employee_count from crm.staff s left join crm.org o on o.id = s.parent`,
    [],
  ],
  [
    'a key that the inherited table lacks',
    `select s.badge as key, min(s.name) as name, s.badge::text as slug from crm.staff s group by s.badge`,
    ['crm.base'],
  ],
  [
    'a table and one that inherits from it',
    `select ${own}, (select count(*)::int from crm.base b where b.parent = o.id) as employee_count, (select sum(s.badge)::text from crm.staff s where s.parent = o.id) as city from crm.org o`,
    [],
  ],
  ['a whole row', `select ${own}, to_jsonb(o) ->> 'seen' as city from crm.org o`, []],
];

beforeAll(async () => {
  await client.connect();
  await client.query(schema);
});

async function show(select: string): Promise<void> {
  await client.query('drop schema if exists search_source cascade');
  await client.query(`create schema search_source; create view search_source.companies as ${select}`);
  await migrate(database.url, () => undefined);
  await runScript(client, await triggerScript(client));
}

async function rowsByKey(): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ key: readonly string[]; row: string }>(
    `select array_remove(array[to_jsonb(s) ->> 'key', to_jsonb(s) ->> 'key1', to_jsonb(s) ->> 'key2'], null) as key,
            to_jsonb(s)::text as row
     from search_source.companies s where coalesce(to_jsonb(s) ->> 'key', to_jsonb(s) ->> 'key1') is not null order by row`,
  );
  const found = new Map<string, string>();
  for (const { key, row } of rows) found.set(JSON.stringify(key), (found.get(JSON.stringify(key)) ?? '') + row);
  return found;
}

async function notesSince(seq: string): Promise<readonly Note[]> {
  const { rows } = await client.query<Note>(
    `select xid::text as xid, seq, what, entity, columns, keys from search_changes where kind = 'sources' and seq > $1 order by seq`,
    [seq],
  );
  return rows;
}

test.each(rotated('shapes of views', views, 2).tried)(
  '%s: every entity that is shown differently is found',
  async (title, select, unknown) => {
    await show(select);
    const derived = await deriveSources(client);
    const all = derived.filter(({ derivations }) => derivations.some(({ statement }) => statement === null));
    expect(all.map(({ table }) => table.quoted)).toEqual(unknown);
    await client.query(filled);
    const draw = seededRandom(110 + views.findIndex(([name]) => name === title)).whole;
    const { rows } = await client.query<{ seq: string }>(
      'select coalesce(max(seq), 0)::text as seq from search_changes',
    );
    let seq = rows[0]?.seq ?? '0';
    let before = await rowsByKey();
    let changed = 0;
    for (let turn = 0; turn < 30; turn += 1) {
      const statement = drawStatement(draw);
      // Rows of an outer join may be equal in their keys; statements that also fail without triggers are skipped.
      await client.query(statement).catch((error: unknown) => {
        if (!(error instanceof pg.DatabaseError) || !/^(?:23|21)/.test(error.code ?? '')) throw error;
      });
      const after = await rowsByKey();
      const notes = await notesSince(seq);
      seq = String(notes.at(-1)?.seq ?? seq);
      await client.query('begin');
      const affected = await findAffected(client, notes);
      await client.query('commit');
      const found = new Set([...(affected.keys.get('companies') ?? [])].map((key) => JSON.stringify(key)));
      const different = [...new Set([...before.keys(), ...after.keys()])].filter(
        (key) => before.get(key) !== after.get(key),
      );
      changed += different.length;
      const missed = affected.everything.has('companies') ? [] : different.filter((key) => !found.has(key));
      expect({ statement, missed }).toEqual({ statement, missed: [] });
      before = after;
    }
    expect(changed).toBeGreaterThan(0);
  },
);
