import { z } from 'zod';
import { instant } from '../lib/wire-schema.ts';
import { documentParts, entityId, type Kind, links, location, reference, type SearchFields } from './kind.ts';
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
} from './sql.ts';

export const investorRecord = z.strictObject({
  id: entityId,
  name: z.string(),
  slug: z.string(),
  logo: z.string().nullable(),
  overview: z.string().nullable(),
  website: z.string().nullable(),
  investor_type: z.string().nullable(),
  investment_focus: z.array(z.string()),
  investment_stages: z.array(z.string()),
  ticket_size: z.string().nullable(),
  portfolio_companies: z.array(reference),
  portfolio_count: z.int().nonnegative(),
  location_json: location.nullable(),
  aliases: z.array(z.string()),
  links,
  updated_at: instant,
});
export type InvestorRecord = z.infer<typeof investorRecord>;

const focus = texts('i.investment_focus');
const stages = texts('i.investment_stages');

const company = { id: 'n.id', name: 'n.name', slug: 'n.slug' };

// The investor's own assertions come first, then those of companies' files. A company that both assert is shown once.
const from = `investors i
  cross join lateral (
    select coalesce(json_agg(${jsonObject(company)} order by n.place, n.name), '[]') as body,
           array_agg(${hashOfValues(Object.values(company))} order by n.place, n.name) as body_hashes,
           coalesce(array_agg(distinct n.name) || array_agg(distinct n.asserted_name), '{}') as names,
           coalesce(array_agg(n.id order by n.id) filter (where n.id is not null), '{}') as ids,
           count(*)::int as size,
           count(*) filter (where n.by_company)::int as named
    from (
      select k.id, coalesce(k.name, v.company_name) as name, k.slug,
             min((v.asserted_by <> 'investors')::int * 1000000::bigint + v.position) as place,
             min(v.company_name) filter (where v.company_name <> k.name) as asserted_name,
             bool_or(v.asserted_by = 'companies') as by_company
      from investments v left join companies k on k.id = v.company_id
      where v.investor_id = i.id
      group by 1, 2, 3
    ) as n
  ) as portfolio`;

const record = {
  portfolio_companies: 'portfolio.body',
  portfolio_count: 'portfolio.size',
} satisfies Partial<Record<keyof InvestorRecord, string>>;

const search = {
  names: `array[i.name] || ${texts('i.aliases')}`,
  ids: `${handles('i')} || ${hosts('i.website')}`,
  tags: `${focus} || ${stages} || ${present('i.investor_type')}`,
  // Both their present names and those at the time of the investment.
  relations: 'array_remove(portfolio.names, null)',
  company_ids: 'portfolio.ids',
  kind_words: "'investor'",
  popularity: `${ownProminence('i', true)} + 2 * portfolio.named + portfolio.size / 3`,
  size: 'portfolio.size',
} satisfies Partial<Record<keyof SearchFields, string>>;

const textParts = [
  beginning('i.name', 200),
  'i.investor_type',
  listed(`${focus} || ${stages}`),
  beginning('i.overview', 600),
];

export const investors: Kind = {
  name: 'investors',
  singular: 'Investor',
  noun: 'investor',
  words:
    'investor investors fund funds vc backer backers who invested invest backed crypto blockchain web3 ecosystem onchain network firm firms investment',
  exampleIdentifier: 'lummiuna-equity',
  record: investorRecord,
  document: investorRecord.extend(documentParts),
  itemFields: Object.keys(investorRecord.shape).filter((field) => field !== 'updated_at'),
  sql: kindSql({ kind: 'investors', alias: 'i', schema: investorRecord, from, record, search, texts: textParts }),
  relations: [
    { table: 'investor_portfolio', id: 'investor_id', other: 'companies', otherId: 'company_id', mutual: true },
  ],
};
