import type { Client } from '@elastic/elasticsearch';
import { type FaultProxy, startFaultProxy } from '../../../dev/torture/fault-proxy.ts';
import { createElasticsearchClient } from '../../../src/elasticsearch/client.ts';
import { createSearchPort } from '../../../src/elasticsearch/search-port.ts';
import { createTestIndices } from '../../support/engines/indices.ts';
import { closedAfterFile, forFile } from '../../support/for-file.ts';

// The search port against a real engine, through a proxy that fails.

const body = { query: { match_all: {} } };

function clientOf(url: string, maxResponseBytes: number): Client {
  return createElasticsearchClient({ url, apiKey: undefined, caFile: undefined, maxConnections: 4, maxResponseBytes });
}

const indices = await forFile(createTestIndices());
const index = `${indices.prefix}notes`;
await indices.client.indices.create({ index, settings: { number_of_replicas: 0 } });
await indices.client.index({ index, id: '1', document: { text: 'x'.repeat(5_000) }, refresh: true });
const proxy = await forFile(startFaultProxy(indices.url));
const client = await closedAfterFile(clientOf(proxy.url, 1_048_576), (opened) => opened.close());

test('a response contains the requested fields', async () => {
  const result = await createSearchPort(client).search({
    indices: [index],
    body,
    timeoutMs: 60_000,
    filterPath: 'hits.total.value',
  });
  expect(result).toMatchObject({ ok: true, body: { hits: { total: { value: 1 } } } });
});

test('a missing index and an invalid body are rejected with their status', async () => {
  const port = createSearchPort(client);
  const missing = await port.search({ indices: [`${indices.prefix}none`], body, timeoutMs: 60_000 });
  expect(missing).toMatchObject({ ok: false, reason: 'rejected', status: 404 });
  const senseless = await port.search({ indices: [index], body: { query: { nonsense: 1 } }, timeoutMs: 60_000 });
  expect(senseless).toMatchObject({ ok: false, reason: 'rejected', status: 400 });
});

test('a response over the size limit is not read to its end', async () => {
  const small = clientOf(indices.url, 1_000);
  try {
    const result = await createSearchPort(small).search({ indices: [index], body, timeoutMs: 60_000 });
    expect(result).toMatchObject({ ok: false, reason: 'invalid' });
  } finally {
    await small.close();
  }
});

test('an aborted caller gets an answer immediately', async () => {
  const leaving = new AbortController();
  await proxy.set('hang');
  const searching = createSearchPort(client).search({
    indices: [index],
    body,
    timeoutMs: 30_000,
    signal: leaving.signal,
  });
  leaving.abort();
  expect(await searching).toMatchObject({ ok: false, reason: 'timeout' });
  await proxy.set('pass');
});

describe('A cluster of several nodes', () => {
  let nodes: readonly [FaultProxy, FaultProxy];
  let several: Client;
  beforeAll(async () => {
    nodes = [await startFaultProxy(indices.url), await startFaultProxy(indices.url)];
    several = clientOf(`${nodes[0].url},${nodes[1].url}`, 1_048_576);
  });
  afterAll(async () => {
    await several.close();
    for (const node of nodes) await node[Symbol.asyncDispose]();
  });

  const isFound = async (timeoutMs: number) =>
    (await createSearchPort(several).search({ indices: [index], body, timeoutMs })).ok;

  test.each(['refuse', 'hang', 'cut', 'broken'] as const)(
    'delays the first searches if one node fails by "%s", fails none, and uses it again later',
    async (fault) => {
      await nodes[0].set(fault);
      const during = [];
      for (let at = 0; at < 6; at += 1) during.push(await isFound(3_000));
      await nodes[0].set('pass');
      expect(during).not.toContain(false);
      if (fault === 'hang') {
        // It is back in use, so the other one is not needed.
        await nodes[1].set('refuse');
        while (!(await isFound(3_000)));
        await nodes[1].set('pass');
      }
    },
  );

  test('fails a search within its timeout if all nodes hang', async () => {
    for (const node of nodes) await node.set('hang');
    const found = await isFound(600);
    for (const node of nodes) await node.set('pass');
    expect(found).toBe(false);
    expect(await isFound(5_000)).toBe(true);
  });
});
