import { randomBytes } from 'node:crypto';
import { generateApiKey } from '../../../src/access/api-key.ts';
import { causeText, createLogger, describeError } from '../../../src/lib/log.ts';
import { elasticsearchAnswer, startApi } from '../../support/api/in-process.ts';
import { until } from '../../support/until.ts';

function requestLines(log: readonly Record<string, unknown>[]) {
  return log.filter(({ msg }) => msg === 'request');
}

/** Waits for a line that is written after the answer was read. */
async function untilLogged(log: readonly Record<string, unknown>[], count: number): Promise<void> {
  await until(() => requestLines(log).length >= count, `${count} lines`);
}

describe('The access log', () => {
  test('has one line per request with caller, route and outcome, but without the query', async () => {
    await using api = await startApi({ search: async () => ({ ok: true, body: elasticsearchAnswer([]) }) });
    const response = await api.keyed('/api/v1/search?type=all&query=private-words');
    await response.text();
    await untilLogged(api.log, 1);
    expect(requestLines(api.log)).toEqual([
      {
        level: 'info',
        time: expect.any(String),
        msg: 'request',
        requestId: response.headers.get('x-request-id'),
        method: 'GET',
        path: '/api/v1/search',
        status: 200,
        ms: expect.any(Number),
        ip: '127.0.0.1',
        account: 42,
      },
    ]);
    expect(JSON.stringify(api.log)).not.toContain('private-words');
  });

  test('contains the query only if LOG_QUERIES is set', async () => {
    await using api = await startApi({ env: { LOG_QUERIES: 'true' } });
    await (await api.keyed('/api/v1/search?type=all&query=quartz')).text();
    await untilLogged(api.log, 1);
    expect(requestLines(api.log)[0]).toMatchObject({ query: 'quartz' });
  });

  test('takes the address from X-Forwarded-For only as far as there are trusted proxies', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' };
    await using near = await startApi();
    await using behind = await startApi({ env: { TRUST_PROXY: '1' } });
    for (const api of [near, behind]) {
      await (await fetch(`${api.url}/nowhere`, { headers })).text();
      await untilLogged(api.log, 1);
    }
    expect(requestLines(near.log)[0]).toMatchObject({ ip: '127.0.0.1' });
    expect(requestLines(behind.log)[0]).toMatchObject({ ip: '198.51.100.7' });
  });

  test('never contains a key, wherever the client put it', async () => {
    const key = generateApiKey('live', randomBytes);
    await using api = await startApi({
      env: { LOG_QUERIES: 'true' },
      find: async () => ({ ok: false, cause: new Error(`could not find ${key}`) }),
    });
    const headers = { authorization: `Bearer ${key}` };
    const paths = [`/api/v1/search?type=all&query=${key}`, `/${key}`, `/api/v1/search?key=${key}`];
    for (const path of paths) await (await fetch(`${api.url}${path}`, { headers })).text();
    await untilLogged(api.log, paths.length);
    const written = JSON.stringify(api.log);
    expect(written).toContain('es_live_[redacted]');
    expect(written).not.toContain(key.slice('es_live_'.length));
  });
});

describe('The log entry of an error', () => {
  test('has its name, message, code, stack and causes, and no other property', () => {
    const error = Object.assign(new Error('refused', { cause: new Error('deeper') }), {
      code: 'ECONNREFUSED',
      meta: { headers: { authorization: 'ApiKey c2VjcmV0' } },
    });
    expect(describeError(error)).toEqual({
      type: 'Error',
      message: 'refused',
      code: 'ECONNREFUSED',
      stack: expect.stringContaining('log.test.ts'),
      cause: { type: 'Error', message: 'deeper', stack: expect.any(String) },
    });
  });

  test('is one line for a failure of another system, with each message once', () => {
    const refused = new AggregateError([new Error('connect ::1 refused'), new Error('connect 127.0.0.1 refused')], '');
    const again = new Error('search failed', { cause: new Error('search failed', { cause: refused }) });
    expect(causeText(again)).toBe('search failed: connect ::1 refused: connect 127.0.0.1 refused');
    expect(causeText(undefined)).toBe('');
  });

  test('ends at circular causes', () => {
    const error = new Error('round');
    error.cause = error;
    expect(JSON.stringify(describeError(error)).length).toBeLessThan(20_000);
  });

  test('has secrets redacted by name', () => {
    const lines: string[] = [];
    const log = createLogger('info', { write: (line) => void lines.push(line) });
    log.info({ authorization: 's3cret', headers: { authorization: 's3cret' }, req: { headers: { cookie: 's3cret' } } });
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('s3cret');
  });
});
