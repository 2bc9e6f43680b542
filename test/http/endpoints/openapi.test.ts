import { json, startApi } from '../../support/api/in-process.ts';
import { at, exampleAnswersOf, keysOf, misfit, operationsOf, published } from '../../support/api/published.ts';

const operations = operationsOf(published);
const answers = exampleAnswersOf(published);

/** An address of the path, its places filled. */
const filled = (path: string): string => path.replace('{identifier}', '1').replace('{file}', 'start.js');

test('the document is served as it is made from the schemas', async () => {
  await using api = await startApi();
  const response = await fetch(`${api.url}/openapi.json`);
  expect(response.headers.get('cache-control')).toBe('public, max-age=3600');
  expect(await response.json()).toEqual(published);
});

test('every route of the app is in the document', async () => {
  await using api = await startApi();
  for (const { path, method } of operations) {
    const response = await fetch(`${api.url}${filled(path)}`, { method: 'OPTIONS' });
    expect({ path, status: response.status }).toEqual({ path, status: 204 });
    const allowed = response.headers.get('allow')?.split(', ') ?? [];
    expect({ path, allowed }).toEqual({ path, allowed: expect.arrayContaining([method.toUpperCase(), 'OPTIONS']) });
  }
  expect(operations.map(({ path }) => path).sort()).toEqual([
    '/.well-known/x402',
    '/api/health',
    '/api/v1/bulk',
    '/api/v1/companies/{identifier}',
    '/api/v1/companies/{identifier}/similar',
    '/api/v1/events/{identifier}',
    '/api/v1/events/{identifier}/similar',
    '/api/v1/investors/{identifier}',
    '/api/v1/investors/{identifier}/similar',
    '/api/v1/people/{identifier}',
    '/api/v1/people/{identifier}/similar',
    '/api/v1/search',
    '/api/v1/suggest',
    '/api/v1/usage',
    '/api/v1/x402/search',
    '/docs',
    '/docs/{file}',
    '/llms.txt',
    '/openapi.json',
  ]);
});

test('every operation has an id of its own, a summary, and says what it costs to be called: a key or none', () => {
  const ids = operations.map(({ path, method }) => at(published, 'paths', path, method, 'operationId'));
  expect(new Set(ids).size).toBe(operations.length);
  for (const { path, method } of operations) {
    expect(at(published, 'paths', path, method, 'summary')).toEqual(expect.stringMatching(/^[A-Z]/));
    const open = !path.startsWith('/api/v1/') || path.includes('x402');
    const security = at(published, 'paths', path, method, 'security');
    expect({ path, security }).toEqual({ path, security: open ? [] : [{ apiKey: [] }] });
  }
});

test('every parameter is explained', () => {
  const silent = operations.flatMap(({ path, method }) =>
    Object.values(at(published, 'paths', path, method, 'parameters') ?? {})
      .filter((parameter) => at(parameter, 'in') === 'query' && at(parameter, 'description') === '')
      .map((parameter) => `${path} ${at(parameter, 'name')}`),
  );
  expect(silent).toEqual([]);
});

test('the paid search says its price to programs', () => {
  expect(at(published, 'paths', '/api/v1/x402/search', 'get', 'x-payment-info')).toEqual({
    price: { mode: 'fixed', currency: 'USD', amount: '0.01' },
    protocols: [{ x402: {} }],
  });
});

test.each(answers)('the example answer $title is as its schema says', ({ place, value }) => {
  expect(misfit([...place, 'schema'], value)).toBeNull();
});

test('every example body of a request is as its schema says', () => {
  const place = ['paths', '/api/v1/bulk', 'post', 'requestBody', 'content', 'application/json'];
  const examples = at(published, ...place, 'examples');
  expect(keysOf(examples)).toEqual(['get', 'exists', 'count']);
  for (const name of keysOf(examples)) {
    expect(misfit([...place, 'schema'], at(examples, name, 'value'))).toBeNull();
  }
});

describe('Documentation for people and models', () => {
  test('the page loads nothing from elsewhere, and its policy allows it nothing else', async () => {
    await using api = await startApi();
    const response = await fetch(`${api.url}/docs`);
    const page = await response.text();
    const sources = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source = '']) => source);
    expect(sources.filter((source) => !source.startsWith('/') && !source.startsWith('data:'))).toEqual([]);
    for (const source of sources.filter((each) => each.startsWith('/'))) {
      expect((await fetch(`${api.url}${source}`)).status).toBe(200);
    }
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/default-src 'none'/);
    expect(policy).not.toMatch(/https?:|upgrade-insecure-requests|unsafe-eval/);
  });

  test.each(['package.json', 'index.html', '..%2Fpackage.json', 'swagger-ui.js'])('/docs/%s is 404', async (file) => {
    await using api = await startApi();
    expect((await fetch(`${api.url}/docs/${file}`)).status).toBe(404);
  });

  test.each(['/openapi.json', '/docs', '/docs/swagger-ui-bundle.js', '/llms.txt'])(
    '%s is not sent again to who has it',
    async (path) => {
      await using api = await startApi();
      const tag = (await fetch(`${api.url}${path}`)).headers.get('etag') ?? '';
      const again = await fetch(`${api.url}${path}`, { headers: { 'if-none-match': tag } });
      expect(again.status).toBe(304);
      expect(await again.text()).toBe('');
    },
  );

  test('llms.txt names every address of the API, and tells how paying works', async () => {
    await using api = await startApi();
    const text = await (await fetch(`${api.url}/llms.txt`)).text();
    for (const path of [
      'search?',
      'suggest?',
      '{companies|people|investors|events}/{id-or-slug}/similar',
      'bulk',
      'usage',
      'x402/search?',
    ])
      expect(text).toContain(`/api/v1/${path}`);
    expect(text).toMatch(/0\.01 USD/);
    expect(text).toMatch(/page 2 costs the same/);
    expect(text).toMatch(/a payment is never taken twice/);
    expect(text).toMatch(/Not offered by this installation/);
  });
});

describe('HEAD and OPTIONS on every route', () => {
  test('HEAD answers as GET does, without a body', async () => {
    await using api = await startApi();
    for (const { path, method } of operations) {
      if (method !== 'get') continue;
      const query = path.endsWith('/search') && !path.includes('x402') ? '?type=all' : '';
      const address = `${filled(path)}${query}`;
      const [get, head] = [await api.keyed(address), await api.keyed(address, { method: 'HEAD' })];
      await get.text();
      // Payments are asked for by GET alone: a HEAD can't be paid for.
      const expected = path.includes('x402/search') ? 405 : get.status;
      expect({ path, status: head.status }).toEqual({ path, status: expected });
      expect(await head.text()).toBe('');
    }
  });

  test('any other method is 405 with Allow', async () => {
    await using api = await startApi();
    for (const { path } of operations) {
      const response = await api.keyed(filled(path), { method: 'DELETE' });
      expect({ path, status: response.status }).toEqual({ path, status: 405 });
      expect(await json(response)).toMatchObject({ code: 'method_not_allowed' });
    }
  });
});
