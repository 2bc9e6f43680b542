import type pg from 'pg';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { reindexConfig } from '../../../indexer/config.ts';
import { storeDeadLetters } from '../../../indexer/dead-letters/dead-letters.ts';
import { generationById, type StoredGeneration } from '../../../indexer/generations/stored-generation.ts';
import { defaultLimits } from '../../../indexer/limits.ts';
import { readAllDocuments } from '../../../indexer/read/read-all.ts';
import { type DocumentChunk, readDocuments } from '../../../indexer/read/read-by-id.ts';
import { verifyGeneration } from '../../../indexer/verify/verify.ts';
import { rewriteDocuments } from '../../../indexer/write/rewrite-documents.ts';
import { sendDocuments } from '../../../indexer/write/send-documents.ts';
import { createWriteContext } from '../../../indexer/write/write-context.ts';
import type { KindName } from '../../../src/kinds/kind.ts';
import { type Moment, presentMoment } from '../../../src/lib/moment.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { createTestClient } from '../../support/engines/indices.ts';
import { forFile } from '../../support/for-file.ts';
import { startBusyProxy } from '../../support/proxies/busy.ts';
import { setSyncStage } from '../../support/stages/sync.ts';
import { patienceMs, until } from '../../support/until.ts';

// The path from rows to an index: the order of its steps, its memory, and its open transactions.

const stage = await forFile(setSyncStage(300, { kinds: ['companies', 'events'] }));

const never = new AbortController().signal;

const liveGeneration = async (kind: KindName): Promise<StoredGeneration> =>
  generationById(stage.pool, (await stage.liveRow(kind)).id);

function partOf(generation: StoredGeneration, ids: readonly number[]) {
  const deps = createWriteContext(stage.pool, stage.indices.client, reindexConfig({}));
  return rewriteDocuments(deps, generation, ids, { signal: never, onProgress: () => undefined });
}

type Step = 'marker' | 'version' | 'read' | 'flush' | 'sent';

/** The relevant requests to Postgres and Elasticsearch while some work is done, in order. */
async function stepsOf(work: () => Promise<unknown>): Promise<readonly Step[]> {
  const steps: Step[] = [];
  const see = (query: unknown): void => {
    const text = String(typeof query === 'object' && query !== null && 'text' in query ? query.text : query);
    if (text.includes("nextval('search_versions')")) steps.push('version');
    else if (text.includes('write_marker + 1')) steps.push('marker');
    else if (text.includes('row_to_json')) steps.push('read');
    else if (text.includes('pg_logical_emit_message')) steps.push('flush');
  };
  const onRequest = (error: unknown, request: { meta: { request: { params: { path: string } } } } | null): void => {
    const path = request?.meta.request.params.path ?? '';
    if (error === null && path.includes('companies') && path.endsWith('/_bulk')) steps.push('sent');
  };
  const restore: (() => void)[] = [];
  const onAcquire = (client: pg.PoolClient): void => {
    const { query } = client;
    if (Object.hasOwn(client, 'query')) return;
    const watch = (...given: Parameters<typeof query>): unknown => {
      see(given[0]);
      return query.apply(client, given);
    };
    Object.assign(client, { query: watch });
    restore.push(() => Reflect.deleteProperty(client, 'query'));
  };
  stage.pool.on('acquire', onAcquire);
  const { diagnostic } = stage.indices.client;
  diagnostic.on('request', onRequest);
  try {
    await work();
  } finally {
    stage.pool.off('acquire', onAcquire);
    for (const undo of restore) undo();
    diagnostic.off('request', onRequest);
  }
  return steps;
}

describe('before anything is sent, a version is drawn, the rows read, everything read flushed to disk, and the marker counted', () => {
  const read = ['version', 'read'];
  const marked = ['marker', 'flush'];

  test('in a partial reindex', async () => {
    const generation = await liveGeneration('companies');
    expect(await stepsOf(() => partOf(generation, [1, 2, 99_999]))).toEqual([...read, ...marked, 'sent']);
  });

  test('for a large document', async () => {
    await stage.pool.query(`update companies set overview = repeat('large ', 20000) where id = 3`);
    const generation = await liveGeneration('companies');
    const steps = await stepsOf(() => partOf(generation, [3]));
    expect(steps).toEqual([...read, ...read, ...marked, 'sent']);
  });

  test('in a load', async () => {
    const generation = await liveGeneration('companies');
    const context = createWriteContext(stage.pool, stage.indices.client, reindexConfig({}));
    const rows = readAllDocuments(stage.pool, generation, { afterId: 280, signal: never });
    const steps = await stepsOf(() => sendDocuments(context, generation, rows, { signal: never }));
    expect(steps).toEqual([...read, 'flush', 'sent']);
  });
});

test('a document with a foreign version is overwritten', async () => {
  const generation = await liveGeneration('companies');
  const version = await readValue<number>(stage.pool, `select nextval('search_versions') + 1000 as version`);
  const client = stage.indices.client;
  await client.index({
    index: generation.indexName,
    id: '10',
    version,
    version_type: 'external',
    document: { id: 10 },
  });
  await client.delete({ index: generation.indexName, id: '11', version, version_type: 'external' });
  await stage.pool.query('delete from companies where id = 12');
  const counts = { written: 3, deleted: 1, superseded: 0, deadLetters: 0 };
  expect(await partOf(generation, [10, 11, 12, 12, 13])).toEqual(counts);
  const drawn = await stage.pool.query<{ v: number }>('select last_value as v from search_versions');
  expect(drawn.rows[0]?.v).toBeGreaterThan(version);
});

describe('a document that was read 10 minutes ago, by either clock,', () => {
  const sent = { requestTimeoutMs: patienceMs, firstPauseMs: 10, longestPauseMs: 100, giveUpAfterMs: patienceMs };
  const limit = 10 * 60_000;
  const ago = (wallMs: number, steadyMs: number): Moment => {
    const present = presentMoment();
    return { wallMs: present.wallMs - wallMs, steadyMs: present.steadyMs - steadyMs };
  };

  async function send(version: number, drawnAt: Moment, url = stage.indices.url): Promise<void> {
    const client = createTestClient(url);
    const context = createWriteContext(stage.pool, client, { ...reindexConfig({}), bulk: sent });
    async function* chunks(): AsyncGenerator<DocumentChunk> {
      yield { version, drawnAt, documents: [[15, '{"id":15}']] };
    }
    await sendDocuments(context, await liveGeneration('companies'), chunks(), { signal: never }).finally(() =>
      client.close(),
    );
  }

  test('does not come back after Elasticsearch has forgotten its deletion', async () => {
    const { indexName: index } = await liveGeneration('companies');
    const version = await readValue<number>(stage.pool, `select nextval('search_versions') as version`);
    await stage.pool.query('delete from companies where id = 15');
    await stage.round('companies');
    await stage.indices.client.indices.putSettings({ index, settings: { gc_deletes: '0s' } });
    await stage.indices.client.indices.refresh({ index });
    // The machine was suspended, which only the wall clock shows; or the wall clock was put back meanwhile.
    await expect(send(version, ago(limit, 0))).rejects.toThrow(/read 10 minutes ago .* too old/);
    await expect(send(version, ago(-limit, limit))).rejects.toThrow(/too old/);
    await stage.indices.client.indices.refresh({ index });
    expect(await stage.indices.client.exists({ index, id: '15' })).toBe(false);
    await stage.indices.client.indices.putSettings({ index, settings: { gc_deletes: '30m' } });
  });

  test('is not sent again either', async () => {
    await using proxy = await startBusyProxy(stage.indices.url, { requests: 1, items: 0, maxBodyBytes: 1e9 }, 1);
    await expect(send(1, ago(limit - 5_000, 0), proxy.url)).rejects.toThrow(/too old/);
    expect(proxy.answered.requests429).toBeGreaterThan(0);
  });
});

test('the dead letter of a later row state is kept when an earlier one is accepted', async () => {
  const generation = await liveGeneration('companies');
  const { rows } = await stage.pool.query<{ version: number }>(`select nextval('search_versions') + 5 as version`);
  const later = { id: 20, version: rows[0]?.version ?? 0, reason: 'a later state', document: null };
  const earlier = { ...later, version: later.version - 5, reason: 'an earlier state' };
  const reasons = async (): Promise<readonly string[]> =>
    (await stage.pool.query<{ reason: string }>('select reason from search_dead_letters')).rows.map(
      ({ reason }) => reason,
    );
  await storeDeadLetters(stage.pool, generation, [later]);
  await storeDeadLetters(stage.pool, generation, [earlier]);
  await partOf(generation, [20]);
  expect(await reasons()).toEqual(['a later state']);
  await stage.pool.query(`select setval('search_versions', $1)`, [later.version]);
  await partOf(generation, [20]);
  expect(await reasons()).toEqual([]);
});

test('documents are limited by bytes: a chunk is one large document or many small ones', async () => {
  await stage.pool.query(
    `update companies set overview = repeat('large ', 15000) where id between 101 and 120 and id % 2 = 0`,
  );
  await stage.pool.query(
    `update companies set overview = repeat('é ', 10000) where id between 101 and 120 and id % 2 = 1`,
  );
  const generation = await liveGeneration('companies');
  const ids: number[] = [];
  for await (const { documents } of readAllDocuments(stage.pool, generation, { afterId: 90, signal: never })) {
    const sizes = documents.map(([, document]) => Buffer.byteLength(document));
    if (sizes.some((size) => size > 65_536)) expect(sizes.length).toBe(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(16 * 1_048_576);
    ids.push(...documents.map(([id]) => id));
  }
  // Ascending: a load's resume point means that everything up to an id was acknowledged.
  expect(ids).toEqual(Array.from({ length: 210 }, (_, at) => at + 91));
  const named = [102, 101, 102, 99_999];
  const chunks: DocumentChunk[] = [];
  for await (const chunk of readDocuments(stage.pool, generation, named)) chunks.push(chunk);
  expect(chunks.flatMap(({ documents }) => documents.map(([id]) => id)).sort()).toEqual([101, 102]);
  expect(chunks.flatMap(({ gone = [] }) => gone)).toEqual([99_999]);
  await stage.round('companies');
  await stage.expectEqual(['companies']);
});

test('whole documents are compared in pages limited by bytes', async () => {
  // 30 MB in all, more than this client reads at once, in links, which no query searches.
  const link = `jsonb_build_object('site', 'https://a.example/' || repeat('a/', 100000))`;
  await stage.pool.query(`update companies set links = ${link} where id between 151 and 300`);
  await stage.round('companies');
  await stage.pool.query(`alter table companies disable trigger all`);
  await stage.pool.query(`update companies set links = ${link} || '{"new": "b"}' where id in (205, 206)`);
  await stage.pool.query(
    `alter table companies enable trigger all; alter table companies enable always trigger log_update`,
  );
  const report = await verifyGeneration(
    {
      pool: stage.pool,
      cluster: { client: stage.indices.client, limits: { timeoutMs: patienceMs, retries: 1, pauseMs: 50 } },
      config: { verify: defaultLimits.verify },
      nowMs: () => performance.now(),
    },
    await liveGeneration('companies'),
    { deep: true, signal: never },
  );
  expect(report.differences.map(({ key, kind }) => [key, kind]).sort()).toEqual([
    ['205', 'stale'],
    ['206', 'stale'],
  ]);
  await stage.pool.query(`update companies set links = '{}' where id between 151 and 300`);
});

test('while a load waits for Elasticsearch, no transaction is open in Postgres', async () => {
  await using proxy = await startBusyProxy(stage.indices.url, { requests: 1, items: 0, maxBodyBytes: 1e9 }, 1);
  const bulk = { requestTimeoutMs: patienceMs, firstPauseMs: 10, longestPauseMs: 100, giveUpAfterMs: patienceMs };
  const counted = new AbortController();
  let open: Promise<number> | undefined;
  const looking = stage.run({
    url: proxy.url,
    signal: counted.signal,
    config: { batchBytes: 2_048, bytesInFlight: 4_096, bulk },
    observer: {
      onState: (_, state) => {
        // By then as many requests are in progress as allowed, so that nothing is read.
        const refused = () => proxy.answered.requests429 >= 10;
        if (state !== 'loading') return;
        open ??= until(refused, 'ten refusals')
          .then(() => countOpen(stage.pool))
          .finally(() => counted.abort(new Error('The test has counted.')));
      },
    },
  });
  const reports = await looking;
  expect(reports[0]?.reindex).toMatchObject({ state: 'loading', interrupted: true });
  expect(await open).toBe(0);
  await stage.run({ mode: 'abort' });
});

/** Connections that are in a transaction, and not at this moment at work in one. */
const countOpen = (pool: pg.Pool) =>
  readValue<number>(
    pool,
    `select count(*)::int as n from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
  );

test('the search for orphans skips foreign documents and continues after them', async () => {
  await stage.pool.query(
    `insert into events (id, name, slug) select n, 'E ' || n, 'e-' || n from generate_series(1, 30) n`,
  );
  await stage.round('events');
  const [index = ''] = await stage.live('events');
  const strays = [
    ['stray', 5],
    ['7.5', 7],
    ['far', 900_719_925_474_099_300],
    ['nameless', undefined],
  ] as const;
  for (const [id, field] of strays) await stage.indices.client.index({ index, id, document: { id: field, name: id } });
  await stage.pool.query('truncate events cascade');
  await stage.round('events');
  await stage.indices.client.indices.refresh({ index });
  const left = await stage.indices.client.search({ index, size: 100 });
  expect(left.hits.hits.map(({ _id }) => _id).sort()).toEqual(['7.5', 'far', 'nameless', 'stray']);
  for (const [args, deep] of [
    [['verify', 'events'], false],
    [['verify', 'events', '--deep'], true],
  ] as const) {
    const { code, out } = await entitySearch(args, stage.env);
    expect([code, JSON.parse(out)]).toEqual([2, expect.objectContaining({ extra: 4, deep })]);
  }
  expect((await entitySearch(['repair', 'events'], stage.env)).code).toBe(0);
});
