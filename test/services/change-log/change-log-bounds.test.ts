import { setTimeout as delay } from 'node:timers/promises';
import { changeLogCheck } from '../../../cli/doctor/checks/change-log.ts';
import { isChangeLogTooLong, listStalledGenerations, readChangeLogSize } from '../../../indexer/change-log/log-size.ts';
import { listFollowed } from '../../../indexer/change-log/positions.ts';
import { pruneChanges } from '../../../indexer/change-log/prune.ts';
import { syncConfig } from '../../../indexer/config.ts';
import { takeLock, takeReaderLock } from '../../../indexer/generations/locks.ts';
import { defaultLimits } from '../../../indexer/limits.ts';
import { changeLogLimits } from '../../../src/config/indexer.ts';
import { kindNames } from '../../../src/kinds/kind.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { forFile } from '../../support/for-file.ts';
import { startSync } from '../../support/stages/running-sync.ts';
import { type SyncStage, setSyncStage } from '../../support/stages/sync.ts';
import { until } from '../../support/until.ts';

// The change log has a maximum, and no idle reader keeps it: halted, paused, abandoned or retired generations.

const stage = await forFile(setSyncStage(300));

const entries = () => readValue<number>(stage.pool, 'select count(*) as n from search_changes');

/** Sync with quick housekeeping, until a condition is met. */
async function syncUntil(
  env: Readonly<Record<string, string>>,
  condition: () => boolean | Promise<boolean>,
  handlers: Parameters<SyncStage['syncDeps']>[0] = {},
): Promise<void> {
  const config = { ...syncConfig(env), pruneEveryMs: 50, discoverEveryMs: 20 };
  await using _ = startSync(stage.syncDeps(handlers, config));
  await until(condition, 'what sync is to do');
}

test('a generation beyond those kept is no longer followed, and its index is kept for a while', async () => {
  const [first] = await stage.live('events');
  await stage.run({ kinds: ['events'], env: { GENERATIONS_KEPT: '1' }, limits: defaultLimits });
  const [second] = await stage.live('events');
  expect((await listFollowed(stage.pool, ['events'])).map(({ indexName }) => indexName)).toEqual([second, first]);
  await stage.run({ kinds: ['events'], env: { GENERATIONS_KEPT: '1' }, limits: defaultLimits });
  const [third] = await stage.live('events');
  expect((await listFollowed(stage.pool, ['events'])).map(({ indexName }) => indexName)).toEqual([third, second]);
  expect(await stage.indices.list()).toContain(first);
  // sync does the same if fewer are kept from now on.
  await syncUntil({ GENERATIONS_KEPT: '0' }, async () => {
    const followed = await listFollowed(stage.pool, ['events']);
    return followed.map(({ indexName }) => indexName).join() === third;
  });
  expect(await stage.indices.list()).toContain(second);
});

test("dead letters are deleted with their generation's index, or after a failed build with the next one", async () => {
  await stage.pool.query(`update people set slug = repeat('x', 40000) where id = 1`);
  await stage.round('people');
  const [refused] = await stage.run({ kinds: ['people'] });
  expect(refused?.reindex).toMatchObject({ state: 'failed', counts: { deadLetters: 1 } });
  const lettersOf = (index: string | undefined) =>
    readValue<number>(
      stage.pool,
      `select count(*)::int as letters from search_dead_letters l join search_generations g on g.id = l.generation_id
       where g.index_name = $1`,
      [index],
    );
  expect(await lettersOf(refused?.generation)).toBe(1);
  await stage.pool.query(`update people set slug = 'p-1' where id = 1`);
  await stage.round('people');
  const [old] = await stage.live('people');
  await stage.pool.query(
    `insert into search_dead_letters (generation_id, id, reason) select id, 1, 'x' from search_generations where index_name = $1`,
    [old],
  );
  await stage.run({ kinds: ['people'], env: { GENERATIONS_KEPT: '0' } });
  expect(await stage.indices.list()).not.toContain(old);
  const { rows } = await stage.pool.query('select id from search_dead_letters');
  expect(rows).toEqual([]);
});

describe('a generation whose build was abandoned', () => {
  /** Stopped at its first step of loading, as by Ctrl-C. */
  async function leave(): Promise<string> {
    const stopping = new AbortController();
    const [report] = await stage.run({
      kinds: ['investors'],
      signal: stopping.signal,
      observer: { onState: (_, state) => state === 'loading' && stopping.abort(new Error('stopped')) },
    });
    expect(report?.reindex).toMatchObject({ interrupted: true });
    return (await stage.generations('investors')).at(-1)?.index_name ?? '';
  }

  const stateOf = async (index: string) =>
    (await stage.generations('investors')).find(({ index_name }) => index_name === index);

  test('is aborted after a while, unless its kind is in use', async () => {
    const index = await leave();
    const syncForAWhile = () => syncUntil({}, () => delay(300, true));
    await syncForAWhile();
    expect(await stateOf(index)).toMatchObject({ state: 'loading', ended: false });
    await stage.pool.query(
      `update search_generations set worked_at = now() - interval '25 hours', position_at = null where index_name = $1`,
      [index],
    );
    const taken = await takeLock(stage.pool, 'investors', 'entity-search reindex, elsewhere:7');
    if (!('held' in taken)) throw new Error('somebody else has the lock');
    {
      await using _lock = taken.held;
      await syncForAWhile();
      expect(await stateOf(index)).toMatchObject({ state: 'loading', ended: false });
    }
    const told: string[] = [];
    await syncUntil({}, () => told.length > 0, { abandoned: (_, indices) => void told.push(...indices) });
    expect(told).toEqual([index]);
    expect(await stateOf(index)).toMatchObject({ state: 'aborted', ended: true });
    expect(await stage.indices.list()).not.toContain(index);
  });

  test('stays live if its process died just after the swap', async () => {
    const [live] = await stage.live('investors');
    await stage.pool.query(
      `update search_generations
       set state = 'ready', live_at = null, worked_at = 'epoch', position_at = 'epoch' where index_name = $1`,
      [live],
    );
    await syncUntil({}, async () => (await stateOf(live ?? ''))?.state === 'live');
    expect(await stage.live('investors')).toEqual([live]);
  });
});

describe('a log that is too long', () => {
  const haltOf = (id: number) =>
    readValue<string | null>(stage.pool, 'select halted from search_generations where id = $1', [id]);

  const bounds = changeLogLimits({ CHANGE_LOG_MAX_AGE: '1h' });

  test('is reported with the readers that hold it, and is shortened by dropping their positions', async () => {
    // All readers have everything, except the halted one.
    await stage.roundOfAll();
    const id = await stage.halt('people');
    await stage.pool.query(`update people set overview = 'old' where id <= 10`);
    await stage.pool.query(`update companies set overview = 'new' where id <= 5`);
    await stage.pool.query(`update search_changes set at = now() - interval '30 minutes' where kind = 'people'`);
    for (let turn = 0; turn < 3; turn += 1) {
      await stage.pool.query(
        `update search_generations set position_at = 'epoch', between_at = 'epoch' where id <> $1`,
        [id],
      );
      for (const kind of kindNames) if (kind !== 'people') await stage.round(kind);
    }
    const never = new AbortController().signal;
    const half = await changeLogCheck(stage.pool, bounds).run(never);
    expect(half).toEqual(expect.objectContaining({ level: 'warn', todo: expect.stringContaining('people') }));
    expect(await isChangeLogTooLong(stage.pool, await readChangeLogSize(stage.pool, bounds), bounds)).toBe(false);
    await stage.pool.query(`update search_changes set at = now() - interval '2 hours' where kind = 'people'`);
    expect(await changeLogCheck(stage.pool, bounds).run(never)).toMatchObject({ level: 'fail' });
    expect((await listStalledGenerations(stage.pool)).map((one) => one.id)).toEqual([id]);
    const lost: number[] = [];
    // Another process seems to follow it, so this sync does not repair the halt.
    const [people] = await stage.live('people');
    const taken = await takeReaderLock(stage.pool, people ?? '', 'another sync');
    if (!('held' in taken)) throw new Error('somebody else has the lock');
    await using _lock = taken.held;
    await syncUntil({ CHANGE_LOG_MAX_AGE: '1h' }, () => lost.length > 0, {
      stalled: (holding) => void lost.push(...holding.map((one) => one.id)),
    });
    expect(lost).toEqual([id]);
    expect(await haltOf(id)).toContain('CHANGE_LOG_MAX_AGE');
    expect(await listStalledGenerations(stage.pool)).toEqual([]);
    await pruneChanges(stage.pool, never);
    expect(await entries()).toBe(0);
  });

  test('is measured before a reader loses its position, and a moving reader keeps it', async () => {
    await stage.pool.query(`update companies set overview = overview || '.' where id <= 300`);
    const few = { ...bounds, maxEntries: 200 };
    await until(async () => (await readChangeLogSize(stage.pool, few)).fullness > 1, 'the statistics');
    const size = await readChangeLogSize(stage.pool, few);
    expect(await isChangeLogTooLong(stage.pool, size, few)).toBe(true);
    expect(
      await isChangeLogTooLong(stage.pool, { ...size, entries: 9_999_999 }, { ...bounds, maxEntries: 100_000 }),
    ).toBe(false);
    await stage.pool.query(`update search_generations set position_at = now()`);
    expect((await listStalledGenerations(stage.pool)).map(({ kind }) => kind)).not.toContain('companies');
    // An engine is down for long: nothing moves.
    await stage.pool.query(`update search_generations set position_at = now() - interval '31 minutes'`);
    expect((await listStalledGenerations(stage.pool)).map(({ kind }) => kind)).toContain('companies');
  });
});
