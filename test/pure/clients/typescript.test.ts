import type { IncomingMessage } from 'node:http';
import { createClient } from '../../../clients/typescript/src/client.ts';
import {
  ApiError,
  ConnectionFailedError,
  hasCode,
  UnexpectedAnswerError,
} from '../../../clients/typescript/src/errors.ts';
import { type Handler, json, startServer, thrownBy } from '../../support/clients/lying-server.ts';

// A server with arbitrary answers, and the client's reaction.

const page = (results: readonly object[], nextCursor: string | null) => ({
  success: true,
  data: { results, nextCursor },
  message: '',
  meta: { requestId: 'r-1' },
});
const empty = page([], null);

describe('A request', () => {
  test('has its parameters, lists as repeated parameters with escaped commas, and the key', async () => {
    await using server = await startServer((_, response) => json(response, 200, empty));
    const country = ['Korea, Republic of', 'Chile'];
    await server.client().search({ type: 'companies', query: 'a&b', country, highlight: true, founded_from: 2020 });
    const { url, headers } = server.requests[0] as IncomingMessage;
    const query = new URL(`http://x${url}`).searchParams;
    expect(query.getAll('country')).toEqual(['Korea\\, Republic of', 'Chile']);
    expect([query.get('query'), query.get('highlight'), query.get('founded_from')]).toEqual(['a&b', 'true', '2020']);
    expect(headers.authorization).toBe('Bearer es_test_key');
  });

  test('has the identifier as a single path segment', async () => {
    await using server = await startServer((_, response) => json(response, 200, empty));
    await server.client().getCompany({ identifier: 'a/b?c#ü' });
    expect(server.requests[0]?.url).toBe('/api/v1/companies/a%2Fb%3Fc%23%C3%BC');
    for (const identifier of ['', '.', '..']) {
      await expect(server.client().getCompany({ identifier })).rejects.toThrow(TypeError);
    }
    expect(server.requests.length).toBe(1);
  });

  test.each([
    ['baseUrl', { baseUrl: 'api.example.com' }],
    ['baseUrl', { baseUrl: 'https://name:secret@api.example.com' }],
    ['apiKey', { apiKey: 'es_live_x\n' }],
    ['apiKey', { apiKey: `0x${'1'.repeat(64)}` }],
    ['wallet', { wallet: 'es_live_secret' }],
    ['perCallUsd', { spending: { perCallUsd: '1e3' } }],
  ])('invalid options are reported without their values: %s %j', (name, wrong) => {
    const make = (): unknown => createClient({ baseUrl: 'https://api.example.com', ...wrong });
    expect(make).toThrow(new RegExp(`^${name} `));
    expect(make).not.toThrow(/secret|1111/);
  });
});

describe('Health', () => {
  const report = {
    status: 'error',
    timestamp: '',
    responseTime: 2,
    services: { database: 'error', api: 'operational' },
  };

  test('is returned even if the service is not ready', async () => {
    await using server = await startServer((_, response) => json(response, 503, report));
    expect(await server.client().health()).toEqual(report);
    await expect(server.client().usage()).rejects.toThrow(UnexpectedAnswerError);
  });

  test('is an error if another program answers', async () => {
    const overloaded = { error: 'Too much.', code: 'overloaded' };
    await using server = await startServer((_, response) => json(response, 503, overloaded));
    expect(await thrownBy(server.client().health())).toMatchObject({ code: 'overloaded' });
  });
});

describe('Retries', () => {
  test('happen if the server asks for them, not before the time that it names, and end', async () => {
    const times: number[] = [];
    await using server = await startServer((_, response, count) => {
      times.push(performance.now());
      if (count === 1) json(response, 429, { error: 'Wait', code: 'rate_limited' }, { 'retry-after': '1' });
      else json(response, 200, empty);
    });
    await server.client().search({ type: 'all' });
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990);
  });

  test('are limited in number', async () => {
    await using server = await startServer((_, response) =>
      json(response, 503, { error: 'Busy', code: 'overloaded' }, { 'retry-after': '0' }),
    );
    const error = await thrownBy(server.client({ limits: { retries: 2 } }).search({ type: 'all' }));
    expect(hasCode(error, 'overloaded')).toBe(true);
    expect(server.requests.length).toBe(3);
  });

  test.each([
    ['a year', 429, { 'retry-after': '31536000' }],
    ['a date in a year', 503, { 'retry-after': new Date(Date.now() + 3e10).toUTCString() }],
    ['no Retry-After', 503, {}],
    ['nonsense', 429, { 'retry-after': '-5' }],
    ['an error that does not ask to wait', 500, { 'retry-after': '0' }],
  ])('do not happen after %s', async (_, status, headers) => {
    await using server = await startServer((_request, response) =>
      json(response, status, { error: 'No', code: 'internal_error' }, headers),
    );
    expect(await thrownBy(server.client().search({ type: 'all' }))).toBeInstanceOf(ApiError);
    expect(server.requests.length).toBe(1);
  });
});

describe('A response that is not from this API', () => {
  test.each<[string, Handler]>([
    ['HTML', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
    ['a redirect', (_, response) => response.writeHead(302, { location: 'https://elsewhere.example' }).end()],
    ['invalid JSON', (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"succ')],
    ['an unexpected shape', (_, response) => json(response, 200, { ok: 1 })],
    ['an array', (_, response) => json(response, 200, [])],
    ['an error of a proxy', (_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<p>')],
    ['too long', (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('x'.repeat(2e6))],
  ])('is an error of its own: %s', async (_, handler) => {
    await using server = await startServer(handler);
    const error = await thrownBy(server.client({ limits: { answerBytes: 1e6 } }).search({ type: 'all' }));
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect(server.requests.length).toBe(1);
  });

  test('a broken or hanging connection is an error, and an abort rejects with its reason', async () => {
    await using broken = await startServer((request) => request.socket.destroy());
    expect(await thrownBy(broken.client().search({ type: 'all' }))).toBeInstanceOf(ConnectionFailedError);
    await using hung = await startServer((_, response) => void response.writeHead(200).write('{'));
    const limits = { timeoutMs: 100 };
    expect(await thrownBy(hung.client({ limits }).search({ type: 'all' }))).toBeInstanceOf(ConnectionFailedError);
    const controller = new AbortController();
    const ended = hung.client().search({ type: 'all' }, { signal: controller.signal });
    const reason = new Error('enough');
    setTimeout(() => controller.abort(reason), 50);
    expect(await thrownBy(ended)).toBe(reason);
  });

  test('texts of errors are limited in length and contain no control characters', async () => {
    await using server = await startServer((_, response) =>
      json(response, 400, {
        error: `\u001b[2J${'x'.repeat(1e5)}`,
        code: 'invalid_parameter',
        details: [{ path: 'q' }, 7],
      }),
    );
    const error = await thrownBy(server.client().search({ type: 'all' }));
    expect(error).toMatchObject({ code: 'invalid_parameter', status: 400, requestId: 'r-1', details: [] });
    expect(String(error).length).toBeLessThan(2_200);
    expect(String(error)).not.toContain('\u001b');
  });
});

describe('A cursor', () => {
  test('is followed to its end, one page at a time as needed', async () => {
    await using server = await startServer((request, response) => {
      const cursor = new URL(`http://x${request.url}`).searchParams.get('cursor');
      const at = Number(cursor ?? 0);
      json(response, 200, page([{ id: at * 2 }, { id: at * 2 + 1 }], at < 3 ? String(at + 1) : null));
    });
    const client = server.client();
    const ids: number[] = [];
    for await (const { id } of client.searchAll({ type: 'companies', page: 1 })) ids.push(id);
    expect(ids).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(server.requests.slice(1).every(({ url }) => !url?.includes('page='))).toBe(true);
    for await (const { id } of client.searchAll({ type: 'companies' })) if (id === 1) break;
    expect(server.requests.length).toBe(5);
  });

  test('of removals is followed until there are no more, and kept', async () => {
    const removed = (at: number, cursor: string) => ({
      ...page([], cursor),
      data: { results: [{ entity_type: 'companies', id: at, removed_at: '' }], nextCursor: cursor, hasMore: at < 3 },
    });
    await using server = await startServer((_, response, count) => json(response, 200, removed(count, `c${count}`)));
    const pages = [];
    for await (const one of server.client().removalPages({ type: 'companies', cursor: 'c0' })) pages.push(one.data);
    expect(pages.flatMap(({ results }) => results.map(({ id }) => id))).toEqual([1, 2, 3]);
    expect(pages.at(-1)?.nextCursor).toBe('c3');
    expect(server.requests.map(({ url }) => new URL(`http://x${url}`).searchParams.get('cursor'))).toEqual([
      'c0',
      'c1',
      'c2',
    ]);
    await using circle = await startServer((_, response) => json(response, 200, removed(1, 'same')));
    const walk = async (): Promise<void> => {
      for await (const _ of circle.client().removalPages({ type: 'people' }));
    };
    expect(await thrownBy(walk())).toBeInstanceOf(UnexpectedAnswerError);
  });

  test('that is invalid or expired ends the loop with an error', async () => {
    await using circle = await startServer((_, response) => json(response, 200, page([{ id: 1 }], 'same')));
    const walk = async (client: ReturnType<typeof circle.client>): Promise<void> => {
      for await (const _ of client.searchAll({ type: 'companies' }));
    };
    expect(await thrownBy(walk(circle.client()))).toBeInstanceOf(UnexpectedAnswerError);
    await using expiring = await startServer((_, response, count) =>
      count === 1
        ? json(response, 200, page([], 'b'))
        : json(response, 400, { error: 'Again', code: 'cursor_expired' }),
    );
    expect(hasCode(await thrownBy(walk(expiring.client())), 'cursor_expired')).toBe(true);
  });
});
