import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import {
  checkEndpointSchema,
  discoverOriginSchema,
  getOpenAPI,
  getWarningsForOpenAPI,
  validatePaymentRequiredDetailed,
} from '@agentcash/discovery';
import { terms } from '../../../dev/explore/payments/scenario.ts';
import { paymentRequired } from '../../../src/payments/protocol/terms.ts';
import { apiForFile, json, startApi } from '../../support/api/in-process.ts';
import { at, exampleAnswersOf, keysOf, misfit, operationsOf, published } from '../../support/api/published.ts';

const operations = operationsOf(published());
const answers = exampleAnswersOf(published());

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The document as it is answered to a request with a `Host` of its own. */
async function askAs(url: string, host: string, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
  const sent = request(`${url}/openapi.json`, { headers: { ...headers, host }, agent: false }).end();
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (response === undefined) throw new Error('there is no answer');
  const text = (await response.toArray()).join('');
  return { status: response.statusCode, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

/** An address of the path, its places filled. */
const filled = (path: string): string => path.replace('{identifier}', '1').replace('{file}', 'start.js');

const api = await apiForFile();

describe('The OpenAPI document', () => {
  const publicUrl = 'https://api.example.com/entities';

  test('is built from the schemas, names the configured address, and may be cached by anyone', async () => {
    await using api = await startApi({ env: { PUBLIC_URL: `${publicUrl}/` } });
    const { headers, body } = await askAs(api.url, 'localhost:8080');
    expect(headers['cache-control']).toBe('public, max-age=3600');
    const guidance = { llmsTxtUrl: `${publicUrl}/llms.txt` };
    expect(body).toEqual({ ...published(), servers: [{ url: publicUrl }], 'x-agentcash-guidance': guidance });
  });

  test.each(['localhost:8080', 'LOCALHOST', '127.0.0.1', '127.9.9.9:1', '[::1]:3000'])(
    'names %s as its server if the client requested that host, and may be cached only by that client',
    async (host) => {
      const { headers, body } = await askAs(api.url, host);
      expect(headers['cache-control']).toBe('private, max-age=3600');
      expect(body.servers).toEqual([{ url: `http://${host}` }]);
    },
  );

  const claimed = 'evil.example localhost.evil.example 127.0.0.1.evil.example 10.0.0.7:3000 [::2] localhost:99999';
  test.each(claimed.split(' '))(
    'names the address of the connection and not %s, because a client can send any Host',
    async (host) => {
      expect((await askAs(api.url, host)).body.servers).toEqual([{ url: api.url }]);
    },
  );

  test('behind a proxy names https if the client used it, and no forwarded host except this machine', async () => {
    await using api = await startApi({ env: { TRUST_PROXY: '1' } });
    const ask = async (host: string) => {
      const forwarded = { 'x-forwarded-host': host, 'x-forwarded-proto': 'https' };
      return JSON.stringify((await askAs(api.url, 'evil.example', forwarded)).body.servers);
    };
    expect(await ask('evil.example')).toBe(JSON.stringify([{ url: api.url.replace('http:', 'https:') }]));
    expect(await ask('localhost:4000')).toBe('[{"url":"https://localhost:4000"}]');
    const odd = { 'x-forwarded-host': 'localhost:4000', 'x-forwarded-proto': 'javascript' };
    expect((await askAs(api.url, 'evil.example', odd)).body.servers).toEqual([{ url: api.url }]);
  });

  test('has an ETag per address, which does not match for another address', async () => {
    const tags = await Promise.all(
      Array.from({ length: 40 }, async (_, port) => (await askAs(api.url, `localhost:${port + 1}`)).headers.etag ?? ''),
    );
    expect(new Set(tags).size).toBe(40);
    const [first = '', second = ''] = tags;
    expect((await askAs(api.url, 'localhost:1', { 'if-none-match': first })).status).toBe(304);
    expect((await askAs(api.url, 'localhost:1', { 'if-none-match': second })).status).toBe(200);
  });
});

test('every route of the app is in the document', async () => {
  for (const { path, method } of operations) {
    const response = await fetch(`${api.url}${filled(path)}`, { method: 'OPTIONS' });
    expect({ path, status: response.status }).toEqual({ path, status: 204 });
    const allowed = response.headers.get('allow')?.split(', ') ?? [];
    expect({ path, allowed }).toEqual({ path, allowed: expect.arrayContaining([method.toUpperCase(), 'OPTIONS']) });
  }
  const perKind = ['companies', 'events', 'investors', 'people'].map((kind) => `/api/v1/${kind}/{identifier}`);
  const expected = [
    ...['/.well-known/x402', '/api/health', '/api/v1/bulk'],
    ...[...perKind, ...perKind.map((path) => `${path}/similar`), '/api/v1/removals', '/api/v1/search'],
    ...['/api/v1/suggest', '/api/v1/usage', '/api/v1/x402/search', '/docs', '/llms.txt', '/mcp'],
    ...['/openapi.json'],
  ];
  expect(operations.map(({ path }) => path).sort()).toEqual(expected.sort());
});

test('every operation has a unique id, a summary, and its authentication', () => {
  const ids = operations.map(({ path, method }) => at(published(), 'paths', path, method, 'operationId'));
  expect(new Set(ids).size).toBe(operations.length);
  for (const { path, method } of operations) {
    expect(at(published(), 'paths', path, method, 'summary')).toEqual(expect.stringMatching(/^[A-Z]/));
    const open = !path.startsWith('/api/v1/') || path.includes('x402');
    const security = at(published(), 'paths', path, method, 'security');
    // Lists are free, calls are not.
    const either = path === '/mcp' ? [{ apiKey: [] }, {}] : [];
    expect({ path, security }).toEqual({ path, security: open ? either : [{ apiKey: [] }] });
  }
});

test('every parameter has a description', () => {
  const silent = operations.flatMap(({ path, method }) =>
    Object.values(at(published(), 'paths', path, method, 'parameters') ?? {})
      .filter((parameter) => at(parameter, 'in') === 'query' && at(parameter, 'description') === '')
      .map((parameter) => `${path} ${at(parameter, 'name')}`),
  );
  expect(silent).toEqual([]);
});

test('the paid search has a machine-readable price', () => {
  expect(at(published(), 'paths', '/api/v1/x402/search', 'get', 'x-payment-info')).toEqual({
    price: { mode: 'fixed', currency: 'USD', amount: '0.01' },
    protocols: [{ x402: {} }],
  });
});

test.each(answers)('the example answer "$title" matches its schema', ({ place, value }) => {
  expect(misfit([...place, 'schema'], value)).toBeNull();
});

test('every example request body matches its schema', () => {
  const place = ['paths', '/api/v1/bulk', 'post', 'requestBody', 'content', 'application/json'];
  const examples = at(published(), ...place, 'examples');
  expect(keysOf(examples)).toEqual(['get', 'exists', 'count']);
  for (const name of keysOf(examples)) {
    expect(misfit([...place, 'schema'], at(examples, name, 'value'))).toBeNull();
  }
});

describe('Documentation for people and models', () => {
  test.each(['/openapi.json', '/llms.txt'])('%s is not sent again to a client that has it', async (path) => {
    const tag = (await fetch(`${api.url}${path}`)).headers.get('etag') ?? '';
    const again = await fetch(`${api.url}${path}`, { headers: { 'if-none-match': tag } });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
  });

  test('llms.txt lists every address of the API and explains payment', async () => {
    const text = await (await fetch(`${api.url}/llms.txt`)).text();
    const similar = '{companies|people|investors|events}/{id-or-slug}/similar';
    for (const path of ['search?', 'suggest?', similar, 'bulk', 'usage', 'x402/search?'])
      expect(text).toContain(` ${api.url}/api/v1/${path}`);
    expect(text).toContain(`[OpenAPI 3.1](${api.url}/openapi.json)`);
    expect(text).not.toMatch(/[ `(]\/\w/);
    expect(text).toMatch(/0\.01 USD/);
    expect(text).toMatch(/page 2 costs the same/);
    expect(text).toMatch(/a payment is never charged twice/);
    expect(text).toMatch(/Not offered by this installation/);
  });
});

describe('HEAD and OPTIONS on every route', () => {
  test('a route documented as needing a key answers 401 without one', async () => {
    for (const { path, method } of operations) {
      const security = JSON.stringify(at(published(), 'paths', path, method, 'security'));
      if (security !== '[{"apiKey":[]}]') continue;
      const response = await fetch(`${api.url}${filled(path)}`, { method: method.toUpperCase() });
      expect({ path, status: response.status }).toEqual({ path, status: 401 });
    }
  });

  test('HEAD answers as GET does, without a body', async () => {
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
    for (const { path } of operations) {
      const response = await api.keyed(filled(path), { method: 'DELETE' });
      expect({ path, status: response.status }).toEqual({ path, status: 405 });
      expect(await json(response)).toMatchObject({ code: 'method_not_allowed' });
    }
  });
});

// Catalogues of x402 resources find the service by its OpenAPI document.

const publicUrl = 'https://api.example.com';

test('the x402 registry checker finds the paid search, its price and how to call it', async () => {
  await using api = await startApi();
  const source = (await getOpenAPI(api.url))._unsafeUnwrap();
  const warnings = getWarningsForOpenAPI(source).filter(({ severity }) => severity !== 'info');
  expect(warnings.map(({ code }) => code)).toEqual([]);
  const discovered = await discoverOriginSchema({ target: api.url });
  if (!discovered.found) throw new Error(`Nothing was found: ${JSON.stringify(discovered)}`);
  const paid = discovered.endpoints.filter(({ price }) => price !== undefined);
  expect(paid).toMatchObject([{ path: '/api/v1/x402/search', method: 'GET', price: '0.01 USD' }]);
  const endpoint = await checkEndpointSchema({ url: `${api.url}/api/v1/x402/search` });
  if (!endpoint.found) throw new Error(`The endpoint was not found: ${JSON.stringify(endpoint)}`);
  expect(endpoint.advisories).toMatchObject([{ method: 'GET', authMode: 'paid' }]);
});

// Another test compares offers over MCP with the published schema of bazaar: this checker only knows HTTP.
test('the x402 registry checker reads the offer over HTTP', () => {
  const options = { terms: terms(), baseUrl: publicUrl, entrance: 'http' } as const;
  const { valid, version, issues } = validatePaymentRequiredDetailed(
    paymentRequired(options, 'payment_required', 'Pay.'),
  );
  expect({ valid, version, issues }).toEqual({ valid: true, version: 2, issues: [] });
});
