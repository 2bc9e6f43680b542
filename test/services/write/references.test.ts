import { writeSample } from '../../../dev/sample/generate.ts';
import type { CompanyRecord } from '../../../src/kinds/companies.ts';
import type { InvestorRecord } from '../../../src/kinds/investors.ts';
import type { KindName } from '../../../src/kinds/kind.ts';
import type { PersonRecord } from '../../../src/kinds/people.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import { selectBodies } from '../../../src/kinds/sql.ts';
import { forFile } from '../../support/for-file.ts';
import { setImportStage } from '../../support/stages/import.ts';

// References of records to entities of other kinds, in the form that links to them, alongside the name fields.

const stage = await forFile(setImportStage());

async function records<Found>(kind: KindName, form: 'record' | 'document' = 'record'): Promise<readonly Found[]> {
  const rows = await stage.rows(`select body from (${selectBodies(kinds[kind].sql, form, '')}) as made order by id`);
  // Made by the kind's own SQL, and parsed by its schema.
  return rows.map(({ body }) => kinds[kind][form].parse(JSON.parse(String(body))) as Found);
}

const entity = (id: number, name: string, more: object = {}) => ({ id, name, slug: `slug-${id}`, ...more });
const ours = (id: number, name: string) => ({ id, name, slug: `slug-${id}` });
const unknown = (name: string) => ({ id: null, name, slug: null });

test('handles are the last parts of links, except for names of repositories', async () => {
  await stage.rows('truncate companies, people, investors, events cascade');
  const links = {
    github: 'https://github.com/alpha-network/chain',
    telegram: 'https://t.me/alpha_chat/',
    twitter: 'https://twitter.com/@alpha',
  };
  stage.files({
    'companies.ndjson': [
      entity(1, 'Alpha', { links }),
      entity(2, 'Beta', { links: { github: 'https://github.com/beta/' } }),
    ],
  });
  expect(await stage.import()).toMatchObject({ code: 0 });
  const found = await records<{ readonly search: { readonly ids: readonly string[] } }>('companies', 'document');
  expect(found.map(({ search }) => search.ids.toSorted())).toEqual([['alpha', 'alpha_chat'], ['beta']]);
});

describe('with a few entities', () => {
  beforeEach(async () => {
    await stage.rows('truncate companies, people, investors, events cascade');
    stage.files({
      'companies.ndjson': [
        entity(1, 'Alpha', { investors: ['Nobody', 'Zebra Fund', 'Twin', 'Ape Fund'] }),
        entity(2, 'Beta'),
        entity(3, 'Gamma'),
      ],
      'investors.ndjson': [
        entity(1, 'Zebra Fund', { portfolio_companies: [{ name: 'Alpha', slug: 'slug-1' }] }),
        entity(2, 'Ape Fund'),
        entity(3, 'Twin', { portfolio_companies: [{ name: 'Alpha', slug: 'slug-1' }] }),
        entity(4, 'Twin', { portfolio_companies: [{ name: 'Alpha', slug: 'slug-1' }] }),
        entity(5, 'Late', { portfolio_companies: [{ name: 'Beta', slug: 'slug-2' }] }),
      ],
      'events.ndjson': [entity(1, 'Summit')],
      'people.ndjson': [entity(1, 'Ann', { companies: ['gone-labs', 'slug-2'], events: ['slug-1', 'gone-fair'] })],
    });
    expect((await stage.import(['--strict'])).code).toBe(0);
  });

  test('a company names its investors in order: known, unknown, two of one name, and those stated only by the investor', async () => {
    const [alpha, beta, gamma] = await records<CompanyRecord>('companies');
    expect(alpha?.investors).toEqual(['Nobody', 'Zebra Fund', 'Twin', 'Ape Fund']);
    expect(alpha?.investor_references).toEqual([
      unknown('Nobody'),
      ours(1, 'Zebra Fund'),
      ours(3, 'Twin'),
      ours(4, 'Twin'),
      ours(2, 'Ape Fund'),
    ]);
    expect(beta).toMatchObject({ investors: ['Late'], investor_references: [ours(5, 'Late')] });
    expect(gamma).toMatchObject({ investors: [], investor_references: [] });
  });

  test('a person names companies and events in order of their slugs', async () => {
    const [ann] = await records<PersonRecord>('people');
    expect(ann).toMatchObject({
      companies: ['gone-labs', 'slug-2'],
      company_references: [unknown('gone-labs'), ours(2, 'Beta')],
      events: ['slug-1', 'gone-fair'],
      event_references: [ours(1, 'Summit'), unknown('gone-fair')],
    });
  });

  test('a changed reference changes the hash of the document', async () => {
    const hash = async (kind: KindName) => (await records<{ hash: string }>(kind, 'document'))[0]?.hash;
    const seen = new Set([await hash('companies'), await hash('people')]);
    const changes = [
      ['companies', `update investors set slug = 'other' where id = 4`],
      ['companies', `update investors set name = 'Triplet' where id = 4`],
      ['companies', 'update company_investors set investor_id = null where investor_id = 2'],
      ['companies', 'delete from investors where id = 1'],
      ['companies', 'update company_investors set position = 10 where position = 0'],
      ['people', `update companies set name = 'Beta Labs' where id = 2`],
      ['people', `update companies set slug = 'beta' where id = 2`],
      ['people', `update events set name = 'Second Summit' where id = 1`],
      ['people', 'delete from events where id = 1'],
      ['people', 'update event_people set position = 10 where position = 0'],
    ] as const;
    for (const [kind, sql] of changes) {
      await stage.rows(sql);
      seen.add(await hash(kind));
    }
    expect(seen.size).toBe(2 + changes.length);
    const [alpha] = await records<CompanyRecord>('companies');
    expect(alpha?.investor_references).toEqual([
      unknown('Zebra Fund'),
      ours(3, 'Twin'),
      unknown('Ape Fund'),
      unknown('Nobody'),
      { id: 4, name: 'Triplet', slug: 'other' },
    ]);
  });
});

test('throughout the sample, references and name fields agree, and both ends of an investment link to each other', async () => {
  await stage.rows('truncate companies, people, investors, events cascade');
  await writeSample(stage.folder);
  expect((await stage.import(['--strict'])).code).toBe(0);
  const companies = await records<CompanyRecord>('companies');
  const people = await records<PersonRecord>('people');
  const investors = await records<InvestorRecord>('investors');
  const pair = (company: number, investor: number) => `${company} ${investor}`;
  expect(companies.map(({ investor_references }) => [...new Set(investor_references.map(({ name }) => name))])).toEqual(
    companies.map((company) => company.investors),
  );
  expect(people.map(({ company_references }) => company_references.map(({ slug, name }) => slug ?? name))).toEqual(
    people.map((person) => person.companies),
  );
  expect(people.map(({ event_references }) => event_references.map(({ slug, name }) => slug ?? name))).toEqual(
    people.map(({ events }) => events),
  );
  const there = companies.flatMap(({ id, investor_references }) =>
    investor_references.flatMap((each) => (each.id === null ? [] : [pair(id, each.id)])),
  );
  const back = investors.flatMap(({ id, portfolio_companies }) =>
    portfolio_companies.flatMap((each) => (each.id === null ? [] : [pair(each.id, id)])),
  );
  expect(there.length).toBeGreaterThan(100);
  expect(there.toSorted()).toEqual(back.toSorted());
});
