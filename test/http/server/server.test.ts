import { type Api, apiForFile, startApi } from '../../support/api/in-process.ts';
import { exchange, openSocket, readAll } from '../../support/api/raw-http.ts';

const api = await apiForFile();
const ask = async (of: Api, bytes: string) => {
  const { body, ...answer } = await exchange(of.port, bytes);
  return { ...answer, body: JSON.parse(body) };
};

const uuidHeader = /^X-Request-Id: [0-9a-f-]{36}\r?$/im;

describe("Node's own errors have the form of all errors", () => {
  test.each([
    ['a line that is not HTTP', 'hello\r\n\r\n', 400, 'malformed_request'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'malformed_request'],
    ['a bad header', 'GET / HTTP/1.1\r\nbad header\r\n\r\n', 400, 'malformed_request'],
    ['two lengths', 'POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400, 'malformed_request'],
    ['too long headers', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['a too long address', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`, 431, 'headers_too_large'],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', 405, 'method_not_allowed'],
    ['a strange expectation', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n', 417, 'expectation_failed'],
    ['no Host', 'GET /api/health HTTP/1.1\r\n\r\n', 400, 'malformed_request'],
    ['two Hosts', 'GET /api/health HTTP/1.1\r\nHost: a\r\nX: 1\r\nhost: a\r\n\r\n', 400, 'malformed_request'],
    ['an invalid Host', 'GET /api/health HTTP/1.1\r\nHost: a/b@c\r\n\r\n', 400, 'malformed_request'],
    ['two Hosts over HTTP/1.0', 'GET /nowhere HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'malformed_request'],
    ['no Host over HTTP/1.0', 'GET /nowhere HTTP/1.0\r\n\r\n', 404, 'not_found'],
    ['an empty Host', 'GET /nowhere HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n', 404, 'not_found'],
    ['an IPv6 Host', 'GET /nowhere HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n', 404, 'not_found'],
    [
      'an upgrade to another protocol',
      'GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
      404,
      'not_found',
    ],
  ])('%s', async (_title, bytes, status, code) => {
    const answer = await ask(api, bytes);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error: expect.stringMatching(/\.$/), code });
    expect(answer.head).toMatch(uuidHeader);
    expect(answer.head).toMatch(/^Content-Type: application\/json; charset=utf-8\r?$/im);
  });
});

function unfinished(key: string, header: string, body: string): string {
  const lines = ['POST /api/v1/bulk HTTP/1.1', 'Host: a', `Authorization: Bearer ${key}`];
  return [...lines, 'Content-Type: application/json', header, '', body].join('\r\n');
}

test('a body with invalid chunk sizes is answered 400', async () => {
  const answer = await ask(api, unfinished(api.key, 'Transfer-Encoding: chunked', 'zz\r\n'));
  expect(answer.status).toBe(400);
  expect(answer.body.code).toBe('malformed_request');
});

test.each(['/api/v1/usage/', '/API/v1/usage', '//api/v1/usage'])('%s is not the path /api/v1/usage', async (path) => {
  const answer = await ask(api, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  expect(answer.status).toBe(404);
});

describe('Slow clients', () => {
  test('a client that never finishes its headers is answered 408 and disconnected', async () => {
    await using api = await startApi({ limits: { http: { headersTimeoutMs: 200, requestTimeoutMs: 400 } } });
    const answer = await ask(api, 'GET / HTTP/1.1\r\nHost: a\r\n');
    expect(answer.status).toBe(408);
    expect(answer.body.code).toBe('request_timeout');
  });

  test('a client that never finishes its body is answered 408 and disconnected', async () => {
    await using api = await startApi({ limits: { http: { headersTimeoutMs: 200, requestTimeoutMs: 400 } } });
    const answer = await ask(api, unfinished(api.key, 'Content-Length: 9', '{'));
    expect(answer.status).toBe(408);
    expect(answer.body.code).toBe('request_timeout');
    expect(answer.head).toMatch(uuidHeader);
  });

  test('an idle connection is closed after the keep-alive time', async () => {
    await using api = await startApi({ env: { KEEP_ALIVE_TIMEOUT: '200' } });
    const answer = await ask(api, 'GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(answer.status).toBe(404);
  });

  test('connections beyond the limit are refused, which is logged', async () => {
    await using api = await startApi({ env: { MAX_CONNECTIONS: '1' } });
    const first = await openSocket(api.port);
    expect(await exchange(api.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).toMatchObject({ head: '', body: '' });
    expect(api.log).toContainEqual(expect.objectContaining({ level: 'warn', maxConnections: 1 }));
    first.destroy();
  });
});

describe('Draining', () => {
  test('finishes current requests, answers those still arriving, accepts no new ones, and loses none', async () => {
    const started = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<boolean>();
    await using api = await startApi({
      answers: () => {
        started.resolve();
        return answer.promise;
      },
    });
    const idle = await openSocket(api.port);
    const running = fetch(`${api.url}/api/health`);
    await started.promise;
    const drained = api.drain({ graceMs: 5_000, timeoutMs: 30_000 });
    await expect(fetch(`${api.url}/nowhere`)).rejects.toThrow();
    const late = readAll(idle);
    idle.write('GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await late).toMatch(/^Connection: close\r?$/im);
    answer.resolve(true);
    const response = await running;
    expect(response.status).toBe(200);
    expect(response.headers.get('connection')).toBe('close');
    expect(await drained).toBe(0);
  });

  test('closes idle connections after the grace period', async () => {
    await using draining = await startApi();
    const closed = readAll(await openSocket(draining.port));
    expect(await draining.drain({ graceMs: 50, timeoutMs: 10_000 })).toBe(0);
    expect(await closed).toBe('');
  });

  test('cuts off hanging requests at the timeout, and logs their number', async () => {
    const started = Promise.withResolvers<void>();
    await using api = await startApi({
      answers: () => {
        started.resolve();
        return new Promise(() => undefined);
      },
      limits: { health: { quickTimeoutMs: 2_000 } },
    });
    const cut = expect(fetch(`${api.url}/api/health`)).rejects.toThrow();
    await started.promise;
    expect(await api.drain({ graceMs: 10, timeoutMs: 100 })).toBe(1);
    await cut;
  });
});
