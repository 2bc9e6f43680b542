import { once } from 'node:events';
import { connect } from 'node:net';
import { hasTag } from '../../../src/http/response/entity-tag.ts';
import { noEntities } from '../../support/api/fake-access.ts';
import { type Api, startApi } from '../../support/api/in-process.ts';
import { costSince } from '../../support/processor-time.ts';

// Requests that are made to do harm: to inject headers, to change what all objects have, to make a regular expression
// run for ever, to reach another index, to hold memory.

/** Sends bytes as they are and reads to the end; what Node's own client would tidy or refuse gets through. */
async function raw(api: Api, bytes: string): Promise<{ status: number; head: string; body: string }> {
  const socket = connect(api.port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  socket.write(bytes);
  await once(socket, 'close');
  const [head = '', ...rest] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body: rest.join('\r\n\r\n') };
}

function get(api: Api, target: string, headers: Readonly<Record<string, string>> = {}) {
  const given = { Host: 'a', Authorization: `Bearer ${api.key}`, Connection: 'close', ...headers };
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`);
  return raw(api, `GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`);
}

const injected = '%0d%0aX-Injected:%201%0d%0a%0d%0a<script>';
const targets = [
  '/api/v1/search?type=all&query=a',
  '/api/v1/suggest?q=a',
  '/api/v1/companies/1',
  '/api/health',
  '/openapi.json',
  '/docs',
  '/llms.txt',
  '/.well-known/x402',
  '/nowhere',
];

describe('Header injection', () => {
  test.each([
    ...targets.map((target) => `${target}${target.includes('?') ? '' : '?x='}${injected}`),
    `/${injected}`,
    `/api/v1/companies/${injected}`,
    `/api/v1/search?type=${injected}`,
    `/docs/${injected}`,
  ])('%s', async (target) => {
    await using api = await startApi({ env: { CORS_ORIGINS: '*' } });
    const { status, head } = await get(api, target);
    expect(status).toBeGreaterThanOrEqual(200);
    expect(head).not.toMatch(/^X-Injected/im);
    expect(head).not.toContain('<script>');
  });

  test.each([
    ['X-Request-Id', 'a\rX-Injected: 1'],
    ['Origin', 'https://a.example\rX-Injected: 1'],
    ['X-Request-Id', 'a\u0000b'],
    ['Host', 'a\rX-Injected: 1'],
  ])('a bare CR or NUL in %s is no HTTP', async (name, value) => {
    await using api = await startApi({ env: { CORS_ORIGINS: 'https://a.example' } });
    const { status, head } = await get(api, '/api/health', { [name]: value });
    expect(status).toBe(400);
    expect(head).not.toMatch(/^X-Injected/im);
  });

  test('only checked parts of a request are sent back: an id that is a UUID, an origin that is configured', async () => {
    await using api = await startApi({ env: { CORS_ORIGINS: 'https://a.example' } });
    const { head } = await get(api, '/api/health', {
      'X-Request-Id': '"><script>',
      Origin: 'https://a.example.evil.example',
      'X-Forwarded-Host': 'evil.example',
      'Access-Control-Request-Headers': 'x-evil',
    });
    expect(head).not.toMatch(/evil|script/i);
  });
});

describe('Prototype pollution', () => {
  const bodies = [
    '{"operation":"count","entity_type":"people","identifiers":[1],"__proto__":{"polluted":1}}',
    '{"operation":"count","entity_type":"people","identifiers":[1],"constructor":{"prototype":{"polluted":1}}}',
    '{"operation":"count","entity_type":"people","identifiers":[{"__proto__":{"polluted":1}}]}',
    '{"operation":"get","entity_type":"people","identifiers":[1],"fields":["__proto__"]}',
    '{"operation":"get","entity_type":"__proto__","identifiers":[1]}',
    '{"operation":"constructor","entity_type":"people","identifiers":[1]}',
    '{"__proto__":{"operation":"count","entity_type":"people","identifiers":[1]}}',
  ];
  test.each(bodies)('bulk: %s is refused', async (body) => {
    await using api = await startApi();
    const headers = { 'content-type': 'application/json' };
    const response = await api.keyed('/api/v1/bulk', { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect('polluted' in {}).toBe(false);
  });

  test.each([
    '__proto__[polluted]=1',
    '__proto__.polluted=1',
    'constructor[prototype][polluted]=1',
    '__proto__=1',
    'constructor=1',
    'fields=__proto__,constructor,toString',
    'sort=__proto__',
    'type=constructor',
    'facets=__proto__',
    'hasOwnProperty=1',
  ])('query string: %s is a clear 400', async (extra) => {
    await using api = await startApi();
    const { status, body } = await get(api, `/api/v1/search?type=companies&query=a&${extra}`);
    expect([status, JSON.parse(body)]).toEqual([400, expect.objectContaining({ code: expect.any(String) })]);
    expect('polluted' in {}).toBe(false);
    expect(api.asked).toEqual([]);
  });

  test.each(['__proto__', 'constructor', 'toString'])('path: /api/v1/%s/1 is 404', async (kind) => {
    await using api = await startApi();
    expect((await get(api, `/api/v1/${kind}/1`)).status).toBe(404);
  });
});

describe('Other indices', () => {
  test.each([
    'companies,*',
    '*',
    '_all',
    'companies/../people',
    '%2e%2e%2f_cat',
    '.security',
    'companies-*',
    'Companies',
  ])('type=%s reaches none', async (type) => {
    await using api = await startApi();
    expect((await get(api, `/api/v1/search?type=${type}&query=a`)).status).toBe(400);
    expect(api.asked).toEqual([]);
  });
});

// Long repetitions of what expressions repeat, with an end that they do not expect: one that backtracks would take
// seconds for eight thousand characters, and for ever for more.
const long = 8_000;
const patterns = ['a', ' ', '"', '\\', ',', '\\,', 'W/"', '=', ';', '0', '-', '(', '%20', 'ß', '1.', 'es_live_', 'a '];

describe('Regular expressions', () => {
  test.each(patterns)('%j again and again in If-None-Match', (piece) => {
    const before = process.cpuUsage();
    expect(hasTag(`${piece.repeat(long)}!`, 'W/"x"')).toBe(false);
    expect(costSince(before)).toBeLessThan(50);
  });

  test.each(patterns)('%j again and again, everywhere, is answered at once', async (piece) => {
    const text = piece.repeat(Math.floor(long / piece.length));
    const ascii = /^[\x20-\x7e]+$/.test(text) ? text : 'a'.repeat(long);
    const query = encodeURIComponent(text).slice(0, long);
    await using api = await startApi({
      env: { TRUST_PROXY: '2', CORS_ORIGINS: 'https://a.example' },
      access: { entities: { ...noEntities, record: async () => ({ ok: true, value: null }) } },
    });
    const asks = [
      ...[
        'query',
        'type',
        'tag',
        'city',
        'fields',
        'sort',
        'cursor',
        'facets',
        'page',
        'founded_from',
        'start_date_from',
      ].map((name) => () => get(api, `/api/v1/search?${name === 'type' ? '' : 'type=companies&'}${name}=${query}`)),
      () => get(api, `/api/v1/suggest?q=${query}`),
      () => get(api, `/api/v1/companies/${query}`),
      () => get(api, `/${query}`),
      () => get(api, `/api/health?detailed=${query}`),
      ...[
        ['Authorization', `Bearer ${ascii}!`],
        ['Authorization', `${ascii}!`],
        ['If-None-Match', `${ascii}!`],
        ['X-Request-Id', `${ascii}!`],
        ['X-Forwarded-For', `${ascii}!`],
        ['Accept', `${ascii}!`],
        ['Accept-Encoding', `${ascii}!`],
        ['Origin', `${ascii}!`],
        ['PAYMENT-SIGNATURE', `${ascii}!`],
      ].map(
        ([name = '', value = '']) =>
          () =>
            get(api, '/api/v1/companies/1', { [name]: value }),
      ),
    ];
    const slow: number[] = [];
    for (const ask of asks) {
      // Processor time, not wall-clock time: other programs may be at work on this machine.
      const before = process.cpuUsage();
      const { status } = await ask();
      const cost = costSince(before);
      expect(status).toBeGreaterThanOrEqual(200);
      expect(status).toBeLessThan(500);
      if (cost > 50) slow.push(cost);
    }
    expect(slow).toEqual([]);
  });

  test.each(['["a",'.repeat(40_000), '['.repeat(200_000), '{"a":'.repeat(40_000), `"${'\\'.repeat(200_000)}`])(
    'a body that goes as deep as it is long is refused at once',
    async (body) => {
      await using api = await startApi();
      const before = process.cpuUsage();
      const headers = { 'content-type': 'application/json' };
      const response = await api.keyed('/api/v1/bulk', { method: 'POST', headers, body });
      expect(response.status).toBe(400);
      expect(costSince(before)).toBeLessThan(100);
    },
  );

  test('a body that is whole, and nested as deep as the limit lets it, is refused at once', async () => {
    await using api = await startApi();
    const depth = 100_000;
    const body = `{"operation":"count","entity_type":"people","identifiers":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const headers = { 'content-type': 'application/json' };
    const response = await api.keyed('/api/v1/bulk', { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect((await response.text()).length).toBeLessThan(2_000);
  });
});

test('a client that requests much and reads nothing is cut, and little is prepared for it', async () => {
  await using patient = await startApi();
  const unpacked = { 'accept-encoding': 'identity' };
  const head = await fetch(`${patient.url}/docs/swagger-ui-bundle.js`, { method: 'HEAD', headers: unpacked });
  const size = Number(head.headers.get('content-length'));
  expect(size).toBeGreaterThan(1_000_000);
  const timeoutMs = 1_000;
  await using api = await startApi({
    limits: {
      http: { requestTimeoutMs: timeoutMs, headersTimeoutMs: timeoutMs, keepAliveTimeoutMs: timeoutMs },
    },
  });
  const socket = connect(api.port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  const asked = 40;
  const request = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n';
  socket.write(request.repeat(asked));
  // Draining itself cuts no connection: it waits until the server's own time-out has closed the connection.
  expect(await api.drain({ graceMs: 20_000, timeoutMs: 20_000 })).toBe(0);
  const closed = once(socket, 'close');
  socket.resume();
  await closed;
  expect(socket.bytesRead).toBeLessThan((asked * size) / 2);
});
