import { type Behaviour, elasticsearchAnswer } from '../../support/api/in-process.ts';
import { servedPages } from '../../support/console/built-pages.ts';
import { contents, entities, html } from '../../support/console/page-parts.ts';

const api = servedPages();

describe('the page of an entity', () => {
  const company = {
    name: 'Plover Spire',
    slug: 'plover-spire',
    tagline: 'An exchange.',
    overview: 'Plover Spire matches spot orders.',
    year_founded: 2020,
    founded_date: null,
    employee_count: 0,
    website: 'https://plover-spire.example',
    links: { github: 'https://github.example/plover', other: 'javascript:alert(1)' },
    tags: ['exchange'],
    investors: ['Fund One', 'Fund Unknown'],
    location_json: { city: 'Sydney', country: 'Australia' },
  };
  const related = [
    { kind: 'people', id: 3, name: 'Bo Example', slug: 'bo-example' },
    { kind: 'investors', id: 4, name: 'Fund One', slug: 'fund-one' },
  ] as const;

  test('shows the known facts and links to related pages', async () => {
    await using served = await api({ access: { entities: entities({ companies: company }, related) } });
    const text = await (await fetch(`${served.url}/companies/plover-spire`)).text();
    expect(contents(text, 'title')).toEqual(['Plover Spire, company · Entity Search']);
    expect(contents(text, 'h1')).toEqual(['Plover Spire']);
    expect(text).toContain('<meta name="description" content="An exchange.">');
    expect(text).toContain('<meta property="og:title" content="Plover Spire, company">');
    const place = '/search?type=companies&amp;country=Australia&amp;city=Sydney';
    for (const href of ['/people/bo-example', '/investors/fund-one', '/search?type=companies&amp;tag=exchange', place])
      expect(text).toContain(`href="${href}"`);
    expect(text).toContain('Fund Unknown');
    expect(contents(text, 'dt')).toEqual(['Founded', 'Location', 'Updated']);
    expect(text).toMatch(/<a href="https:\/\/plover-spire\.example\/" rel="noopener noreferrer nofollow"/);
    expect(text).not.toMatch(/href="javascript:/);
  });

  test('admits that a description is missing, and opens related entities in the search', async () => {
    const searches = async (kind: string, record: object, of: Parameters<typeof entities>[1] = []) => {
      await using served = await api({ access: { entities: entities({ [kind]: record }, of) } });
      const text = await (await fetch(`${served.url}/${kind}/seven`)).text();
      return [text.includes('No description yet'), text.match(/\/search\?type=\w+&amp;(?:investor|company)=[^"]*/g)];
    };
    expect(await searches('investors', { name: 'Fund A' })).toEqual([true, null]);
    const portfolio_companies = [1, 2].map((id) => ({ id, name: `Company ${id}`, slug: `company-${id}` }));
    const investor = { name: 'Fund A', portfolio_companies };
    expect(await searches('investors', investor)).toEqual([false, ['/search?type=companies&amp;investor=7']]);
    const two = [related[1], { ...related[1], id: 5 }];
    expect(await searches('companies', company, two)).toEqual([false, ['/search?type=investors&amp;company=7']]);
  });

  test('asks visitors to sign in if they may see nothing', async () => {
    await using served = await api({
      env: { VISITOR_SEARCHES_PER_MINUTE: '0' },
      access: { entities: entities({ companies: company }) },
    });
    const response = await fetch(`${served.url}/companies/seven`, { headers: html });
    const text = await response.text();
    expect([response.status, contents(text, 'h1')]).toEqual([401, ['Sign in to continue']]);
    expect(text).toContain('href="/account/sign-in"');
    expect(text).not.toContain('Plover');
  });

  test('is not charged as a search', async () => {
    const env = { VISITOR_SEARCHES_PER_MINUTE: '1' };
    await using served = await api({ env, access: { entities: entities({ companies: company }) } });
    for (const _ of [1, 2, 3]) {
      expect((await fetch(`${served.url}/companies/seven`, { headers: html })).status).toBe(200);
    }
  });

  test("lists all related entities, and a person's roles with links and dates, the latest first", async () => {
    const people = Array.from({ length: 40 }, (_, at) => ({
      kind: 'people' as const,
      id: at,
      name: `Person ${at}`,
      slug: `person-${at}`,
    }));
    await using event = await api({ access: { entities: entities({ events: { name: 'Summit' } }, people) } });
    const text = await (await fetch(`${event.url}/events/seven`)).text();
    expect(text).toContain('Show 16 more');
    expect(text).toContain('href="/people/person-39"');
    const roles = [
      { title: 'Speaker', organisation: 'Summit 3', detail: 'Keynote', company: null },
      { title: 'Speaker', organisation: 'Summit 3', detail: 'Panel', company: null },
    ];
    const summits = [
      { kind: 'events', id: 3, name: 'Summit 3', slug: 'summit-3-2025', date: '2025-02-01' },
      { kind: 'events', id: 4, name: 'Summit 4', slug: 'summit-4-2026', date: '2026-02-01' },
    ] as const;
    const others = ['Elsewhere', 'Summit 4'].map((organisation) => ({ title: 'Guest', organisation, company: null }));
    const ada = { name: 'Ada', roles: [...roles, ...others] };
    await using person = await api({ access: { entities: entities({ people: ada }, summits) } });
    const [list = ''] = contents(await (await fetch(`${person.url}/people/seven`)).text(), 'ul class="timeline"');
    expect(list.match(/href="[^"]*"/g)).toEqual(['href="/events/summit-4-2026"', 'href="/events/summit-3-2025"']);
    expect(contents(list, 'time')).toEqual(['1 Feb 2026', '1 Feb 2025']);
  });
});

describe("similar entities on an entity's page", () => {
  const person = { name: 'Ada', tags: ['solidity'], companies: ['quartz', 'tidal-works'] };
  const store = entities({ people: person }, [{ kind: 'companies', id: 4, name: 'Quartz Ledger', slug: 'quartz' }]);
  const document = { id: 7, ...person };
  const like = [
    { id: 8, name: 'Bo <b>', slug: 'bo', tags: ['Solidity'], companies: ['quartz', 'tidal-works'] },
    { id: 9, name: 'Cy', slug: '12' },
  ];
  const found: NonNullable<Behaviour['search']> = async ({ body }) => {
    const sources = body.size === 1 ? [document] : like;
    return { ok: true, body: elasticsearchAnswer(sources.map((source) => ({ kind: 'people', source }))) };
  };

  test('link to their pages and name the shared traits', async () => {
    await using served = await api({ access: { entities: store }, search: found });
    const text = await (await fetch(`${served.url}/people/ada`)).text();
    const [list = ''] = contents(text, 'ul class="similar"');
    expect(contents(list, 'a')).toEqual(['Bo &lt;b>', 'Cy']);
    expect(contents(list, 'p')).toEqual(['Shares Solidity, Quartz Ledger, Tidal Works', 'Similar name']);
    expect(list).toContain('href="/people/bo"');
    expect(list).toContain('href="/people/9"');
    expect(served.asked.map(({ indices, body }) => [indices, body.size])).toEqual([
      [['people'], 1],
      [['people'], 6],
    ]);
  });

  test('exclude other editions of an event, which are listed by date', async () => {
    const summit = { name: 'Summit 2025', start_date: '2025-02-01', tags: ['defi'] };
    const others = [
      { id: 8, name: 'Summit 2024', slug: 'summit-2024', start_date: '2024-02-01' },
      { id: 9, name: 'Meetup', slug: 'meetup', start_date: '2025-03-01' },
      { id: 10, name: 'Summit 2026', slug: 'summit-2026', start_date: '2026-02-01' },
    ];
    await using served = await api({
      access: { entities: entities({ events: summit }) },
      search: async ({ body }) => {
        const sources = body.size === 1 ? [{ id: 7, ...summit }] : others;
        return { ok: true, body: elasticsearchAnswer(sources.map((source) => ({ kind: 'events', source }))) };
      },
    });
    const text = await (await fetch(`${served.url}/events/seven`)).text();
    const [editions = ''] = contents(text, 'ol class="timeline"');
    expect(contents(editions, 'time')).toEqual(['1 Feb 2026', '1 Feb 2025', '1 Feb 2024']);
    expect(contents(editions, 'a')).toEqual(['Summit 2026', 'Summit 2024']);
    expect(contents(editions, 'strong')).toEqual(['Summit 2025']);
    expect(contents(contents(text, 'ul class="similar"')[0] ?? '', 'a')).toEqual(['Meetup']);
  });

  test('are left out if there are none, or if Elasticsearch fails, which is logged', async () => {
    await using without = await api({ access: { entities: store } });
    await using failing = await api({
      access: { entities: store },
      search: async () => ({ ok: false, reason: 'refused', cause: new Error('no shards') }),
    });
    for (const served of [without, failing]) {
      const response = await fetch(`${served.url}/people/ada`);
      expect([response.status, contents(await response.text(), 'h1')]).toEqual([200, ['Ada']]);
      expect(served.asked).toHaveLength(1);
    }
    const said = (log: typeof failing.log) => log.filter(({ msg }) => String(msg).startsWith('similar entities'));
    expect(said(without.log)).toEqual([]);
    expect(said(failing.log)).toEqual([expect.objectContaining({ reason: 'refused', cause: 'no shards' })]);
  });

  test('delay the page no longer than a search, and block no request to Postgres', async () => {
    const asked = Promise.withResolvers<void>();
    await using served = await api({
      access: { entities: store },
      env: { RECORDS_MAX: '1', SEARCH_TIMEOUT: '500ms' },
      search: ({ signal }) => {
        asked.resolve();
        return new Promise((resolve) => {
          signal?.addEventListener('abort', () => resolve({ ok: false, reason: 'timeout', cause: signal.reason }));
        });
      },
    });
    const page = fetch(`${served.url}/people/ada`);
    await asked.promise;
    const record = served.keyed('/api/v1/people/ada?fields=name');
    expect(await Promise.race([page, record])).toBe(await record);
    expect((await record).status).toBe(200);
    expect((await page).status).toBe(200);
  });
});
