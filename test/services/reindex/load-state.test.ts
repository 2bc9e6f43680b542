import { cutParts } from '../../../indexer/load/cut.ts';
import { ClaimLostError } from '../../../indexer/load/errors.ts';
import { LoadMember } from '../../../indexer/load/member.ts';
import { highestId } from '../../../indexer/read/read-all.ts';
import { reindexConfig } from '../../../indexer/reindex/config.ts';
import { RequestLimiter } from '../../../indexer/write/backpressure.ts';
import { BatchBuffers } from '../../../indexer/write/batch-buffers.ts';
import { manyCompanies, type ReindexStage, setReindexStage } from '../../support/stages/reindex.ts';
import { until } from '../../support/until.ts';

// What Postgres holds of a load in parts.

const load = { ...reindexConfig({}).load, partRows: 100 };
const smallBatches = { batchBytes: 8_192, bytesInFlight: 65_536 };

let stage: ReindexStage;

beforeAll(async () => {
  stage = await setReindexStage(manyCompanies);
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

describe('parts', () => {
  const rowsOf = async (parts: Awaited<ReturnType<typeof cutParts>>): Promise<readonly number[]> => {
    const { rows } = await stage.pool.query<{ n: number }>(
      `select (select count(*)::int from companies where id > part.after_id and id <= part.up_to_id) as n
       from unnest($1::bigint[], $2::bigint[]) with ordinality as part (after_id, up_to_id, at) order by at`,
      [parts.map(({ afterId }) => afterId), parts.map(({ upToId }) => upToId)],
    );
    return rows.map(({ n }) => n);
  };

  beforeAll(() =>
    stage.pool
      .query(`insert into companies (id, name, slug) select 10000000000 + n * n, 'F ' || n, 'f-' || n
              from generate_series(1, 500::bigint) as n`)
      .then(() => undefined),
  );
  afterAll(() => stage.pool.query('delete from companies where id > 10000000000').then(() => undefined));

  test('have as many rows each, however the ids lie; the last one is open', async () => {
    const parts = await cutParts(stage.pool, 'companies', 0, load);
    expect(parts.at(-1)?.upToId).toBe(highestId);
    const counts = await rowsOf(parts);
    expect(counts.slice(0, -1)).toEqual(Array.from({ length: 35 }, () => 100));
    expect(counts.at(-1)).toBe(0);
  });

  test('of a large table are cut by a sample of its pages', async () => {
    // Every page is in the sample then: 125,000 parts with 40 sampled rows each are as many rows as it says there are.
    await stage.pool.query(`update pg_class set reltuples = 5000000 where relname = 'companies'`);
    const parts = await cutParts(stage.pool, 'companies', 1_000, { partRows: 40, partsAtMost: 125_000 });
    await stage.pool.query('analyze companies');
    expect(parts[0]?.afterId).toBe(1_000);
    const counts = await rowsOf(parts);
    expect(Math.max(...counts)).toBe(40);
    expect(counts.reduce((sum, n) => sum + n, 0)).toBe(manyCompanies - 1_000 + 500);
  });
});

test('parts that somebody removed do not count as done: the load stops, and begins again when it is resumed', async () => {
  let removed = false;
  const [report] = await stage.run({
    config: { ...smallBatches, load: { ...load, beatMs: 20 } },
    observer: {
      onProgress: (_kind, { rows }) => {
        if (rows > 300 && !removed) void stage.pool.query('delete from search_load_parts where part % 2 = 0');
        removed ||= rows > 300;
      },
    },
  });
  expect(report?.reindex).toMatchObject({ state: 'loading', interrupted: true });
  const [again] = await stage.run({ mode: 'resume', config: { load } });
  expect(again).toMatchObject({
    generation: report?.generation,
    reindex: { state: 'live', documents: manyCompanies, counts: { rows: manyCompanies } },
  });
});

test('what one worker finds wrong with the documents stops all of them', async () => {
  let stopped = false;
  const [report] = await stage.run({
    config: { ...smallBatches, load: { ...load, beatMs: 20 } },
    observer: {
      onProgress: (_kind, { rows }) => {
        if (rows > 300 && !stopped) void stage.pool.query(`update search_loads set stopped = '50 in a row.'`);
        stopped ||= rows > 300;
      },
    },
  });
  expect(report?.reindex).toMatchObject({ state: 'loading', interrupted: true, refused: true });
  expect(report?.reindex.error).toContain('50 in a row.');
  expect((await stage.run({ mode: 'resume', config: { load } }))[0]?.reindex.state).toBe('live');
});

test('a load that a release before this one began goes on from its one resume point', async () => {
  const stopping = new AbortController();
  const [report] = await stage.run({
    config: { ...smallBatches, load },
    signal: stopping.signal,
    observer: { onProgress: (_kind, { rows }) => void (rows > 500 && stopping.abort(new Error('Stopped.'))) },
  });
  const { rows: points } = await stage.pool.query<{ id: number }>(
    'select max(resume_id) as id from search_load_parts where part = 1',
  );
  const resumeId = points[0]?.id ?? 0;
  await stage.pool.query('delete from search_loads');
  await stage.pool.query('update search_generations set resume_id = $2, rows_read = $2 where index_name = $1', [
    report?.generation,
    resumeId,
  ]);
  const seen: number[] = [];
  const [again] = await stage.run({
    mode: 'resume',
    config: { ...smallBatches, load },
    observer: { onProgress: (_kind, { rows }) => void seen.push(rows) },
  });
  expect(resumeId).toBe(100);
  expect(Math.min(...seen)).toBe(resumeId);
  expect(again).toMatchObject({
    reindex: { state: 'live', documents: manyCompanies, counts: { rows: manyCompanies } },
  });
});

test('a worker whose lease has passed may send nothing, and is another one when it comes back', async () => {
  const { rows } = await stage.pool.query<{ id: number }>(
    `insert into search_load_runs (release, requests, dead_letters) values ('1', 3, '{}') returning id`,
  );
  let pausedMs = 0;
  const join = (leads: boolean, nowMs: () => number) => {
    const limiter = new RequestLimiter(reindexConfig({}).pressure);
    const context = { pool: stage.pool, limiter, buffers: new BatchBuffers(1_000, 100), nowMs };
    const limits = { ...load, beatMs: 20, leaseMs: 500 };
    return LoadMember.join(context, { runId: rows[0]?.id ?? 0, name: 'test', leads, limits, bytesPerRequest: 100 });
  };
  await using leader = await join(true, () => performance.now());
  await using paused = await join(false, () => performance.now() + pausedMs);
  await until(() => paused.workerId !== undefined, 'a share for the second worker');
  const before = paused.workerId ?? 0;
  paused.assertClaims(before);
  pausedMs = 10_000;
  // Its clock has gone on, and it has not said anything since.
  expect(() => paused.assertClaims(before)).toThrow(ClaimLostError);
  expect(leader.workerId).toBeDefined();
  // Another has deleted it meanwhile: what it claims from now on, it claims under another number.
  await stage.pool.query('delete from search_load_workers where id = $1', [before]);
  await until(() => ![undefined, before].includes(paused.workerId), 'another number');
  expect(() => paused.assertClaims(before)).toThrow(ClaimLostError);
});
