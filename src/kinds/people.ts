import { z } from 'zod';
import { instant } from '../lib/wire-schema.ts';
import { documentParts, entityId, type Kind, links, location, reference, type SearchFields } from './kind.ts';
import { beginning, handles, hashOfValues, jsonObject, kindSql, listed, ownProminence, present, texts } from './sql.ts';

export const role = z.strictObject({
  title: z.string().nullable(),
  organisation: z.string().nullable(),
  detail: z.string().nullable(),
  /** The organisation if it is one of our companies. */
  company: z.strictObject({ id: entityId, name: z.string(), slug: z.string() }).nullable(),
});

export const personRecord = z.strictObject({
  id: entityId,
  name: z.string(),
  slug: z.string(),
  logo: z.string().nullable(),
  headline: z.string().nullable(),
  overview: z.string().nullable(),
  roles: z.array(role),
  /** Slugs of companies: their present ones if we have the company, otherwise those of the source. */
  companies: z.array(z.string()),
  /** Names of the same companies in the same order. For a company that we don't have, only the slug is known. */
  company_references: z.array(reference),
  /** Slugs of events, chosen in the same way. */
  events: z.array(z.string()),
  event_references: z.array(reference),
  proposals: z.array(z.string()),
  tags: z.array(z.string()),
  aliases: z.array(z.string()),
  location_json: location.nullable(),
  links,
  updated_at: instant,
});
export type PersonRecord = z.infer<typeof personRecord>;

const proposals = texts('p.proposals');
const tags = texts('p.tags');

const roleFields = { title: 'r.title', organisation: 'coalesce(k.name, r.organisation)', detail: 'r.detail' };
const ownCompany = { id: 'k.id', name: 'k.name', slug: 'k.slug' };
const roleJson = jsonObject({
  ...roleFields,
  company: `case when k.id is null then null else ${jsonObject(ownCompany)} end`,
} satisfies Record<keyof z.infer<typeof role>, string>);
const roleHash = hashOfValues([...Object.values(roleFields), ...Object.values(ownCompany)]);

function referencesTo(alias: string, assertedSlug: string): string {
  const fields = { id: `${alias}.id`, name: `coalesce(${alias}.name, ${assertedSlug})`, slug: `${alias}.slug` };
  return `coalesce(json_agg(${jsonObject(fields)} order by a.position), '[]') as body,
           array_agg(${hashOfValues(Object.values(fields))} order by a.position) as body_hashes`;
}

const from = `people p
  cross join lateral (
    select coalesce(json_agg(${roleJson} order by r.position), '[]') as body,
           array_agg(${roleHash} order by r.position) as body_hashes,
           coalesce(array_remove(array_agg(distinct k.name) || array_agg(distinct r.organisation), null), '{}') as organisations,
           coalesce(array_agg(concat_ws(' ', r.title, r.detail) order by r.position) filter (where r.title is not null or r.detail is not null), '{}') as texts
    from roles r left join companies k on k.id = r.company_id
    where r.person_id = p.id
  ) as held
  cross join lateral (
    select coalesce(array_agg(coalesce(k.slug, a.company_slug) order by a.position), '{}') as slugs,
           ${referencesTo('k', 'a.company_slug')}
    from person_companies a left join companies k on k.id = a.company_id
    where a.person_id = p.id
  ) as employers
  cross join lateral (
    select coalesce(array_agg(coalesce(e.slug, a.event_slug) order by a.position), '{}') as slugs,
           ${referencesTo('e', 'a.event_slug')}
    from event_people a left join events e on e.id = a.event_id
    where a.person_id = p.id
  ) as attended
  cross join lateral (
    select array(
      select r.company_id from roles r where r.person_id = p.id and r.company_id is not null
      union
      select a.company_id from person_companies a where a.person_id = p.id and a.company_id is not null
      order by 1
    ) as company_ids
  ) as connected`;

const record = {
  roles: 'held.body',
  companies: 'employers.slugs',
  company_references: 'employers.body',
  events: 'attended.slugs',
  event_references: 'attended.body',
} satisfies Partial<Record<keyof PersonRecord, string>>;

const search = {
  names: `array[p.name] || ${texts('p.aliases')}`,
  ids: `${handles('p')} || ${proposals}`,
  proposals,
  series: `array(
    select series || ':' || count(*)
    from unnest(${proposals}) as proposal cross join lateral lower(split_part(proposal, '-', 1)) as series
    group by series order by 1
  )`,
  tags,
  // A headline of few words is often the name of an organisation.
  relations: `held.organisations || employers.slugs || attended.slugs ||
    case when p.headline ~ '^\\S+(\\s\\S+){0,2}$' then array[p.headline] else '{}' end`,
  company_ids: 'connected.company_ids',
  short: `${present('p.headline')} || held.texts`,
  kind_words: "'person'",
  popularity: `${ownProminence('p', false)} + cardinality(attended.slugs) + cardinality(${proposals}) / 2`,
  size: `cardinality(${proposals})`,
} satisfies Partial<Record<keyof SearchFields, string>>;

const roleTexts = beginning(
  `(
    select string_agg(concat_ws(' ', r.title, r.detail), ', ' order by r.position)
    from roles r
    where r.person_id = p.id
  )`,
  500,
);
const knownTexts = [beginning('p.headline', 300), roleTexts, listed(tags), beginning('p.overview', 600)];
// Names of people and organisations are left out: they reveal little about the work, and models read meaning into them.
const textParts = [`coalesce(nullif(concat_ws(e'\\n', ${knownTexts.join(', ')}), ''), ${beginning('p.name', 200)})`];

export const people: Kind = {
  name: 'people',
  singular: 'Person',
  noun: 'person',
  words:
    'person people author authors speaker speakers researcher researchers expert experts developer developers engineer engineers designer designers scientist scientists work works working proposal proposals crypto blockchain web3 ecosystem onchain network',
  exampleIdentifier: 'anneke-jaskellis',
  record: personRecord,
  document: personRecord.extend(documentParts),
  itemFields: Object.keys(personRecord.shape).filter(
    (field) => field !== 'updated_at' && !field.endsWith('_references'),
  ),
  sql: kindSql({ kind: 'people', alias: 'p', schema: personRecord, from, record, search, texts: textParts }),
  relations: [
    { table: 'roles', id: 'person_id', other: 'companies', otherId: 'company_id', mutual: false },
    { table: 'person_companies', id: 'person_id', other: 'companies', otherId: 'company_id', mutual: false },
    { table: 'event_people', id: 'person_id', other: 'events', otherId: 'event_id', mutual: false },
  ],
};
