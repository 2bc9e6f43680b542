import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { EntityStore } from '../../../src/records/ports.ts';
import { countInMemory, noEntities } from '../../support/api/fake-access.ts';
import { apiForFile, type ErrorBody, expectError, json, startApi } from '../../support/api/in-process.ts';

const path = '/api/v1/bulk';
const good = { operation: 'count', entity_type: 'companies', identifiers: [1] };

/** Counts every identifier as found, and keeps what it was asked. */
function countingStore() {
  const asked: unknown[] = [];
  const entities: EntityStore = {
    ...noEntities,
    existing: async (_kind, wanted) => {
      asked.push(wanted);
      return { ok: true, value: wanted.values.map(() => ({ id: 1, slug: 'one' })) };
    },
  };
  return { asked, entities };
}

const store = countingStore();
const api = await apiForFile({ access: store });
const post = (body: unknown, headers?: Readonly<Record<string, string>>) => api.post(path, body, headers);

describe('POST /api/v1/bulk: refused bodies (sections 4.2 and 8)', () => {
  test.each<[string, object, string, RegExp]>([
    ['no operation', { ...good, operation: undefined }, 'operation', /required.* get, exists, count/],
    ['an unknown operation', { ...good, operation: 'delete' }, 'operation', /one of get, exists, count/],
    ['no entity_type', { ...good, entity_type: undefined }, 'entity_type', /required.* companies, people, investors/],
    ['an unknown entity_type', { ...good, entity_type: 'markets' }, 'entity_type', /companies, people, investors/],
    ['no identifiers', { ...good, identifiers: undefined }, 'identifiers', /required.* 1 to 100/],
    ['no list', { ...good, identifiers: 7 }, 'identifiers', /1 to 100/],
    ['no identifier in the list', { ...good, identifiers: [] }, 'identifiers', /1 to 100/],
    ['101 identifiers', { ...good, identifiers: Array(101).fill(1) }, 'identifiers', /1 to 100.*; 101 were sent/],
    ['zero', { ...good, identifiers: [1, 0] }, 'identifiers.1', /from 1 to 9007199254740991/],
    ['a negative number', { ...good, identifiers: [-1] }, 'identifiers.0', /from 1/],
    ['a fraction', { ...good, identifiers: [1.5] }, 'identifiers.0', /whole number/],
    ['2^53', { ...good, identifiers: [2 ** 53] }, 'identifiers.0', /9007199254740991/],
    ['null', { ...good, identifiers: [null] }, 'identifiers.0', /whole number/],
    ['a nested list', { ...good, identifiers: [[1]] }, 'identifiers.0', /whole number/],
    ['an empty slug', { ...good, identifiers: [''] }, 'identifiers.0', /slug/],
    ['a slug with a NUL', { ...good, identifiers: ['a\u0000b'] }, 'identifiers.0', /slug/],
    ['a slug with DEL', { ...good, identifiers: ['ok', 'a\u007fb'] }, 'identifiers.1', /slug/],
    ['a slug with a lone surrogate', { ...good, identifiers: ['a\ud800b'] }, 'identifiers.0', /slug/],
    ['a slug with a noncharacter', { ...good, identifiers: ['a\uffffb'] }, 'identifiers.0', /slug/],
    ['a long slug', { ...good, identifiers: ['x'.repeat(513)] }, 'identifiers.0', /512 characters/],
    ['ids and slugs together', { ...good, identifiers: [1, 'one'] }, 'identifiers', /not both/],
    ['fields without get', { ...good, fields: ['name'] }, 'fields', /only to "get"/],
    [
      'an unknown field',
      { ...good, operation: 'get', fields: ['name', 'no'] },
      'fields.1',
      /.docs lists the fields of/,
    ],
    ['no field', { ...good, operation: 'get', fields: [] }, 'fields', /1 to 100 field names/],
    ['a field that is not text', { ...good, operation: 'get', fields: [1] }, 'fields.0', /field name/],
    ['an unknown key', { ...good, limit: 3 }, 'limit', /^is unknown, the fields are operation, entity_type, ident/],
  ])('%s is 400', async (_title, body, where, what) => {
    const { details = [], error } = await expectError(post(body), 400, 'invalid_parameter');
    expect(details).toContainEqual({ path: where, message: expect.stringMatching(what) });
    expect(error).toContain(`"${details[0]?.path}"`);
  });

  test('all problems are reported together', async () => {
    const body = { operation: 'x', entity_type: 'y', identifiers: [0, 'a'], extra: 1 };
    const { details = [] } = await json<ErrorBody>(post(body));
    expect(
      details
        .map(({ path: where }) => where)
        .sort()
        .join(' '),
    ).toBe('entity_type extra identifiers.0 operation');
  });

  test.each<[string, NonNullable<RequestInit['body']>, Readonly<Record<string, string>>?]>([
    ['invalid JSON', '{"operation":'],
    ['a list', '[]'],
    ['a text', '"bulk"'],
    ['null', 'null'],
    ['nothing', ''],
    ['a key __proto__', '{"operation":"count","entity_type":"people","identifiers":[1],"__proto__":{"x":1}}'],
    ['invalid gzip', Buffer.from('not zipped'), { 'content-encoding': 'gzip' }],
    ['invalid brotli', Buffer.from('not brotli'), { 'content-encoding': 'br' }],
    ['invalid deflate', Buffer.from('not deflated'), { 'content-encoding': 'deflate' }],
    ['truncated gzip', gzipSync(JSON.stringify(good)).subarray(0, 30), { 'content-encoding': 'gzip' }],
  ])('%s is 400 malformed_body', async (_title, body, headers = {}) => {
    await expectError(post(body, headers), 400, 'malformed_body');
  });

  test.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/json; charset=latin1', {}],
    ['application/json', { 'content-encoding': 'compress' }],
  ])('Content-Type %s %j is 415', async (type, headers) => {
    await expectError(post(good, { ...headers, 'content-type': type }), 415, 'unsupported_media_type');
  });

  test.each([
    ['declared by its length', 'x'.repeat(256 * 1024 + 1), {}],
    ['compressed', gzipSync(' '.repeat(300_000)), { 'content-encoding': 'gzip' }],
  ])('a body over 256 KiB is 413 if it is %s', async (_title, body, headers) => {
    await expectError(post(body, headers), 413, 'body_too_large');
    // The connection can be used for the next request.
    expect((await api.keyed('/api/v1/search?type=all')).status).toBe(200);
  });

  test.each([
    ['too large', 413, gzipSync(randomBytes(16_000_000), { level: 0 })],
    ['not gzip', 400, randomBytes(16_000_000)],
  ])(
    'the rest of a compressed body that is %s is read, so that the connection can be reused',
    async (_title, status, body) => {
      const authorization = `Bearer ${api.key}`;
      const headers = { authorization, 'content-type': 'application/json', 'content-encoding': 'gzip' };
      const sending = httpRequest({ port: api.port, host: '127.0.0.1', path, method: 'POST', headers });
      // More than the buffers of both ends hold: it is sent completely only if the server reads it.
      sending.end(body);
      const sent = once(sending, 'finish');
      const [response] = (await once(sending, 'response')) as [IncomingMessage];
      expect(response.resume().statusCode).toBe(status);
      await sent;
    },
    10_000,
  );
});

describe('POST /api/v1/bulk: accepted bodies', () => {
  test.each([
    ['1.0 and 1e2, which are whole numbers', '[1.0, 1e2]', [1, 100]],
    ['the largest whole number', '[9007199254740991]', [9_007_199_254_740_991]],
  ])('%s', async (_title, identifiers, values) => {
    const response = await post(`{"operation":"count","entity_type":"people","identifiers":${identifiers}}`);
    expect(response.status).toBe(200);
    expect(store.asked.at(-1)).toEqual({ by: 'id', values });
  });

  test('gzip, and an explicit UTF-8 charset', async () => {
    const headers = { 'content-encoding': 'gzip', 'content-type': 'Application/JSON; charset=UTF-8' };
    expect((await post(gzipSync(JSON.stringify(good)), headers)).status).toBe(200);
  });

  test('answers in the envelope of section 4.2', async () => {
    expect(await json(post(good))).toEqual({
      success: true,
      data: { operation: 'count', entity_type: 'companies', requested_count: 1, results: { companies: { count: 1 } } },
      message: 'Bulk count of 1 company: 1 found.',
      meta: { requestId: expect.any(String), timestamp: expect.any(String), version: 'v1' },
    });
  });
});

describe('A bulk request costs one call per ten identifiers or part of ten (section 8)', () => {
  test.each([
    [1, 1],
    [10, 1],
    [11, 2],
    [99, 10],
    [100, 10],
  ])('%d identifiers cost %d', async (count, cost) => {
    const calls = countInMemory();
    await using counted = await startApi({ access: { ...store, quotas: calls } });
    const response = await counted.post(path, { ...good, identifiers: Array(count).fill(1) });
    expect(response.headers.get('x-request-cost')).toBe(String(cost));
    expect(await calls.used()).toMatchObject({ today: cost });
  });

  test('a bad body costs one call, however long its list', async () => {
    const calls = countInMemory();
    await using counted = await startApi({ access: { quotas: calls } });
    const response = await counted.post(path, { ...good, identifiers: Array(1_000).fill(0) });
    expect(response.status).toBe(400);
    expect(response.headers.get('x-request-cost')).toBe('1');
    expect(await calls.used()).toMatchObject({ today: 1 });
  });
});

test('another method is 405, and 401 without a key', async () => {
  const get = await api.keyed(path);
  expect(get.status).toBe(405);
  expect(get.headers.get('allow')).toBe('OPTIONS, POST');
  expect((await fetch(`${api.url}${path}`, { method: 'POST', body: '{}' })).status).toBe(401);
});
