import type { Draw } from './draw.ts';

// A random schema `crm` of a team, with the features of real ones: keys of all sorts, soft delete, children and lookups
// with and without foreign keys, a polymorphic child, a partitioned table and nested views. Views over it show two
// kinds and their relation.

/** The key of a table, and how other tables refer to it. */
export interface Key {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Returns the literals of the n-th key. */
  values(n: number): readonly string[];
}

export interface RandomSchema {
  readonly tables: string;
  readonly views: string;
  readonly org: Key;
  readonly person: Key;
  readonly country: Key;
  /** True if rows of `crm.startup` are companies, too. */
  readonly hasUnion: boolean;
  readonly isPartitioned: boolean;
}

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;
const single = (type: string, value: (n: number) => string): Key => ({
  columns: [{ name: 'id', type }],
  values: (n) => [value(n)],
});

const keys = {
  uuid: single('uuid', (n) => `'00000000-0000-4000-8000-${String(n).padStart(12, '0')}'`),
  integer: single('integer', String),
  bigint: single('bigint', (n) => String(5_000_000_000 + n)),
  text: single('text', (n) => text(`k ${n}"{,'é\\$note$%I`)),
  varchar: single('varchar(30)', (n) => text(`v${n}`)),
  char: single('char(6)', (n) => text(`c${n}`)),
  bits: single('bit(12)', (n) => `${n}::bit(12)`),
  domain: single('crm.code', (n) => text(`d${n}`)),
  // Its text depends on the settings of a session.
  date: single('date', (n) => `date '2026-01-01' + ${n}`),
  composite: {
    columns: [
      { name: 'part', type: 'integer' },
      { name: 'Serial No', type: 'text' },
    ],
    values: (n) => [String(1 + (n % 3)), text(`s${n}`)],
  },
} satisfies Record<string, Key>;

const quoted = (name: string): string => (/^[a-z_0-9]+$/.test(name) ? name : `"${name}"`);

/** Returns the names of a key's columns in its own table or, with a prefix, in a referring one. */
export function columnsOf({ columns }: Key, prefix = ''): readonly string[] {
  return columns.map(({ name }) => quoted(`${prefix}${name}`));
}

/** A row of the columns, or one column. */
const tuple = (columns: readonly string[], alias: string): string =>
  `(${columns.map((column) => `${alias}.${column}`).join(', ')})`;

const joined = (key: Key, alias: string, from: string, prefix: string): string =>
  `${tuple(columnsOf(key), alias)} = ${tuple(columnsOf(key, prefix), from)}`;

const textOf = (key: Key, alias: string): string =>
  key.columns.length === 1
    ? `${tuple(columnsOf(key), alias)}::text`
    : columnsOf(key)
        .map((column) => `${alias}.${column}::text`)
        .join(` || '/' || `);

function referring(key: Key, prefix: string): string {
  return key.columns.map(({ name, type }) => `${quoted(prefix + name)} ${type}`).join(', ');
}

const foreignKey = (key: Key, prefix: string, table: string, rule: string): string =>
  `, foreign key (${columnsOf(key, prefix).join(', ')}) references ${table} ${rule}`;

const onParent = ['on delete cascade on update cascade', 'on delete cascade', ''] as const;

export function drawSchema(draw: Draw): RandomSchema {
  const entityKeys = [
    keys.uuid,
    keys.integer,
    keys.bigint,
    keys.text,
    keys.varchar,
    keys.char,
    keys.bits,
    keys.domain,
    keys.date,
    keys.composite,
  ] as const;
  const org = draw.one(entityKeys);
  const person = draw.one(entityKeys);
  const country = draw.one([keys.text, keys.integer]);
  const hasUnion = draw.once(4);
  const isPartitioned = org === keys.composite && draw.once(2);
  const link = (key: Key, prefix: string, table: string, rules: readonly [string, ...string[]]): string =>
    draw.once(3) ? '' : foreignKey(key, prefix, table, draw.one(rules));
  const primary = (key: Key): string => `primary key (${columnsOf(key).join(', ')})`;
  const onPublication = draw.one(['', `, primary key (${columnsOf(org, 'org_').join(', ')})`]);
  const tables = `
    create schema crm;
    create domain crm.letters as varchar(20) check (value <> '');
    create domain crm.code as crm.letters check (value like 'd%');
    create table crm.region (id integer primary key, name text);
    create table crm.country (${referring(country, '')}, name text, region_id integer ${draw.once(2) ? 'references crm.region' : ''}, ${primary(country)});
    create table crm.org (${referring(org, '')}, name text, handle text, deleted_at timestamptz, profile json,
      last_seen timestamptz, ${referring(country, 'country_')}, ${primary(org)}
      ${link(country, 'country_', 'crm.country', ['on delete set null on update cascade', ''])})
      ${isPartitioned ? 'partition by list (part)' : ''};
    ${isPartitioned ? 'create table crm.org_1 partition of crm.org for values in (1); create table crm.org_2 partition of crm.org for values in (2);' : ''}
    create table crm.startup (id bigint primary key, name text);
    create table crm.person (${referring(person, '')}, full_name text, deleted_at timestamptz, ${primary(person)});
    create table crm.job (id integer generated always as identity primary key, ${referring(person, 'person_')},
      ${referring(org, 'org_')}, title text, deleted_at timestamptz
      ${link(person, 'person_', 'crm.person', onParent)}
      ${link(org, 'org_', 'crm.org', ['on delete set null on update cascade', ...onParent])});
    create table crm.tag (${referring(org, 'org_')}, tag text ${link(org, 'org_', 'crm.org', onParent)});
    create table crm.comment (id integer generated always as identity primary key, subject_type text, subject_id text, body text);
    create table crm.publication (${referring(org, 'org_')}, state text ${onPublication});`;
  const shape = { org, person, country, hasUnion };
  return { tables, views: viewsText(draw, shape), ...shape, isPartitioned };
}

type Shape = Pick<RandomSchema, 'org' | 'person' | 'country' | 'hasUnion'>;

/** Returns the columns with an entity's key. An integer may be the id itself. */
function keyColumns(key: Key, alias: string, prefix: string, name: string, isId: boolean): string {
  const columns = columnsOf(key, prefix);
  if (isId && columns.length === 1) return `${alias}.${columns[0]} as ${name.replace(/key$/, 'id')}`;
  return columns.map((column, at) => `${alias}.${column} as ${name}${columns.length === 1 ? '' : at + 1}`).join(', ');
}

const isWholeNumber = ({ columns: [column] }: Key): boolean => column?.type === 'integer' || column?.type === 'bigint';

function viewsText(draw: Draw, { org, person, country, hasUnion }: Shape): string {
  const isOrgId = !hasUnion && isWholeNumber(org) && draw.once(2);
  const isPersonId = isWholeNumber(person) && draw.once(2);
  const source = draw.once(2) ? 'crm.live_org' : 'crm.org';
  const tags = draw.one([
    `(select array_agg(distinct t.tag order by t.tag) from crm.tag t where ${joined(org, 'o', 't', 'org_')})`,
    `array(select t.tag from crm.tag t where ${joined(org, 'o', 't', 'org_')} order by t.tag)`,
    'grouped.tags',
  ]);
  const grouped = `left join (select ${columnsOf(org, 'org_').join(', ')}, array_agg(tag order by tag) as tags from crm.tag
    group by ${columnsOf(org, 'org_').join(', ')}) as grouped on ${joined(org, 'o', 'grouped', 'org_')}`;
  const comments = `(select string_agg(m.body, ' ' order by m.id) from crm.comment m
    where m.subject_type = 'org' and m.subject_id = ${textOf(org, 'o')})`;
  const conditions = [
    'true',
    ...(draw.once(2) ? [] : ['o.deleted_at is null']),
    ...(draw.once(3)
      ? [`exists (select from crm.publication p where ${joined(org, 'o', 'p', 'org_')} and p.state = 'public')`]
      : []),
  ];
  const joins = draw.one(['left join', 'left join', 'join']);
  const unionKey = `'o' || ${textOf(org, 'o')}`;
  const companies = `
    select ${hasUnion ? `${unionKey} as key` : keyColumns(org, 'o', '', 'key', isOrgId)}, o.name,
      'c-' || ${textOf(org, 'o')} as slug, ${draw.one([comments, `o.handle`, 'null::text'])} as tagline,
      ${tags} as tags, c.name as country, g.name as overview
    from ${source} o ${joins} crm.country c on ${joined(country, 'c', 'o', 'country_')}
    left join crm.region g on g.id = c.region_id ${tags === 'grouped.tags' ? grouped : ''}
    where ${conditions.join(' and ')}`;
  const startups = `select 's' || s.id, s.name, 's-' || s.id, null, null, null, null from crm.startup s`;
  const people = draw.one([
    'true',
    'p.deleted_at is null',
    `exists (select from crm.job j where ${joined(person, 'p', 'j', 'person_')})`,
    `p.deleted_at is null and (select count(*) from crm.job j where ${joined(person, 'p', 'j', 'person_')} and j.deleted_at is null) > 0`,
  ]);
  const roles = draw.one([
    'from crm.job j',
    'from crm.job j where j.deleted_at is null',
    `from crm.job j join crm.person p on ${joined(person, 'p', 'j', 'person_')} where p.deleted_at is null`,
    `from crm.job j left join crm.org o on ${joined(org, 'o', 'j', 'org_')} where o.deleted_at is null`,
  ]);
  const companyKey = hasUnion
    ? `'o' || ${columnsOf(org, 'org_')
        .map((column) => `j.${column}::text`)
        .join(` || '/' || `)} as company_key`
    : keyColumns(org, 'j', 'org_', 'company_key', isOrgId);
  return `
    create view crm.live_org as select * from crm.org where deleted_at is null;
    create view search_source.companies as ${companies} ${hasUnion ? `union all ${startups}` : ''};
    create view search_source.people as select ${keyColumns(person, 'p', '', 'key', isPersonId)}, p.full_name as name,
      'p-' || ${textOf(person, 'p')} as slug from crm.person p where ${people};
    create view search_source.roles as
      select ${keyColumns(person, 'j', 'person_', 'person_key', isPersonId)}, ${companyKey}, j.id as position, j.title ${roles};`;
}
