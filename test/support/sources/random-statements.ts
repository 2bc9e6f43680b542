import type { Draw } from './draw.ts';
import { columnsOf, type Key, type RandomSchema } from './random-schema.ts';

/** A statement on the schema `crm`. */
export interface Written {
  readonly sql: string;
  /** True if no trigger notes it. */
  readonly isUnnoted?: boolean;
  /** True if it locks a whole table, and so may only be sent outside a transaction. */
  readonly isAlone?: boolean;
}

const orgs = 12;
const people = 8;
const countries = 4;

const listed = (parts: readonly (string | number)[]): string => parts.join(', ');

/** Returns a condition on a row by its key. */
const rowAt = (key: Key, n: number, prefix = ''): string =>
  columnsOf(key, prefix)
    .map((column, at) => `${column} = ${key.values(n)[at]}`)
    .join(' and ');

const assignments = (key: Key, n: number, prefix = ''): string =>
  columnsOf(key, prefix)
    .map((column, at) => `${column} = ${key.values(n)[at]}`)
    .join(', ');

const values = (key: Key, n: number | null): string =>
  listed(n === null ? key.columns.map(() => 'null') : key.values(n));

/** Returns a key's text, as in a polymorphic child. */
const subject = (key: Key, n: number): string =>
  key
    .values(n)
    .map((value) => `(${value})::${key.columns.length === 1 ? key.columns[0]?.type : 'text'}::text`)
    .join(` || '/' || `);

/** Returns the initial rows. With more than 100 companies, bulk updates are not compared row by row. */
export function firstRows(schema: RandomSchema, draw: Draw): readonly string[] {
  const { org, person, country } = schema;
  const many = draw.once(3) ? 150 : orgs;
  const ns = (count: number) => Array.from({ length: count }, (_, n) => n);
  const isThere = (n: number): boolean => !schema.isPartitioned || n % 3 < 2;
  const rows = (count: number, row: (n: number) => string): string =>
    ns(count)
      .filter(() => count > orgs || !draw.once(4))
      .map((n) => `(${row(n)})`)
      .join(', ') || '(null)';
  const insert = (table: string, columns: readonly string[], given: string): string =>
    given === '(null)' ? 'select 1' : `insert into crm.${table} (${listed(columns)}) values ${given}`;
  return [
    `insert into crm.region values (1, 'North'), (2, 'South')`,
    `insert into crm.country (${listed(columnsOf(country))}, name, region_id) values ${ns(countries)
      .map((n) => `(${values(country, n)}, 'Country ${n}', ${1 + (n % 2)})`)
      .join(', ')}`,
    `insert into crm.org (${listed(columnsOf(org))}, name, ${listed(columnsOf(country, 'country_'))}) values ${ns(many)
      .filter(isThere)
      .map((n) => `(${values(org, n)}, 'Org ${n}', ${values(country, n % countries)})`)
      .join(', ')}`,
    insert(
      'person',
      [...columnsOf(person), 'full_name'],
      rows(people, (n) => `${values(person, n)}, 'Person ${n}'`),
    ),
    `insert into crm.publication (${listed(columnsOf(org, 'org_'))}, state) values ${ns(orgs)
      .map((n) => `(${values(org, n)}, 'public')`)
      .join(', ')}`,
    `insert into crm.startup values (1, 'Startup 1'), (2, 'Startup 2')`,
  ];
}

export function drawStatement(schema: RandomSchema, draw: Draw): Written {
  const { org, person, country } = schema;
  const n = draw.below(orgs);
  const p = draw.below(people);
  const c = draw.below(countries);
  const word = `w${draw.below(1_000)}`;
  const some = draw.one([rowAt(org, n), rowAt(org, n), 'true', `name like '%${n}'`]);
  const jobs = draw.one([rowAt(person, p, 'person_'), rowAt(org, n, 'org_'), `id % 2 = 0`]);
  const orgColumns = listed([...columnsOf(org), 'name']);
  const jobColumns = listed([...columnsOf(person, 'person_'), ...columnsOf(org, 'org_'), 'title']);
  const options: readonly [() => string, ...(() => string)[]] = [
    () => `insert into crm.org (${orgColumns}) values (${values(org, n)}, 'Org ${word}')`,
    () => `insert into crm.org (${orgColumns}, ${listed(columnsOf(country, 'country_'))}) values (${values(org, n)}, 'Org ${word}', ${values(country, c)})
           on conflict (${listed(columnsOf(org))}) do update set name = excluded.name`,
    () => `update crm.org set name = '${word}' where ${some}`,
    () => `update crm.org set handle = '${word}', last_seen = now() where ${some}`,
    () => `update crm.org set last_seen = now() where ${some}`,
    () => `update crm.org set deleted_at = ${draw.one(['now()', 'null'])} where ${some}`,
    () => `update crm.org set ${assignments(org, draw.below(orgs + 4))} where ${rowAt(org, n)}`,
    () => `update crm.org set ${assignments(country, c, 'country_')} where ${some}`,
    () => `update crm.org set profile = '{"a": "\\u0000"}' where ${some}`,
    () => `delete from crm.org where ${rowAt(org, n)}`,
    () => `delete from crm.org where name like '%${n}'`,
    () =>
      `insert into crm.country (${listed(columnsOf(country))}, name, region_id) values (${values(country, c + 1)}, '${word}', ${1 + (c % 3)})`,
    () => `update crm.country set name = '${word}', region_id = ${1 + (c % 2)} where ${rowAt(country, c)}`,
    () => `update crm.country set ${assignments(country, c + 1)} where ${rowAt(country, c)}`,
    () => `delete from crm.country where ${rowAt(country, c)}`,
    () => `insert into crm.region values (3, '${word}') on conflict (id) do update set name = excluded.name`,
    () => `delete from crm.region where id = 3`,
    () =>
      `insert into crm.tag (${listed(columnsOf(org, 'org_'))}, tag) values (${values(org, n)}, '${word}'), (${values(org, draw.below(orgs))}, '${word}')`,
    () => `update crm.tag set ${assignments(org, n, 'org_')} where ${rowAt(org, draw.below(orgs), 'org_')}`,
    () => `update crm.tag set tag = tag || 'x'`,
    () => `delete from crm.tag where ${rowAt(org, n, 'org_')}`,
    () =>
      `insert into crm.comment (subject_type, subject_id, body) values ('org', ${draw.one([subject(org, n), subject(org, n), `'none of the keys'`, 'null'])}, '${word}')`,
    () =>
      `update crm.comment set subject_id = ${subject(org, n)}, subject_type = '${draw.one(['org', 'deal'])}' where id % 2 = ${draw.below(2)}`,
    () => `delete from crm.comment where id % 3 = 0`,
    () =>
      `insert into crm.person (${listed([...columnsOf(person), 'full_name'])}) values (${values(person, p)}, 'Person ${word}')`,
    () => `update crm.person set deleted_at = ${draw.one(['now()', 'null'])} where ${rowAt(person, p)}`,
    () => `update crm.person set full_name = '${word}' where ${rowAt(person, p)}`,
    () => `update crm.person set ${assignments(person, draw.below(people + 3))} where ${rowAt(person, p)}`,
    () => `delete from crm.person where ${rowAt(person, p)}`,
    () =>
      `insert into crm.job (${jobColumns}) values (${values(person, p)}, ${values(org, draw.once(4) ? null : n)}, '${word}')`,
    () =>
      `insert into crm.job (${jobColumns}) values (${values(person, p)}, ${values(org, n)}, 'b'), (${values(person, draw.below(people))}, ${values(org, n)}, 'c')`,
    () => `update crm.job set title = '${word}' where ${jobs}`,
    () => `update crm.job set deleted_at = ${draw.one(['now()', 'null'])} where ${jobs}`,
    () => `update crm.job set ${assignments(person, p, 'person_')}, ${assignments(org, n, 'org_')} where ${jobs}`,
    () => `delete from crm.job where ${jobs}`,
    () => `delete from crm.publication where ${rowAt(org, n, 'org_')}`,
    () =>
      `insert into crm.publication (${listed(columnsOf(org, 'org_'))}, state) values (${values(org, n)}, '${draw.one(['public', 'draft'])}')`,
    () => `update crm.publication set state = '${draw.one(['public', 'draft'])}' where ${rowAt(org, n, 'org_')}`,
    () =>
      `insert into crm.startup values (${1 + draw.below(4)}, '${word}') on conflict (id) do update set name = excluded.name`,
    () => `delete from crm.startup where id = ${1 + draw.below(4)}`,
    () => `with gone as (delete from crm.tag where ${rowAt(org, n, 'org_')} returning *), noted as (update crm.org set name = '${word}' where ${rowAt(org, n)} returning 1)
           insert into crm.comment (subject_type, subject_id, body) select 'org', ${subject(org, n)}, tag from gone`,
    () => `merge into crm.org o using (values ('m${word}')) as m (name) on ${rowAt(org, n)}
           when matched and o.deleted_at is not null then delete when matched then update set name = m.name
           when not matched then insert (${orgColumns}) values (${values(org, n)}, m.name)`,
  ];
  return { sql: draw.one(options)() };
}

/** Returns a statement that locks whole tables, or that no trigger sees. */
export function drawRareStatement(schema: RandomSchema, draw: Draw): Written {
  const replica = (): Written => ({
    sql: `set local session_replication_role = replica; ${drawStatement(schema, draw).sql}`,
    isUnnoted: true,
    isAlone: true,
  });
  const attach = (): Written => ({
    sql: `create table if not exists crm.org_3 (like crm.org including all);
          insert into crm.org_3 (part, "Serial No", name) values (3, 's2', 'Attached'), (3, 's5', 'Attached too');
          alter table crm.org attach partition crm.org_3 for values in (3)`,
    isUnnoted: true,
    isAlone: true,
  });
  return draw.one([
    () => ({ sql: `truncate crm.${draw.one(['tag', 'comment', 'job', 'publication'])}`, isAlone: true }),
    () => ({ sql: `truncate crm.${draw.one(['org', 'person', 'country', 'region'])} cascade`, isAlone: true }),
    schema.isPartitioned ? attach : replica,
    replica,
  ])();
}
