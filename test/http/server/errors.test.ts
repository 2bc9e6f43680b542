import { apiForFile, json, type SearchBody, startApi } from '../../support/api/in-process.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const api = await apiForFile();

describe('Errors have the same form everywhere', () => {
  test.each([
    ['an unknown address', 'GET', '/nowhere', 404, 'not_found'],
    ['an unknown keyed address', 'GET', '/api/v1/nowhere', 404, 'not_found'],
    ['an unknown address with another method', 'DELETE', '/nowhere', 404, 'not_found'],
    ['a malformed percent-encoding', 'GET', '/api/%E0%A4%A', 404, 'not_found'],
    ['another method', 'POST', '/api/v1/search?type=all', 405, 'method_not_allowed'],
    ['a rare method', 'PROPFIND', '/api/health', 405, 'method_not_allowed'],
  ])('%s', async (_title, method, path, status, code) => {
    const response = await fetch(`${api.url}${path}`, { method });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('x-request-id')).toMatch(uuid);
    expect(await response.json()).toEqual({ error: expect.stringMatching(/^[A-Z].*\.$/), code });
  });
});

describe('Request ids', () => {
  const own = '6F1C8E0A-93D1-4B8E-9B57-0A4B1E5D7C21';

  test("a caller's UUID is kept in lower case, and logged", async () => {
    const response = await api.keyed('/api/v1/search?type=all', { headers: { 'x-request-id': own } });
    expect(response.headers.get('x-request-id')).toBe(own.toLowerCase());
    expect((await json<SearchBody>(response)).meta.requestId).toBe(own.toLowerCase());
    expect(api.log).toContainEqual(expect.objectContaining({ msg: 'request', requestId: own.toLowerCase() }));
  });

  test.each(['', '12', `${own}0`, 'javascript:alert(1)'])('"%s" is replaced by a new UUID', async (given) => {
    const response = await fetch(`${api.url}/nowhere`, { headers: { 'x-request-id': given } });
    expect(response.headers.get('x-request-id')).toMatch(uuid);
    expect(response.headers.get('x-request-id')).not.toBe(given);
  });
});

describe('Methods and headers', () => {
  test.each(['/api/v1/search?type=all', '/api/health', '/nowhere'])('%s may not be stored or framed', async (path) => {
    const { headers } = await api.keyed(path);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
    expect(headers.get('x-powered-by')).toBeNull();
  });

  test.each([
    ['over http', {}, null],
    ['over https, according to the trusted proxy', { TRUST_PROXY: '1' }, expect.stringMatching(/max-age/)],
    ['over https, according to an untrusted header', { TRUST_PROXY: '0' }, null],
  ])('requested %s, an answer sets HSTS only if it came over https', async (title, env, expected) => {
    await using api = await startApi({ env });
    const headers: Record<string, string> = title === 'over http' ? {} : { 'x-forwarded-proto': 'https' };
    const response = await fetch(`${api.url}/nowhere`, { headers });
    expect(response.headers.get('strict-transport-security')).toEqual(expected);
    expect(response.headers.get('content-security-policy')).not.toMatch(/upgrade-insecure-requests/);
  });
});

describe('Other origins', () => {
  const preflight = {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.example.com',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    },
  };

  test('no origin is allowed unless it is configured', async () => {
    const response = await fetch(`${api.url}/api/v1/search`, preflight);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('a configured origin may send a key and read the request id, even of errors', async () => {
    await using api = await startApi({ env: { CORS_ORIGINS: 'https://app.example.com, http://localhost:5173' } });
    const allowed = await fetch(`${api.url}/api/v1/search`, preflight);
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(allowed.headers.get('access-control-allow-headers')).toMatch(/Authorization/);
    const refused = await fetch(`${api.url}/api/v1/search`, { headers: { origin: 'http://localhost:5173' } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    expect(refused.headers.get('access-control-expose-headers')).toMatch(
      /X-Request-Id.*X-Request-Cost.*RateLimit.*X-RateLimit-Remaining/,
    );
    const other = await fetch(`${api.url}/api/health`, { headers: { origin: 'https://evil.example' } });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('* allows any origin', async () => {
    await using api = await startApi({ env: { CORS_ORIGINS: '*' } });
    const response = await fetch(`${api.url}/api/health`, { headers: { origin: 'https://any.example' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });
});
