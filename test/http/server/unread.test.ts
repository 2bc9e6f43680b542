import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Api, type Behaviour, elasticsearchAnswer, startApi } from '../../support/api/in-process.ts';
import { openSocket, readAll } from '../../support/api/raw-http.ts';
import { until } from '../../support/until.ts';

// Answers that are not read, read slowly, requested in numbers, or abandoned.

const script = '/console/assets/large.js';
/** Pages with one large file, which can't be compressed much. */
const pages = {
  readSearch: () => ({ title: '', parameters: '' }),
  render: () => '',
  script: 'large.js',
  preload: [],
  account: 'large.js',
  style: 'large.js',
  icon: 'large.js',
  texts: new Map([['large.js', randomBytes(1_200_000).toString('base64')]]),
};
const start = (behaviour: Behaviour = {}): Promise<Api> => startApi({ pages, ...behaviour });

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;

const open = (api: Api): Promise<Socket> => openSocket(api.port);

const statusesOf = (text: string): readonly string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status);
const linesOf = (api: Api, msg: string) => api.log.filter((line) => line.msg === msg);

describe('The deadline of an answer', () => {
  test('cuts off a client that reads only a little at a time, which is logged as aborted', async () => {
    await using api = await start({ limits: { http: { answerTimeoutMs: 600 } } });
    const slow = { onread: { buffer: Buffer.alloc(1), callback: () => false } };
    const socket = connect({ port: api.port, host: '127.0.0.1', ...slow });
    socket.on('error', () => undefined);
    // More than the kernel takes for a connection, so that the last byte can't leave.
    socket.write(get(script).repeat(9));
    const drip = setInterval(() => socket.resume(), 50);
    await until(() => linesOf(api, 'connection cut').length > 0, 'the cut');
    clearInterval(drip);
    expect(linesOf(api, 'connection cut')).toEqual([
      expect.objectContaining({ reason: 'the answer was not read in time' }),
    ]);
    await until(() => linesOf(api, 'request').some(({ aborted }) => aborted === true), 'a line on the aborted request');
    expect(api.log.filter(({ level }) => level === 'error')).toEqual([]);
    socket.destroy();
  });

  test('spares a client that reads, which may send another request on the same connection', async () => {
    await using api = await start({ limits: { http: { answerTimeoutMs: 500 } } });
    const socket = await open(api);
    socket.write(get('/nowhere'));
    await delay(700);
    socket.write(get('/nowhere', 'Connection: close\r\n'));
    expect(statusesOf(await readAll(socket))).toEqual(['404', '404']);
  });
});

describe('Pipelined requests', () => {
  test('are answered in order, one after another', async () => {
    let running = 0;
    let most = 0;
    await using api = await start({
      search: async () => {
        running += 1;
        most = Math.max(most, running);
        await delay(20);
        running -= 1;
        return { ok: true, body: elasticsearchAnswer([{ kind: 'companies', source: { id: 1, name: 'Quartz' } }]) };
      },
    });
    const socket = await open(api);
    const keyed = `Authorization: Bearer ${api.key}\r\n`;
    const search = get('/api/v1/search?type=companies', keyed);
    socket.write(search + search + get('/nowhere') + search + get('/api/health', 'Connection: close\r\n'));
    expect(statusesOf(await readAll(socket))).toEqual(['200', '200', '404', '200', '200']);
    expect(most).toBe(1);
  });

  test('are answered up to a hundred; beyond the queue limit the connection is cut', async () => {
    await using api = await start();
    const patient = await open(api);
    patient.write(get('/nowhere').repeat(99) + get('/nowhere', 'Connection: close\r\n'));
    expect(statusesOf(await readAll(patient))).toHaveLength(100);
    const greedy = await open(api);
    greedy.write(get('/nowhere').repeat(500));
    expect(statusesOf(await readAll(greedy)).length).toBeLessThan(100);
    expect(linesOf(api, 'connection cut')).toEqual([
      expect.objectContaining({ reason: 'too many pipelined requests' }),
    ]);
  });

  test('are never started after a disconnect, hold no slot, and do not delay draining', async () => {
    const begun = Promise.withResolvers<void>();
    const hung = Promise.withResolvers<void>();
    await using api = await start({
      env: { REQUESTS_MAX: '2' },
      search: async () => {
        begun.resolve();
        await hung.promise;
        return { ok: true, body: elasticsearchAnswer([]) };
      },
    });
    const socket = await open(api);
    socket.write(get('/api/v1/search?type=all', `Authorization: Bearer ${api.key}\r\n`).repeat(60));
    await begun.promise;
    socket.resetAndDestroy();
    await until(() => linesOf(api, 'request').length === 1, 'the first request');
    hung.resolve();
    await until(() => api.asked.length === 1, 'a search');
    for (let asked = 0; asked < 5; asked += 1) expect((await api.keyed('/api/v1/usage')).status).toBe(200);
    expect(await api.drain({ graceMs: 0, timeoutMs: 5_000 })).toBe(0);
    expect(linesOf(api, 'request')).toHaveLength(6);
  });
});

test('clients that do not read take no slots from others', async () => {
  await using api = await start({ env: { REQUESTS_MAX: '5' } });
  const silent = await Promise.all(Array.from({ length: 10 }, () => open(api)));
  for (const socket of silent) {
    socket.pause();
    // More than the kernel takes for a connection.
    socket.write(get(script).repeat(9));
    await delay(20);
  }
  expect((await fetch(`${api.url}/openapi.json`)).status).toBe(200);
  for (const socket of silent) socket.destroy();
});

test('beyond the memory budget, clients that waited longest are cut off, and clients that read are answered', async () => {
  await using api = await start({ limits: { http: { unreadMaxBytes: 1_048_576 } } });
  const silent = await Promise.all(Array.from({ length: 30 }, () => open(api)));
  for (const socket of silent) {
    socket.pause();
    socket.write(get(script).repeat(9));
  }
  await until(() => linesOf(api, 'connections cut: too many bytes of answers were not read').length > 0, 'the cuts');
  const response = await fetch(`${api.url}${script}`);
  expect((await response.text()).length).toBeGreaterThan(1_000_000);
  for (const socket of silent) socket.destroy();
});

describe('Callers who disconnect', () => {
  test('cause only an aborted request in the log, and no error', async () => {
    const begun = Promise.withResolvers<void>();
    const hung = Promise.withResolvers<void>();
    await using api = await start({
      search: async () => {
        begun.resolve();
        await hung.promise;
        return { ok: true, body: elasticsearchAnswer([]) };
      },
    });
    const waiting = await open(api);
    waiting.write(get('/api/v1/search?type=all', `Authorization: Bearer ${api.key}\r\n`));
    await begun.promise;
    waiting.resetAndDestroy();
    const reading = await open(api);
    reading.write(get(script).repeat(9));
    // The first bytes have come; they stay unread, so the rest waits.
    await once(reading, 'readable');
    reading.resetAndDestroy();
    await until(
      () => linesOf(api, 'request').filter(({ aborted }) => aborted === true).length === 2,
      'two aborted requests',
    );
    hung.resolve();
    await delay(50);
    expect(api.log.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
    expect(linesOf(api, 'the caller has left').every(({ level }) => level === 'debug')).toBe(true);
  });
});

describe('Files of the page', () => {
  const ask = (api: Api, path: string, headers: Readonly<Record<string, string>>, method = 'GET') =>
    new Promise<{ head: string; body: Buffer }>((resolve, reject) => {
      const socket = connect(api.port, '127.0.0.1');
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines.join('')}\r\n`);
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => void chunks.push(chunk));
      socket.on('error', reject);
      socket.on('close', () => {
        const all = Buffer.concat(chunks);
        const end = all.indexOf('\r\n\r\n');
        resolve({ head: all.subarray(0, end).toString(), body: all.subarray(end + 4) });
      });
    });

  test('are the same in every encoding, even in pieces, and so are the headers of HEAD', async () => {
    await using api = await start();
    const plain = await ask(api, script, {});
    for (const [coding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const packed = await ask(api, script, { 'Accept-Encoding': coding });
      expect(packed.head).toMatch(new RegExp(`^Content-Encoding: ${coding}\r?$`, 'im'));
      expect(unpack(packed.body).equals(plain.body)).toBe(true);
      const head = await ask(api, script, { 'Accept-Encoding': coding }, 'HEAD');
      expect(head.body).toHaveLength(0);
      expect(head.head).toMatch(new RegExp(`^Content-Length: ${packed.body.length}\r?$`, 'im'));
    }
    // Ranges are not supported, so HTTP demands the whole file.
    const range = await ask(api, script, { Range: 'bytes=0-9' });
    expect(range.head).toMatch(/^HTTP\/1\.1 200/);
    expect(range.body.equals(plain.body)).toBe(true);
  });

  test('may be cached permanently, because their URLs name their content', async () => {
    await using api = await start();
    const { headers } = await fetch(`${api.url}${script}`);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });
});
