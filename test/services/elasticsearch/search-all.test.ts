import type { Client } from '@elastic/elasticsearch';
import { startFaultProxy } from '../../../dev/torture/fault-proxy.ts';
import { createElasticsearchClient } from '../../../src/elasticsearch/client.ts';
import { createSearchPort } from '../../../src/elasticsearch/search-port.ts';
import type { UntimedRequest } from '../../../src/search/ports.ts';
import { createTestIndices } from '../../support/engines/indices.ts';
import { closedAfterFile, forFile } from '../../support/for-file.ts';
import { reply, startEngineProxy } from '../../support/proxies/elasticsearch.ts';

// Several searches as one request, against a real engine, through a proxy that fails, and one of them failing alone.

const clientOf = (url: string): Client =>
  createElasticsearchClient({
    url,
    apiKey: undefined,
    caFile: undefined,
    maxConnections: 4,
    maxResponseBytes: 1_048_576,
  });

const indices = await forFile(createTestIndices());
const index = `${indices.prefix}notes`;
await indices.client.indices.create({ index, settings: { number_of_replicas: 0, number_of_shards: 2 } });
for (const [at, text] of ['one two', 'two three', 'drei – €uro "quoted"\nline'].entries()) {
  await indices.client.index({ index, id: String(at + 1), document: { text }, refresh: true });
}
const proxy = await forFile(startFaultProxy(indices.url));
const client = await closedAfterFile(clientOf(proxy.url), (opened) => opened.close());

const asking = (text: string, more: Partial<UntimedRequest> = {}): UntimedRequest => ({
  indices: [index],
  body: { query: { match: { text } }, track_total_hits: true },
  ...more,
});
const searchAll = (requests: readonly UntimedRequest[], timeoutMs = 60_000) =>
  createSearchPort(client).searchAll(requests, { timeoutMs });
const found = (value: number) => ({ ok: true, body: { hits: { total: { value } } } });

describe('Several searches in one request', () => {
  test('have their own answers, in order', async () => {
    expect(await searchAll([asking('two'), asking('nothing'), asking('€uro "quoted"\n')])).toMatchObject([
      found(2),
      found(0),
      found(1),
    ]);
  });

  test('are answered as each would be by itself', async () => {
    const filterPath = 'timed_out,hits.total.value,hits.max_score,hits.hits._index,hits.hits._source';
    for (const flatScores of [true, false]) {
      const request = asking('two', { filterPath, flatScores });
      const alone = await createSearchPort(client).search({ ...request, timeoutMs: 60_000 });
      const together = await searchAll([request, request]);
      if (!alone.ok) throw new Error('no answer', { cause: alone.cause });
      // In addition, each of several has a status.
      expect(together).toEqual(Array(2).fill({ ok: true, body: { ...Object(alone.body), status: 200 } }));
    }
  });

  test('fail one by one, each with its status', async () => {
    const missing = asking('two', { indices: [`${indices.prefix}none`] });
    expect(await searchAll([asking('two'), missing, asking('three')])).toMatchObject([
      found(2),
      { ok: false, reason: 'rejected', status: 404 },
      found(1),
    ]);
    const filterPath = 'hits.total.value';
    // Known to fail only when a shard looks at its field.
    const unsortable = asking('two', { body: { sort: ['text'] }, filterPath });
    expect(await searchAll([unsortable, asking('two', { filterPath })])).toMatchObject([
      {
        ok: false,
        reason: 'rejected',
        status: 400,
        cause: { message: expect.stringContaining('Fielddata is disabled') },
      },
      found(2),
    ]);
  });

  test('fail together if one is unreadable', async () => {
    const senseless = asking('two', { body: { query: { nonsense: 1 } } });
    expect(await searchAll([asking('two'), senseless])).toMatchObject(
      Array(2).fill({ ok: false, reason: 'rejected', status: 400 }),
    );
  });

  test('may be none', async () => {
    expect(await searchAll([])).toEqual([]);
  });
});

describe('The whole request', () => {
  test.each([
    ['refuse', 'unreachable'],
    ['hang', 'timeout'],
    ['mute', 'timeout'],
    ['cut', 'unreachable'],
    ['noise', 'unreachable'],
    ['page', 'invalid'],
    ['busy', 'refused'],
    ['broken', 'refused'],
  ] as const)('on "%s" is %s for each search, in time, and works afterwards', async (fault, reason) => {
    await proxy.set(fault);
    const replies = await searchAll([asking('one'), asking('two')], reason === 'timeout' ? 500 : 60_000);
    await proxy.set('pass');
    expect(replies).toMatchObject([
      { ok: false, reason },
      { ok: false, reason },
    ]);
    expect(await searchAll([asking('two')])).toMatchObject([found(2)]);
  });

  test('waits for a late answer', async () => {
    await proxy.set('slow');
    const replies = await searchAll([asking('one'), asking('two')]);
    await proxy.set('pass');
    expect(replies).toMatchObject([found(1), found(2)]);
  });

  test('is aborted when all its callers abort', async () => {
    const leaving = new AbortController();
    await proxy.set('hang');
    const asked = createSearchPort(client).searchAll([asking('one'), asking('two')], {
      timeoutMs: 30_000,
      signal: leaving.signal,
    });
    leaving.abort();
    const replies = await asked;
    await proxy.set('pass');
    expect(replies).toMatchObject([
      { ok: false, reason: 'timeout' },
      { ok: false, reason: 'timeout' },
    ]);
  });
});

describe('An engine too busy for one of the searches', () => {
  const answer = { status: 200, timed_out: false, hits: { total: { value: 1 } } };
  const refusal = (status: number) => ({ status, error: { type: 'es_rejected_execution_exception', reason: 'busy' } });

  test.each<[string, readonly unknown[], readonly object[]]>([
    ['429', [answer, refusal(429)], [{ ok: true }, { ok: false, reason: 'refused', status: 429 }]],
    ['503', [refusal(503), answer], [{ ok: false, reason: 'refused', status: 503 }, { ok: true }]],
    [
      'an error without a status',
      [{ error: 'x' }, answer],
      [{ ok: false, reason: 'refused', status: 500 }, { ok: true }],
    ],
    ['not an object', [null, answer], [{ ok: false, reason: 'invalid' }, { ok: true }]],
    [
      'an answer too few',
      [answer],
      [
        { ok: false, reason: 'invalid' },
        { ok: false, reason: 'invalid' },
      ],
    ],
    [
      'an answer too many',
      [answer, answer, answer],
      [
        { ok: false, reason: 'invalid' },
        { ok: false, reason: 'invalid' },
      ],
    ],
  ])('fails each of them: %s', async (_, given, replies) => {
    await using server = await startEngineProxy(async (_request, response) =>
      reply(response, 200, JSON.stringify({ responses: given })),
    );
    const busy = clientOf(server.url);
    const asked = await createSearchPort(busy).searchAll([asking('one'), asking('two')], { timeoutMs: 60_000 });
    expect(asked).toMatchObject(replies);
    await busy.close();
  });
});
