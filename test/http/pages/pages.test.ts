import { createKnowledge } from '../../../src/search/questions/knowledge.ts';
import { elasticsearchAnswer, startApi } from '../../support/api/in-process.ts';
import { servedPages } from '../../support/console/built-pages.ts';
import { contents, entities, html } from '../../support/console/page-parts.ts';

const api = servedPages();

describe('the headers of pages', () => {
  test.each(['/', '/search?query=x', '/account', '/account/keys', '/account/sign-in', '/companies/seven'])(
    '%s may load only from its own origin, and no other origin may read or frame it',
    async (path) => {
      await using served = await api({ access: { entities: entities({ companies: { name: 'Seven' } }) } });
      const response = await fetch(`${served.url}${path}`, {
        headers: { ...html, origin: 'https://elsewhere.example' },
      });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      );
      expect(response.headers.get('x-frame-options')).toBe('DENY');
      expect(response.headers.get('referrer-policy')).toBe('same-origin');
      expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      const text = await response.text();
      expect(text).not.toMatch(/ style="|<style|<script>|javascript:| on\w+="/);
    },
  );

  test.each(['/', '/account', '/account/api/session', '/search', '/companies/x', '/console/assets/x'])(
    '%s answers no preflight of another origin, even if every origin may call the API',
    async (path) => {
      await using served = await api({ env: { CORS_ORIGINS: '*' } });
      const ask = (where: string) =>
        fetch(`${served.url}${where}`, {
          method: 'OPTIONS',
          headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' },
        });
      const response = await ask(path);
      expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect((await ask('/api/v1/search')).headers.get('access-control-allow-origin')).toBe('*');
    },
  );

  test('a public page is revalidated on each visit, and an account page is never stored', async () => {
    await using served = await api();
    const first = await fetch(`${served.url}/`);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const tag = first.headers.get('etag') ?? '';
    const again = await fetch(`${served.url}/`, { headers: { 'if-none-match': tag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    for (const path of ['/account', '/account/keys', '/account/security']) {
      const response = await fetch(`${served.url}${path}`);
      expect([response.headers.get('cache-control'), response.headers.get('etag')]).toEqual(['no-store', null]);
    }
  });

  test('HEAD has the headers of GET without a body', async () => {
    await using served = await api();
    const [head, get] = await Promise.all([
      fetch(`${served.url}/`, { method: 'HEAD' }),
      fetch(`${served.url}/`, { headers: { 'accept-encoding': 'identity' } }),
    ]);
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
  });
});

describe('the start page', () => {
  test.each([
    [
      'open',
      { callsPerMinute: 60, callsPerMonth: 50_000 },
      'Sign in with any wallet for 60 calls a minute and 50,000 a month.',
    ],
    ['open', { callsPerMinute: null, callsPerMonth: null }, 'Sign in with any wallet.'],
    ['open', null, 'Sign in with any wallet.'],
    ['invited', null, 'Accounts are by invitation'],
    ['closed', null, 'Sign-up is closed. Ask the operator of this service for an account'],
  ])('shows the limits of a new account if sign-up is %s and the plan is %j', async (signUp, plan, sentence) => {
    await using served = await api({ env: { SIGN_UP: signUp }, planOffer: { latest: () => plan } });
    expect(await (await fetch(`${served.url}/`)).text()).toContain(sentence);
  });

  test('shows the price if and only if searches are sold', () => {
    const rendered = (priceUsd: string | null) =>
      api.pages().render({
        site: { origin: 'https://search.example', priceUsd, visitorSearchesPerMinute: 20 },
        path: '/',
        page: { name: 'start', signUp: 'invited', plan: null, examples: [] },
      });
    expect(rendered('0.01')).toContain('0.01 USD');
    expect(rendered(null)).not.toContain('USD');
  });

  test('suggests the most frequent tags and country as examples, and none before they are known', async () => {
    const none: ReadonlySet<string> = new Set();
    const tags = new Set(['staking', 'zero knowledge', 'dao']);
    const knowledge = createKnowledge({
      countries: new Set(['Peru', 'Chad']),
      cities: none,
      topics: none,
      ecosystems: none,
      tags,
    });
    await using served = await api({ knowledge });
    const text = await (await fetch(`${served.url}/`)).text();
    const examples = /<p class="examples">.*?<\/p>/.exec(text)?.[0] ?? '';
    expect([...examples.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
      '/search?tag=staking',
      '/search?tag=zero+knowledge',
      '/search?country=Peru',
    ]);
    await using empty = await api();
    expect(await (await fetch(`${empty.url}/`)).text()).not.toContain('class="examples"');
  });

  test('describes what visitors may do', async () => {
    const told = async (env: Readonly<Record<string, string>>) => {
      await using served = await api({ env });
      return (await fetch(`${served.url}/`)).text();
    };
    expect(await told({ VISITOR_SEARCHES_PER_MINUTE: '12' })).toContain('12 searches a minute on this website');
    expect(await told({ VISITOR_SEARCHES_PER_MINUTE: '0' })).toContain('Sign in to search.');
  });
});

describe('the search page', () => {
  test('shows when to try again, and offers sign-in after a refusal', async () => {
    await using served = await api({ env: { VISITOR_SEARCHES_PER_MINUTE: '1' } });
    const ask = () => fetch(`${served.url}/search?query=x`, { headers: html });
    expect((await ask()).status).toBe(200);
    const refused = await ask();
    const text = await refused.text();
    expect([refused.status, refused.headers.get('cache-control')]).toEqual([429, 'no-store']);
    expect(text).toContain(`Try again in ${refused.headers.get('retry-after')} s`);
    expect(text).toMatch(/<input[^>]* value="x"/);
    expect(text).toMatch(/<a href="\/account\/sign-in" class="button[^"]*">Sign in</);
  });

  test('shows the labels that matched first, also those that are not tags, and the number of results of each kind', async () => {
    await using served = await api({
      search: async () => {
        const answer = elasticsearchAnswer([
          { kind: 'companies', source: { id: 7, name: 'Seven', tags: ['dex', 'ai'] } },
        ]);
        const [hit] = answer.hits.hits;
        const highlight = { 'search.tags': ['<em>solana</em>', '<em>ai</em>'] };
        const aggregations = { entity_type: { buckets: [{ key: 'companies-0a1b-3', doc_count: 1 }] } };
        return { ok: true, body: { ...answer, hits: { ...answer.hits, hits: [{ ...hit, highlight }] }, aggregations } };
      },
    });
    const text = await (await fetch(`${served.url}/search?query=solana+ai`)).text();
    const [labels = ''] = contents(text, 'ul class="result-tags"');
    expect(contents(labels, 'li')).toEqual(['<mark>Solana</mark>', '<mark>AI</mark>', 'DEX']);
    expect(contents(text, 'span class="tab-count"')).toEqual([' 1+']);
  });
});

describe('search engines', () => {
  test('may index only the start page and entities', async () => {
    await using served = await api({ access: { entities: entities({ people: { name: 'Ada Example' } }) } });
    const robots = async (path: string) => (await fetch(`${served.url}${path}`)).headers.get('x-robots-tag');
    expect(await Promise.all(['/', '/people/seven'].map(robots))).toEqual([null, null]);
    expect(await Promise.all(['/search', '/account', '/account/keys'].map(robots))).toEqual([
      'noindex',
      'noindex',
      'noindex',
    ]);
    const text = await (await fetch(`${served.url}/robots.txt`)).text();
    expect(text).toContain('Disallow: /account');
    expect(text).not.toMatch(/^Disallow: \/$/m);
  });

  test('may index nothing if the installation forbids it', async () => {
    await using served = await api({ env: { INDEXABLE: 'false' } });
    const page = await fetch(`${served.url}/`);
    expect(page.headers.get('x-robots-tag')).toBe('noindex');
    expect(await (await fetch(`${served.url}/robots.txt`)).text()).toBe('User-agent: *\nDisallow: /\n');
  });

  test('get one canonical URL per page, which a request cannot choose', async () => {
    const known = { access: { entities: entities({ companies: { name: 'Seven', slug: 'seven/é' } }) } };
    await using served = await api({ ...known, env: { PUBLIC_URL: 'https://search.example/' } });
    const text = await (await fetch(`${served.url}/companies/7`)).text();
    expect(text).toContain('<link rel="canonical" href="https://search.example/companies/seven%2F%C3%A9">');
    await using local = await api(known);
    const asked = await fetch(`${local.url}/companies/7`);
    expect(await asked.text()).toContain(`<link rel="canonical" href="${local.url}/companies/seven%2F%C3%A9">`);
  });
});

describe('failures', () => {
  test.each(['/nowhere', '/companies/nobody', '/account/api', '/account/no-such-page', '/companies/', '/search/'])(
    '%s is answered to browsers as a page',
    async (path) => {
      await using served = await api({ access: { entities: entities({}) } });
      const response = await fetch(`${served.url}${path}`, { headers: html });
      const text = await response.text();
      expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(contents(text, 'h1')).toEqual(['Page not found']);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('x-robots-tag')).toBe('noindex');
      const head = await fetch(`${served.url}${path}`, { method: 'HEAD', headers: html });
      expect([head.status, await head.text()]).toEqual([404, '']);
    },
  );

  test.each(['/nowhere', '/companies/nobody'])('%s is answered to programs as JSON', async (path) => {
    await using served = await api({ access: { entities: entities({}) } });
    const response = await fetch(`${served.url}${path}`);
    expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
  });

  test.each(['/api/v1/nothing', '/account/api/nothing', '/console/assets/nothing.js'])(
    '%s, which is not the path of a page, is always answered as JSON',
    async (path) => {
      await using served = await api();
      const response = await fetch(`${served.url}${path}`, { headers: html });
      expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
    },
  );

  test('the API reference works without the console, and is not sent again to a browser that has it', async () => {
    await using served = await api({ env: { CONSOLE: 'false' } });
    const response = await fetch(`${served.url}/docs`);
    const text = await response.text();
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'.*trusted-types 'none'/);
    for (const part of ['/api/v1/search', 'invalid_api_key', '--data-urlencode']) expect(text).toContain(part);
    for (const [, file = ''] of text.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g))
      expect((await fetch(`${served.url}${file}`)).status).toBe(200);
    const tag = response.headers.get('etag') ?? '';
    expect((await fetch(`${served.url}/docs`, { headers: { 'if-none-match': tag } })).status).toBe(304);
  });

  test("without Postgres, an entity's page explains that the entity cannot be shown", async () => {
    await using served = await api();
    const response = await fetch(`${served.url}/companies/seven`, { headers: html });
    expect(response.status).toBe(503);
    expect(contents(await response.text(), 'h1')).toEqual(['Temporarily unavailable']);
    expect(served.log).toContainEqual(expect.objectContaining({ msg: 'postgres unavailable' }));
  });

  test('without a build, pages are 503 with the command to run, and the API works', async () => {
    await using served = await startApi();
    const response = await fetch(`${served.url}/`, { headers: html });
    expect(response.status).toBe(503);
    expect(await response.text()).toContain('npm run build');
    expect((await served.keyed('/api/v1/search?type=all')).status).toBe(200);
  });

  test('if the console is off, all its paths are 404', async () => {
    await using served = await api({ env: { CONSOLE: 'false' } });
    for (const path of ['/', '/search', '/account', '/companies/seven', '/robots.txt', '/account/api/session']) {
      const response = await fetch(`${served.url}${path}`, { headers: html });
      expect([path, response.status, await response.json()]).toEqual([
        path,
        404,
        expect.objectContaining({ code: 'not_found' }),
      ]);
    }
  });
});

describe('the files of pages', () => {
  test('are named after their content, compressed, and cached permanently', async () => {
    await using served = await api();
    const text = await (await fetch(`${served.url}/`)).text();
    const files = [...text.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThanOrEqual(4);
    for (const file of files) {
      const response = await fetch(`${served.url}${file}`, { headers: { 'accept-encoding': 'br' } });
      expect([file, response.status]).toEqual([file, 200]);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
      const packed = response.headers.get('content-encoding') === 'br';
      const length = (await response.arrayBuffer()).byteLength;
      // A file that fits into a packet is sent as it is.
      expect([file, packed]).toEqual([file, length > 1_400]);
      expect(file).toMatch(/-[A-Z0-9]{8}\.(js|css|svg)$/);
    }
  });

  test('are exactly those of the build', async () => {
    await using served = await api();
    for (const name of ['..%2fmanifest.json', '%2e%2e%2fserver.cjs', 'manifest.json', 'main.js', '__proto__']) {
      const response = await fetch(`${served.url}/console/assets/${name}`);
      expect([name, response.status]).toEqual([name, 404]);
    }
  });
});
