import { startFaultProxy } from '../../../dev/torture/fault-proxy.ts';
import { takeLock } from '../../../indexer/generations/locks.ts';
import { forFile } from '../../support/for-file.ts';
import { startBusyProxy } from '../../support/proxies/busy.ts';
import { companyCount, setReindexStage } from '../../support/stages/reindex.ts';
import { patienceMs } from '../../support/until.ts';

// A reindex that meets faults: searches stay with the generation that was live before. A build that an engine's absence
// interrupts can be resumed; a build that is proven wrong is removed.

const calm = { requests: 0, items: 0, maxBodyBytes: Number.POSITIVE_INFINITY };
const quickBulk = { requestTimeoutMs: patienceMs, firstPauseMs: 10, longestPauseMs: 100, giveUpAfterMs: 1_000 };
const patientBulk = { ...quickBulk, giveUpAfterMs: patienceMs };
const quickActions = { timeoutMs: 15_000, retries: 0, pauseMs: 50 };
const smallBatches = { batchBytes: 8_192, bytesInFlight: 65_536 };

const stage = await forFile(setReindexStage());
await stage.run();
let live = await stage.live('companies');
// The index that is searched before each test.
beforeEach(async () => {
  live = await stage.live('companies');
});

/** Checks the state after a run that did not go live. */
async function expectUntouched(): Promise<void> {
  expect(await stage.live('companies')).toEqual(live);
  expect(await stage.indices.list()).toEqual(live);
}

describe('a busy cluster', () => {
  test('that answers 30 % of requests and documents with 429 delays the load without loss', async () => {
    await using proxy = await startBusyProxy(stage.indices.url, { ...calm, requests: 0.3, items: 0.3 }, 4);
    const [report] = await stage.run({
      url: proxy.url,
      config: { ...smallBatches, bulk: patientBulk },
      env: { GENERATIONS_KEPT: '0' },
    });
    expect(report?.reindex).toMatchObject({ state: 'live', documents: companyCount });
    expect(proxy.answered.requests429).toBeGreaterThan(10);
    expect(proxy.answered.items429).toBeGreaterThan(100);
  });

  test('that refuses a body as too large gets smaller ones', async () => {
    await using proxy = await startBusyProxy(stage.indices.url, { ...calm, maxBodyBytes: 5_000 }, 1);
    const [report] = await stage.run({ url: proxy.url, config: smallBatches, env: { GENERATIONS_KEPT: '0' } });
    expect(report?.reindex).toMatchObject({ state: 'live', documents: companyCount });
    expect(proxy.answered.tooLarge).toBeGreaterThan(10);
  });

  test('that accepts nothing for too long interrupts the run', async () => {
    await using proxy = await startBusyProxy(stage.indices.url, { ...calm, requests: 1 }, 1);
    const [report] = await stage.run({ url: proxy.url, config: { bulk: quickBulk, actions: quickActions } });
    expect(report?.reindex).toMatchObject({ state: 'loading', interrupted: true, refused: false });
    expect(report?.reindex.error).toContain('accepted no documents for 1 s (status 429)');
    expect(report?.reindex.error).toContain('reindex --resume companies');
    expect(await stage.live('companies')).toEqual(live);
    const [given] = await stage.run({ mode: 'abort' });
    expect(given?.reindex.state).toBe('aborted');
    expect((await stage.generations('companies')).at(-1)).toMatchObject({ state: 'aborted', ended: true });
    await expectUntouched();
  });
});

describe('a cluster that is down during the load', () => {
  test('interrupts the run, whatever the fault, and each time the run resumes where it was', async () => {
    await using proxy = await startFaultProxy(stage.indices.url);
    const bulk = { ...quickBulk, requestTimeoutMs: 300 };
    let generation: string | undefined;
    for (const fault of ['refuse', 'hang', 'cut', 'noise'] as const) {
      await proxy.set('pass');
      const [report] = await stage.run({
        mode: generation === undefined ? 'anew' : 'resume',
        url: proxy.url,
        config: { batchBytes: 8_192, bytesInFlight: 16_384, bulk, actions: quickActions },
        observer: { onProgress: () => void proxy.set(fault) },
      });
      expect(report?.reindex).toMatchObject({ state: 'loading', interrupted: true });
      expect(report?.reindex.error).toContain('accepted no documents for 1 s');
      generation ??= report?.generation;
      expect(report?.generation).toBe(generation);
      expect(await stage.live('companies')).toEqual(live);
    }
    const [last] = await stage.run({ mode: 'resume', env: { GENERATIONS_KEPT: '0' } });
    expect(last?.generation).toBe(generation);
    expect(last?.reindex).toMatchObject({ state: 'live', documents: companyCount });
    expect(stage.notes).toEqual([expect.stringContaining('Resuming ')]);
    live = await stage.live('companies');
    await expectUntouched();
  });

  test('and is back in time is waited for', async () => {
    await using proxy = await startFaultProxy(stage.indices.url);
    let seen = 0;
    const [report] = await stage.run({
      url: proxy.url,
      config: { ...smallBatches, bulk: patientBulk },
      env: { GENERATIONS_KEPT: '0' },
      observer: {
        onProgress: () => {
          seen += 1;
          if (seen === 3) void proxy.set('refuse').then(() => proxy.set('pass'));
        },
      },
    });
    expect(report?.reindex).toMatchObject({ state: 'live', documents: companyCount });
  });
});

describe('documents that Elasticsearch rejects', () => {
  // A keyword of more than 32,766 bytes is rejected; Postgres has nothing against it.
  beforeAll(() =>
    stage.pool
      .query(`update companies set slug = repeat('x', 40000) || id where id in (100, 200, 300)`)
      .then(() => undefined),
  );
  afterAll(() =>
    stage.pool.query(`update companies set slug = 'company-' || id where id in (100, 200, 300)`).then(() => undefined),
  );

  test('are stored with their reasons, the others are indexed, and the swap is refused', async () => {
    const [report] = await stage.run();
    expect(report?.reindex).toMatchObject({
      state: 'failed',
      refused: true,
      documents: companyCount - 3,
      counts: { rows: companyCount, deadLetters: 3 },
    });
    expect(report?.reindex.error).toContain('--allow-dead-letters');
    const { rows } = await stage.pool.query(
      `select d.id, d.reason, (d.document::jsonb ->> 'name') as name from search_dead_letters d
       join search_generations g on g.id = d.generation_id where g.index_name = $1 order by d.id`,
      [report?.generation],
    );
    expect(rows).toEqual(
      [100, 200, 300].map((id) => ({
        id,
        name: `Company ${id}`,
        reason: expect.stringContaining('immense term'),
      })),
    );
    await expectUntouched();
  });

  test('are left out within the limit', async () => {
    const [report] = await stage.run({ allowedDeadLetters: 3, env: { GENERATIONS_KEPT: '0' } });
    expect(report?.reindex).toMatchObject({ state: 'live', documents: companyCount - 3 });
  });
});

describe('consecutive rejections', () => {
  const put = (slug: string, ids: string): Promise<unknown> =>
    stage.pool.query(`update companies set slug = ${slug} where ${ids}`);
  // Answers in the order of rows.
  const oneByOne = { REINDEX_REQUESTS: '1' };
  afterEach(() => put(`'company-' || id`, 'id <= 200').then(() => undefined));

  test('stop the load, and corrected rows are accepted when it is resumed', async () => {
    await put(`repeat('x', 40000) || id`, 'id between 101 and 160');
    const [report] = await stage.run({ allowedDeadLetters: 1_000, env: oneByOne });
    expect(report?.reindex).toMatchObject({ state: 'loading', interrupted: true, refused: true });
    expect(report?.reindex.error).toContain('50 documents in a row');
    expect(await stage.live('companies')).toEqual(live);
    await put(`'company-' || id`, 'id between 101 and 160');
    const [again] = await stage.run({ mode: 'resume', env: { GENERATIONS_KEPT: '0' } });
    expect(again?.generation).toBe(report?.generation);
    expect(again?.reindex).toMatchObject({ state: 'live', documents: companyCount });
  });
});

test('a second reindex of the same kind is refused, and the lock holder named', async () => {
  const taken = await takeLock(stage.pool, 'companies', 'entity-search reindex, elsewhere:77');
  if (!('held' in taken)) throw new Error('somebody else has the lock');
  await using _lock = taken.held;
  const [companies, people] = await stage.run({ kinds: ['companies', 'people'] });
  expect(companies?.reindex).toMatchObject({ state: 'failed', refused: true });
  expect(companies?.reindex.error).toMatch(
    /^companies is being reindexed already by "entity-search reindex, elsewhere:77" \(Postgres process \d+, since \d{4}-/,
  );
  expect(people?.reindex.state).toBe('live');
  expect(await stage.live('companies')).toEqual(live);
});

test('a lost connection of the lock ends the run', async () => {
  const endings: Promise<unknown>[] = [];
  // Takes no documents: the load is under way until something ends it.
  await using proxy = await startBusyProxy(stage.indices.url, { ...calm, requests: 1 }, 1);
  const [report] = await stage.run({
    url: proxy.url,
    config: { bulk: patientBulk },
    observer: {
      onState: (_kind, state) => {
        if (state !== 'loading') return;
        const end = `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'entity-search reindex, test:1'`;
        endings.push(stage.pool.query(end));
      },
    },
  });
  // A late one would end the connections of the next test.
  await Promise.all(endings);
  expect(report?.reindex).toMatchObject({ state: 'loading', interrupted: true });
  expect(report?.reindex.error).toContain('held the lock of companies broke');
  expect(await stage.live('companies')).toEqual(live);
});

test('a stop interrupts the run, which resumes after the last acknowledged id', async () => {
  const stopping = new AbortController();
  const [report] = await stage.run({
    config: smallBatches,
    signal: stopping.signal,
    observer: {
      // The first batch to be acknowledged need not be the first that was sent; after this many it is among them.
      onProgress: (_kind, progress) => {
        if (progress.rows > companyCount / 3) stopping.abort(new Error('Stopped by SIGINT.'));
      },
    },
  });
  const error = expect.stringContaining('Stopped by SIGINT.');
  expect(report?.reindex).toMatchObject({ state: 'loading', interrupted: true, error });
  const { rows } = await stage.pool.query<{ resume_id: number; rows_read: number }>(
    'select resume_id, rows_read from search_generations where index_name = $1',
    [report?.generation],
  );
  expect(rows[0]?.resume_id).toBeGreaterThan(0);
  expect(rows[0]?.rows_read).toBe(rows[0]?.resume_id);
  expect(await stage.live('companies')).toEqual(live);
  const [other] = await stage.run({ mode: 'resume', env: { ELASTICSEARCH_SHARDS: '2' } });
  const settings = expect.stringContaining("with other settings, so it can't be resumed");
  expect(other?.reindex).toMatchObject({ refused: true, error: settings });
  const seen: number[] = [];
  const [second] = await stage.run({
    mode: 'resume',
    config: smallBatches,
    observer: { onProgress: (_kind, progress) => void seen.push(progress.rows) },
  });
  expect(Math.min(...seen)).toBeGreaterThanOrEqual(rows[0]?.resume_id ?? 0);
  expect(second).toMatchObject({
    generation: report?.generation,
    reindex: { state: 'live', documents: companyCount },
  });
});
