import { Client } from '@elastic/elasticsearch';
import pg from 'pg';
import Cursor from 'pg-cursor';
import { z } from 'zod';
import type { CompanyDocument } from '../../../src/kinds/companies.ts';
import { kinds } from '../../../src/kinds/registry.ts';

/**
 * The way an index is usually filled: rows through a cursor, made into documents in Node, sent by the official client's
 * helper with its own settings. DATABASE_URL and ELASTICSEARCH_URL in the environment; the index as argument.
 */
const env = z.object({ DATABASE_URL: z.url(), ELASTICSEARCH_URL: z.url() }).parse(process.env);
const [, , index = ''] = process.argv;
const rowsPerRead = 1_000;

interface CompanyRow {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly logo: string | null;
  readonly tagline: string | null;
  readonly overview: string | null;
  readonly employee_count: number | null;
  readonly year_founded: number | null;
  readonly founded_date: string | null;
  readonly website: string | null;
  readonly tags: readonly string[];
  readonly city: string | null;
  readonly country: string | null;
  readonly company_stage: string | null;
  readonly funding_stage: string | null;
  readonly total_funding_usd: string | null;
  readonly is_verified: boolean | null;
  readonly aliases: readonly string[];
  readonly former_names: readonly string[];
  readonly tickers: readonly string[];
  readonly ecosystems: readonly string[];
  readonly links: Readonly<Record<string, string>>;
  readonly sources: readonly unknown[];
  readonly updated_at: Date;
  readonly backer_names: readonly string[];
  readonly backer_ids: readonly string[];
  readonly backer_references: CompanyDocument['investor_references'];
}

function present(...values: readonly (string | null | undefined)[]): string[] {
  return values.filter((value) => value !== null && value !== undefined && value !== '').map(String);
}

function handlesOf(links: CompanyRow['links']): string[] {
  return present(
    ...Object.values(links).map((url) =>
      url
        .replace(/[/?#]+$/, '')
        .split('/')
        .at(-1)
        ?.replace(/^@+/, ''),
    ),
  );
}

function hostsOf(website: string | null): string[] {
  const host = website === null ? undefined : URL.parse(website)?.hostname;
  return present(host?.replace(/^www\./, ''));
}

/** The document as the project's own SQL makes it, but for its hash. */
function documentOf(row: CompanyRow): Omit<CompanyDocument, 'hash'> {
  const year = row.year_founded ?? (row.founded_date === null ? null : Number(row.founded_date.slice(0, 4)));
  const location_json = row.city === null && row.country === null ? null : { city: row.city, country: row.country };
  const website = row.website === null ? 0 : 1;
  return {
    id: Number(row.id),
    name: row.name,
    slug: row.slug,
    logo: row.logo,
    tagline: row.tagline,
    overview: row.overview,
    total_employees: row.employee_count,
    employee_count: row.employee_count,
    year_founded: year,
    founded_date: row.founded_date,
    website: row.website,
    tags: [...row.tags],
    location_json,
    company_stage: row.company_stage,
    funding_stage: row.funding_stage,
    total_funding_usd: row.total_funding_usd,
    is_verified: row.is_verified,
    aliases: [...row.aliases],
    former_names: [...row.former_names],
    tickers: [...row.tickers],
    ecosystems: [...row.ecosystems],
    investors: [...row.backer_names],
    investor_references: row.backer_references,
    links: { ...row.links },
    updated_at: row.updated_at.toISOString(),
    search: {
      names: [row.name, ...row.aliases, ...row.former_names],
      ids: [...row.tickers, ...handlesOf(row.links), ...hostsOf(row.website)],
      proposals: [],
      city: present(row.city?.split(',')[0]?.trim(), row.country),
      place: present(row.city, row.country),
      year: present(year === null ? null : String(year)),
      tags: [...row.tags, ...row.ecosystems],
      relations: [...row.backer_names],
      company_ids: [],
      investor_ids: row.backer_ids.map(Number),
      short: present(row.tagline),
      kind_words: 'company',
      popularity: 3 * row.sources.length + Object.keys(row.links).length + website + 2 * row.backer_names.length,
    },
  };
}

const database = new pg.Client({ connectionString: env.DATABASE_URL });
// Dates as they are written; a Date would move with the time zone.
database.setTypeParser(pg.types.builtins.DATE, String);
await database.connect();
await database.query('set jit = off');

async function* documents() {
  const sql = `select c.*, backers.names as backer_names, backers.ids as backer_ids, backers.body as backer_references
    from ${kinds.companies.sql.from} order by c.id`;
  const cursor = database.query(new Cursor<CompanyRow>(sql));
  for (let rows = await cursor.read(rowsPerRead); rows.length > 0; rows = await cursor.read(rowsPerRead)) {
    for (const row of rows) yield documentOf(row);
  }
}

const elasticsearch = new Client({ node: env.ELASTICSEARCH_URL });
const cpuBefore = process.cpuUsage();
const startedMs = performance.now();
const result = await elasticsearch.helpers.bulk({
  datasource: documents(),
  onDocument: ({ id }) => ({ index: { _index: index, _id: String(id) } }),
  refreshOnCompletion: index,
  onDrop: ({ error }) => {
    throw new Error(`a document was refused: ${JSON.stringify(error)}`);
  },
});
const seconds = (performance.now() - startedMs) / 1_000;
const { user, system } = process.cpuUsage(cpuBefore);
const cpuSeconds = (user + system) / 1e6;
process.stdout.write(`${JSON.stringify({ seconds, cpuSeconds, documents: result.successful })}\n`);
await database.end();
await elasticsearch.close();
