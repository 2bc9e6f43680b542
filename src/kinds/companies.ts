import { z } from 'zod';
import { instant } from '../lib/wire-schema.ts';
import {
  calendarDate,
  documentParts,
  entityId,
  type Kind,
  links,
  location,
  money,
  reference,
  type SearchFields,
} from './kind.ts';
import {
  beginning,
  handles,
  hashOfValues,
  hosts,
  jsonObject,
  kindSql,
  listed,
  ownProminence,
  present,
  texts,
  writableDate,
} from './sql.ts';

export const companyRecord = z.strictObject({
  id: entityId,
  name: z.string(),
  slug: z.string(),
  logo: z.string().nullable(),
  tagline: z.string().nullable(),
  overview: z.string().nullable(),
  total_employees: z.int().nonnegative().nullable(),
  employee_count: z.int().nonnegative().nullable(),
  year_founded: z.int().nullable(),
  founded_date: calendarDate.nullable(),
  website: z.string().nullable(),
  tags: z.array(z.string()),
  location_json: location.nullable(),
  company_stage: z.string().nullable(),
  funding_stage: z.string().nullable(),
  total_funding_usd: money.nullable(),
  is_verified: z.boolean().nullable(),
  aliases: z.array(z.string()),
  former_names: z.array(z.string()),
  tickers: z.array(z.string()),
  ecosystems: z.array(z.string()),
  investors: z.array(z.string()),
  /** The investors, each with id, name and slug. */
  investor_references: z.array(reference),
  links,
  updated_at: instant,
});
export type CompanyRecord = z.infer<typeof companyRecord>;

const foundingYear = `coalesce(c.year_founded, extract(year from ${writableDate('c.founded_date')})::int)`;
const tags = texts('c.tags');
const ecosystems = texts('c.ecosystems');

const backer = { id: 'i.id', name: 'coalesce(i.name, v.investor_name)', slug: 'i.slug' };

// The company's own assertions come first, then those of investors' files. A name is listed once, even if both sides
// assert it or several investors have it. A bare name gives way to references to investors with that name. Postgres
// sorts this for each document. One order for the group, the window and all lists leaves two sorts. References are
// built within, because Postgres does not sort filtered expressions along with the rest.
const from = `companies c
  cross join lateral (
    select coalesce(array_agg(n.name order by n.first, n.name, n.id) filter (where n.id is not distinct from n.leader), '{}') as names,
           coalesce(array_agg(n.id order by n.first, n.name, n.id) filter (where n.id is not null), '{}') as ids,
           coalesce(
             json_agg(n.reference order by n.first, n.name, n.id) filter (where n.id is not null or n.leader is null),
             '[]'
           ) as body,
           array_agg(n.hash order by n.first, n.name, n.id) filter (where n.id is not null or n.leader is null) as body_hashes
    from (
      select i.id, coalesce(i.name, v.investor_name) as name,
             ${jsonObject(backer)} as reference,
             ${hashOfValues(Object.values(backer))} as hash,
             min(i.id) over called as leader,
             min(min((v.asserted_by <> 'companies')::int * 1000000::bigint + v.position)) over called as first
      from investments v left join investors i on i.id = v.investor_id
      where v.company_id = c.id
      group by 2, 1, i.slug
      window called as (partition by coalesce(i.name, v.investor_name))
    ) as n
  ) as backers`;

const record = {
  total_employees: 'c.employee_count',
  year_founded: foundingYear,
  total_funding_usd: "nullif(c.total_funding_usd, 'NaN')::text",
  investors: 'backers.names',
  investor_references: 'backers.body',
} satisfies Partial<Record<keyof CompanyRecord, string>>;

const search = {
  names: `array[c.name] || ${texts('c.aliases')} || ${texts('c.former_names')}`,
  ids: `${texts('c.tickers')} || ${handles('c')} || ${hosts('c.website')}`,
  year: present(`(${foundingYear})::text`),
  tags: `${tags} || ${ecosystems}`,
  relations: 'backers.names',
  investor_ids: 'backers.ids',
  short: present('c.tagline'),
  kind_words: "'company'",
  popularity: `${ownProminence('c', true)} + 2 * cardinality(backers.names)`,
  size: 'cardinality(backers.names)',
} satisfies Partial<Record<keyof SearchFields, string>>;

// Ecosystems are left out: sharing a chain doesn't make companies similar.
const textParts = [beginning('c.name', 200), beginning('c.tagline', 300), listed(tags), beginning('c.overview', 600)];

export const companies: Kind = {
  name: 'companies',
  singular: 'Company',
  noun: 'company',
  words:
    'company companies startup startups project projects protocol protocols platform platforms app apps tool tools crypto blockchain web3 ecosystem onchain network',
  exampleIdentifier: 'plover-spire',
  record: companyRecord,
  document: companyRecord.extend(documentParts),
  itemFields: [
    'id',
    'name',
    'slug',
    'logo',
    'overview',
    'total_employees',
    'year_founded',
    'website',
    'tags',
    'location_json',
  ] satisfies (keyof CompanyRecord)[],
  sql: kindSql({ kind: 'companies', alias: 'c', schema: companyRecord, from, record, search, texts: textParts }),
  relations: [
    { table: 'company_investors', id: 'company_id', other: 'investors', otherId: 'investor_id', mutual: true },
  ],
};
