import type { KindName } from '../../../../src/kinds/kind.ts';
import type { RemovalPlace } from '../../../../src/records/ports.ts';
import type { WriteStep } from '../schedule/step.ts';

// Tables of a team's own, and the views over them: soft delete, a lookup without a foreign key, a polymorphic child, a
// composite key in a partitioned table, and people who exist while they have a job.

export const teamSchema = `
  create schema crm;
  create table crm.country (code text primary key, name text);
  create table crm.org (part int, no int, name text, handle text, deleted_at timestamptz, country_code text,
    primary key (part, no)) partition by list (part);
  create table crm.org_0 partition of crm.org for values in (0);
  create table crm.org_1 partition of crm.org for values in (1);
  create table crm.comment (subject_type text, subject_id text, body text, primary key (subject_type, subject_id));
  create table crm.person (id int primary key, full_name text, deleted_at timestamptz);
  create table crm.job (id int generated always as identity primary key,
    person_id int references crm.person on delete cascade, org_part int, org_no int, title text);
  create index on crm.job (person_id);
  create index on crm.job (org_part, org_no);

  create schema search_source;
  create view crm.live_org as select * from crm.org where deleted_at is null;
  create view search_source.companies as
  select o.part as key1, o.no as key2, o.name, coalesce(o.handle, 'org-' || o.part || '-' || o.no) as slug,
         c.name as country,
         (select m.body from crm.comment m where m.subject_type = 'org' and m.subject_id = o.no::text) as overview
  from crm.live_org o left join crm.country c on c.code = o.country_code;
  create view search_source.people as
  select p.id as key, p.full_name as name, 'person-' || p.id as slug from crm.person p
  where p.deleted_at is null and exists (select from crm.job j where j.person_id = p.id);
  create view search_source.roles as
  select j.person_id as person_key, j.id as position, j.title, j.org_part as company_key1, j.org_no as company_key2
  from crm.job j;`;

/** @param rows the number of companies and people. Country 0 doesn't exist yet. */
export const teamRows = (rows: number): string => `
  insert into crm.country values ('c1', 'Country 1'), ('c2', 'Country 2');
  insert into crm.org (part, no, name, country_code)
  select n % 2, n, 'Org ' || n, 'c' || n % 3 from generate_series(1, ${rows}) as n;
  insert into crm.person select n, 'Person ' || n from generate_series(1, ${rows}) as n;
  insert into crm.job (person_id, org_part, org_no, title)
  select n, n % 2, n, 'Founder' from generate_series(1, ${rows}) as n;`;

type Statement = readonly [text: string, ...values: readonly (string | number)[]];

const org = '(part, no) = ($1::int % 2, $1::int)';

/** The statements of a step on a team's tables, each with its values. */
export function teamStatements(step: WriteStep, word: string): readonly Statement[] {
  switch (step.do) {
    case 'insert':
      if (step.kind === 'companies') {
        return [
          [
            `insert into crm.org (part, no, name, country_code) values ($1::int % 2, $1, $2, 'c' || $1::int % 3)`,
            step.id,
            word,
          ],
        ];
      }
      return [
        ['insert into crm.person values ($1, $2)', step.id, word],
        [
          'insert into crm.job (person_id, org_part, org_no, title) values ($1, $1::int % 2, $1::int, $2)',
          step.id,
          word,
        ],
      ];
    case 'update':
    case 'update-unflushed':
      if (step.kind === 'people') return [['update crm.job set title = $2 where person_id = $1', step.id, word]];
      return [
        [
          `insert into crm.comment values ('org', $1::int::text, $2)
           on conflict (subject_type, subject_id) do update set body = excluded.body`,
          step.id,
          word,
        ],
      ];
    case 'update-all':
      return [
        step.kind === 'companies'
          ? ['update crm.comment set body = $1', word]
          : ['update crm.job set title = $1', word],
      ];
    case 'rename':
      return [
        step.kind === 'companies'
          ? [`update crm.org set name = $2 where ${org}`, step.id, word]
          : ['update crm.person set full_name = $2 where id = $1', step.id, word],
      ];
    case 'delete':
      return [
        step.kind === 'companies'
          ? [`delete from crm.org where ${org}`, step.id]
          : ['delete from crm.person where id = $1', step.id],
      ];
    case 'hide':
    case 'show': {
      const time = step.do === 'hide' ? 'now()' : 'null';
      return [
        step.kind === 'companies'
          ? [`update crm.org set deleted_at = ${time} where ${org}`, step.id]
          : [`update crm.person set deleted_at = ${time} where id = $1`, step.id],
      ];
    }
    case 'look-up':
      return [
        [
          `insert into crm.country values ('c' || $1::int % 3, $2) on conflict (code) do update set name = excluded.name`,
          step.id,
          word,
        ],
        [`insert into crm.comment values ('page', $1, 'Dull')`, word],
      ];
    case 'forget':
      return [[`delete from crm.country where code = 'c' || $1::int % 3`, step.id]];
    case 'rekey':
      return [[`update crm.org set no = no + 20, part = (no + 20) % 2 where ${org}`, step.id]];
    case 'attach':
      return [
        ['create table crm.org_2 (like crm.org including all)'],
        [`insert into crm.org_2 (part, no, name) values (2, 1, $1), (2, 2, 'Attached')`, word],
        ['alter table crm.org attach partition crm.org_2 for values in (2)'],
      ];
    case 'truncate':
      return [[step.kind === 'companies' ? 'truncate crm.org' : 'truncate crm.person cascade']];
    case 'relate':
      return [
        [
          'insert into crm.job (person_id, org_part, org_no, title) values ($1, $2::int % 2, $2::int, $3)',
          step.person,
          step.company,
          word,
        ],
      ];
    case 'unrelate':
      return [['delete from crm.job where person_id = $1 and org_no = $2', step.person, step.company]];
    default:
      throw new Error(`A team's tables know no ${step.do}.`);
  }
}

/** The copy that a program keeps by GET /removals. */
interface Copy {
  readonly ids: Set<number>;
  place: RemovalPlace | null;
}

export type Copies = Map<KindName, Copy>;

/** Entities as the team's own views have them, each as JSON: what `entityOf` makes of a document. */
export const teamEntities = {
  companies: `select json_build_array(slug, name, overview, country)::text as entity from search_source.companies`,
  people: `select json_build_array(p.slug, p.name, (
             select json_agg(json_build_array(r.title, c.name) order by r.position) from search_source.roles r
             left join search_source.companies c on (c.key1, c.key2) = (r.company_key1, r.company_key2)
             where r.person_key = p.key))::text as entity
           from search_source.people p`,
};

interface TeamDocument {
  readonly slug: string;
  readonly name: string;
  readonly overview?: string | null;
  readonly location_json?: { readonly country?: string | null } | null;
  readonly roles?: readonly { readonly title: string | null; readonly organisation: string | null }[];
}

export function entityOf(kind: keyof typeof teamEntities, document: TeamDocument): string {
  const { slug, name, overview = null, location_json: place, roles = [] } = document;
  return JSON.stringify(
    kind === 'companies'
      ? [slug, name, overview, place?.country ?? null]
      : [slug, name, roles.map(({ title, organisation }) => [title, organisation])],
  );
}
