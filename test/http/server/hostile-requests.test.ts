import { noEntities } from '../../support/api/fake-access.ts';
import { type Api, apiForFile } from '../../support/api/in-process.ts';
import { exchange } from '../../support/api/raw-http.ts';
import { costSince } from '../../support/processor-time.ts';

// Malicious requests, which try to inject headers, to change inherited properties of objects, to make a regular
// expression run forever, to reach another index, or to hold memory.

function get(of: Api, target: string, headers: Readonly<Record<string, string>> = {}) {
  const given = { Host: 'a', Authorization: `Bearer ${of.key}`, Connection: 'close', ...headers };
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`);
  return exchange(of.port, `GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`);
}

const api = await apiForFile({
  env: { TRUST_PROXY: '2', CORS_ORIGINS: 'https://a.example' },
  access: { entities: { ...noEntities, record: async () => ({ ok: true, value: null }) } },
});

const injected = '%0d%0aX-Injected:%201%0d%0a%0d%0a<script>';
const targets = [
  '/api/v1/search?type=all&query=a',
  '/api/v1/suggest?q=a',
  '/api/v1/companies/1',
  '/api/health',
  '/openapi.json',
  '/.well-known/x402',
  '/docs',
  '/llms.txt',
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
  ])('a bare CR or NUL in %s is invalid HTTP', async (name, value) => {
    const { status, head } = await get(api, '/api/health', { [name]: value });
    expect(status).toBe(400);
    expect(head).not.toMatch(/^X-Injected/im);
  });

  test('a response echoes only a request id that is a UUID and an origin that is configured', async () => {
    const { head } = await get(api, '/api/health', {
      'X-Request-Id': '"><script>',
      Origin: 'https://a.example.evil.example',
      'X-Forwarded-Host': 'evil.example',
      'Access-Control-Request-Headers': 'x-evil',
    });
    expect(head).not.toMatch(/evil|script/i);
  });
});

describe('Names of inherited object properties, and of other indices', () => {
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
    expect((await api.post('/api/v1/bulk', body)).status).toBe(400);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect('polluted' in {}).toBe(false);
  });

  const otherIndices = 'companies,* * _all companies/../people %2e%2e%2f_cat .security companies-* Companies'.split(
    ' ',
  );
  test.each([
    '__proto__[polluted]=1',
    '__proto__.polluted=1',
    'constructor[prototype][polluted]=1',
    '__proto__=1',
    'constructor=1',
    'fields=__proto__,constructor,toString',
    'sort=__proto__',
    'type=constructor',
    ...otherIndices.map((type) => `type=${type}`),
    'facets=__proto__',
    'hasOwnProperty=1',
  ])('query string: %s is a 400 that names the problem', async (extra) => {
    const { status, body } = await get(
      api,
      `/api/v1/search?${extra.startsWith('type=') ? '' : 'type=companies&'}query=a&${extra}`,
    );
    expect([status, JSON.parse(body)]).toEqual([400, expect.objectContaining({ code: expect.any(String) })]);
    expect('polluted' in {}).toBe(false);
    expect(api.asked).toEqual([]);
  });
});

// Long repetitions of what expressions repeat, with an unexpected end: an expression that backtracks would take seconds
// for eight thousand characters, and forever for more.
const long = 8_000;
const patterns = ['a', ' ', '"', '\\', ',', '\\,', 'W/"', '=', ';', '0', '-', '(', '%20', 'ß', '1.', 'es_live_', 'a '];

const parameters = 'query type tag city fields sort cursor facets page founded_from start_date_from'.split(' ');
const headerNames = [
  ...['Authorization', 'If-None-Match', 'X-Request-Id', 'X-Forwarded-For'],
  ...['Accept', 'Accept-Encoding', 'Origin', 'PAYMENT-SIGNATURE'],
];

describe('Regular expressions', () => {
  test.each(patterns)('%j repeated in every parameter and header is answered without backtracking', async (piece) => {
    const text = piece.repeat(Math.floor(long / piece.length));
    const ascii = /^[\x20-\x7e]+$/.test(text) ? text : 'a'.repeat(long);
    const query = encodeURIComponent(text).slice(0, long);
    const search = (name: string) => `/api/v1/search?${name === 'type' ? '' : 'type=companies&'}${name}=${query}`;
    const paths = [`/api/v1/suggest?q=${query}`, `/api/v1/companies/${query}`, `/${query}`];
    const asks = [
      ...[...parameters.map(search), ...paths, `/api/health?detailed=${query}`].map((path) => () => get(api, path)),
      ...[...headerNames.map((name) => ({ [name]: `${ascii}!` })), { Authorization: `Bearer ${ascii}!` }].map(
        (headers) => () => get(api, '/api/v1/companies/1', headers),
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

  const whole = `{"operation":"count","entity_type":"people","identifiers":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  test.each(['["a",'.repeat(40_000), '['.repeat(200_000), '{"a":'.repeat(40_000), `"${'\\'.repeat(200_000)}`, whole])(
    'a body nested as deep as its length or limit allows is refused at little cost (%#)',
    async (body) => {
      const before = process.cpuUsage();
      const response = await api.post('/api/v1/bulk', body);
      expect(response.status).toBe(400);
      expect(costSince(before)).toBeLessThan(100);
      expect((await response.text()).length).toBeLessThan(2_000);
    },
  );
});
