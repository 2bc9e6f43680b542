import { setTimeout as delay } from 'node:timers/promises';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { merged } from '../../../dev/lib/limits.ts';
import { startFaultProxy } from '../../../dev/torture/fault-proxy.ts';
import { noWrites, runWriters } from '../../../dev/torture/index/writers.ts';
import { type FollowedGeneration, listFollowed } from '../../../indexer/change-log/positions.ts';
import { reindexConfig, syncConfig } from '../../../indexer/config.ts';
import { cleanUpPrefix, openLockSession, takeLock } from '../../../indexer/generations/locks.ts';
import { defaultLimits } from '../../../indexer/limits.ts';
import { swapAlias } from '../../../src/elasticsearch/admin.ts';
import { createElasticsearchClient } from '../../../src/elasticsearch/client.ts';
import { kindNames } from '../../../src/kinds/kind.ts';
import { forFile } from '../../support/for-file.ts';
import { startSync } from '../../support/stages/running-sync.ts';
import { setSyncStage } from '../../support/stages/sync.ts';
import { until } from '../../support/until.ts';

// The service: one process follows, absent engines are survived, and nothing is lost during a reindex.

const stage = await forFile(setSyncStage(300));

test('--once brings the indices up to the current moment and exits', async () => {
  await stage.pool.query(`update companies set overview = 'once' where id <= 200`);
  expect((await entitySearch(['sync', '--once'], stage.env)).code).toBe(0);
  await stage.expectEqual(['companies']);
  expect(await stage.pending()).toBe(0);
});

test('one process follows, and a standby takes over when it or its connection ends', async () => {
  const followers = { one: new Set<string>(), two: new Set<string>() };
  const handlers = (set: Set<string>, standby: string[] = []) => ({
    following: ({ indexName }: FollowedGeneration) => void set.add(indexName),
    ended: ({ indexName }: FollowedGeneration) => void set.delete(indexName),
    standby: (_: FollowedGeneration, holder: { applicationName: string } | undefined) =>
      void standby.push(holder?.applicationName ?? ''),
  });
  const holders: string[] = [];
  await using first = startSync({ ...stage.syncDeps(handlers(followers.one)), applicationName: 'sync, first' });
  await until(() => followers.one.size === 4, 'following');
  await using _second = startSync({
    ...stage.syncDeps(handlers(followers.two, holders)),
    applicationName: 'sync, second',
  });
  await until(() => holders.length >= 4, 'standing by');
  expect(new Set(holders)).toEqual(new Set(['sync, first']));
  await stage.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'sync, first'`,
  );
  // Either may come first; none twice.
  await until(() => followers.one.size + followers.two.size === 4, 'taking over');
  await first.stop();
  await until(() => followers.two.size === 4, 'taking over');
  await stage.pool.query(`update companies set overview = 'by the second' where id <= 50`);
  await until(async () => (await stage.pending()) === 0, 'catching up');
  await stage.expectEqual(['companies']);
});

test('readers that start and stop together are served in turn, one query at a time per connection', async () => {
  let underWay = 0;
  let most = 0;
  stage.pool.once('acquire', (client) => {
    const query = client.query.bind(client);
    Object.assign(client, {
      async query(text: string, values?: unknown[]) {
        underWay += 1;
        most = Math.max(most, underWay);
        return await query(text, values).finally(() => {
          underWay -= 1;
        });
      },
    });
  });
  await using session = await openLockSession(stage.pool, 'sync, in turn', 'the locks of the readers');
  const reader = (name: string) => ({ space: 'reader', name }) as const;
  const names = ['first', 'second', 'third', 'fourth'];
  expect(await Promise.all(names.map((name) => session.take(reader(name))))).toEqual([true, true, true, true]);
  await Promise.all([...names.map((name) => session.release(reader(name))), session.take(reader('fifth'))]);
  expect(most).toBe(1);
});

test('an unreachable Elasticsearch is waited for, and reported once', async () => {
  await using proxy = await startFaultProxy(stage.indices.url);
  const client = createElasticsearchClient({
    url: proxy.url,
    apiKey: undefined,
    caFile: undefined,
    maxResponseBytes: 64 * 1_048_576,
    maxConnections: 8,
  });
  const troubles: string[] = [];
  let recovered = 0;
  const deps = stage.syncDeps({
    failure: (text) => void troubles.push(text),
    recovered: () => {
      recovered += 1;
    },
  });
  {
    await using _sync = startSync({ ...deps, cluster: { ...deps.cluster, client } });
    await proxy.set('refuse');
    await stage.pool.query(`update companies set overview = 'meanwhile' where id <= 100`);
    await until(() => troubles.length > 0, 'trouble');
    expect(troubles[0]).toContain("can't write to");
    await proxy.set('pass');
    await until(async () => (await stage.pending()) === 0, 'catching up');
    // The recovery is reported after the position is stored, so a moment later than the changes are done.
    await until(() => recovered > 0, 'word of the recovery');
  }
  await client.close();
  await stage.expectEqual(['companies']);
});

test('a change is found by the next poll without a notification', async () => {
  await using _sync = startSync(stage.syncDeps({}, { pollMs: 50 }));
  await until(async () => (await stage.pending()) === 0, 'catching up');
  const listener = await stage.pool.connect();
  const told: unknown[] = [];
  listener.on('notification', (message) => void told.push(message));
  try {
    await listener.query('listen search_changes');
    await stage.pool.query(`update companies set overview = 'found' where id = 77`);
    await until(async () => (await stage.pending()) === 0, 'being found');
    await listener.query('select 1');
    expect(told).toEqual([]);
  } finally {
    listener.release(true);
  }
  await stage.expectEqual(['companies']);
});

test('consecutive rejections pause and report one index until its rows are accepted, and the others continue', async () => {
  const troubles: string[] = [];
  const recovered: string[] = [];
  const limits = merged(defaultLimits, { deadLetters: { inARow: 5 } });
  const deps = stage.syncDeps(
    { failure: (text) => void troubles.push(text), recovered: (followed) => void recovered.push(followed?.kind ?? '') },
    { ...syncConfig({}, limits), longestPauseMs: 100 },
  );
  await using _sync = startSync(deps);
  const noted = async () =>
    (await stage.liveRow<{ readonly last_error: string | null }>('companies', 'last_error')).last_error;
  await stage.pool.query(`update companies set slug = repeat('x', 40000) || id where id between 201 and 206`);
  await until(() => troubles.length >= 2, 'pausing');
  expect(troubles[0]).toContain('5 documents in a row');
  expect(await noted()).toContain('Nothing more is applied');
  await stage.pool.query(`update events set overview = 'goes on' where id = 1`);
  await stage.pool.query(`update investors set overview = 'goes on' where id = 1`);
  await stage.pool.query(`update companies set overview = 'waits' where id = 210`);
  const waiting = async (): Promise<readonly string[]> => {
    const { rows } = await stage.pool.query<{ kind: string }>('select kind from search_lag where pending > 0');
    return rows.map(({ kind }) => kind);
  };
  await until(async () => (await waiting()).join() === 'companies', 'going on elsewhere');
  await stage.pool.query(`update companies set slug = 'company-' || id where id between 201 and 206`);
  await until(async () => (await stage.pending()) === 0, 'going on');
  // The recovery is reported after the position has moved.
  await until(() => recovered.length > 0, 'telling');
  expect(recovered).toEqual(['companies']);
  expect(await noted()).toBeNull();
  await stage.expectEqual();
});

test('sync removes indices that are no longer kept, unless their kind is in use', async () => {
  const [old] = await stage.live('events');
  // As a process that died after its swap leaves it.
  const reports = await stage.run({ kinds: ['events'], env: { GENERATIONS_KEPT: '5' } });
  expect(reports[0]?.reindex.state).toBe('live');
  const removed: string[] = [];
  const deps = stage.syncDeps(
    { retired: (_, indices) => void removed.push(...indices) },
    {
      ...syncConfig({ GENERATIONS_KEPT: '0' }, merged(defaultLimits, { retireAfterMs: 0 })),
      pruneEveryMs: 100,
      discoverEveryMs: 50,
    },
  );
  {
    const taken = await takeLock(stage.pool, 'events', 'entity-search reindex, elsewhere:7');
    if (!('held' in taken)) throw new Error('somebody else has the lock');
    await using _lock = taken.held;
    await using _sync = startSync(deps);
    await delay(500);
    expect(await stage.indices.list()).toContain(old);
  }
  await using _sync = startSync(deps);
  await until(async () => !(await stage.indices.list()).includes(old ?? ''), 'removing');
  await until(() => removed.length > 0, 'telling');
  expect(removed).toContain(old);
  const stored = await stage.generations('events');
  expect(stored.find(({ index_name }) => index_name === old)).toMatchObject({ state: 'retired', ended: true });
  expect((await stage.live('events')).length).toBe(1);
  await stage.expectEqual(['events']);
});

test('taking a lock waits only for a holder that removes old indices', async () => {
  const tidied = await takeLock(stage.pool, 'events', `${cleanUpPrefix}sync`);
  if (!('held' in tidied)) throw new Error('somebody else has the lock');
  const wanted = takeLock(stage.pool, 'events', 'reindex');
  await delay(300);
  await tidied.held[Symbol.asyncDispose]();
  const taken = await wanted;
  if (!('held' in taken)) throw new Error('was not waited for');
  const refused = await takeLock(stage.pool, 'events', 'another');
  expect(refused).toMatchObject({ holder: { applicationName: 'reindex' } });
  await taken.held[Symbol.asyncDispose]();
});

test('a reindex that was killed between its swap and recording it does not lose the live index', async () => {
  const [before] = await stage.live('investors');
  await stage.run({ kinds: ['investors'], env: { GENERATIONS_KEPT: '1' } });
  const [swapped] = await stage.live('investors');
  // As the account stood a moment before the note.
  await stage.pool.query(`update search_generations set state = 'ready', live_at = null where index_name = $1`, [
    swapped,
  ]);
  await stage.pool.query(`update search_generations set state = 'live', retired_at = null where index_name = $1`, [
    before,
  ]);
  const [resumed] = await stage.run({ kinds: ['investors'], mode: 'resume' });
  expect(resumed?.reindex.state).toBe('live');
  expect(await stage.live('investors')).toEqual([swapped]);
  await stage.pool.query(`update search_generations set state = 'ready', live_at = null where index_name = $1`, [
    swapped,
  ]);
  await stage.run({ kinds: ['investors'], mode: 'abort' });
  expect(await stage.live('investors')).toEqual([swapped]);
  const stored = await stage.generations('investors');
  expect(stored.filter(({ state }) => state === 'live').map(({ index_name }) => index_name)).toEqual([swapped]);
});

test('writers run alongside reindexes and a sync, and everything is equal when they stop', async () => {
  const seed = Number(process.env.TORTURE_SEED ?? Math.floor(Math.random() * 100_000));
  process.stderr.write(`writers' seed: ${seed}\n`);
  const stopping = new AbortController();
  {
    await using _sync = startSync(stage.syncDeps({}, { roundPauseMs: 20 }));
    const counts = noWrites();
    const writing = runWriters(
      { databaseUrl: stage.databaseUrl, seed, writers: 3, changesPerSecond: 100, ids: 60 },
      stopping.signal,
      counts,
    );
    // Stops the writers even if the test fails, before the next test begins.
    await using _writers = {
      [Symbol.asyncDispose]: async () => {
        stopping.abort();
        await writing;
      },
    };
    const small = { ...reindexConfig({}), batchBytes: 16_384, bytesInFlight: 131_072 };
    const reports = await stage.run({ kinds: kindNames, config: small });
    expect(reports.map(({ reindex }) => reindex.error ?? reindex.state)).toEqual(['live', 'live', 'live', 'live']);
    const before = counts.commits;
    await until(() => counts.commits > Math.max(50, before + 25), 'writing after the reindexes');
    stopping.abort();
    await writing;
    expect(counts.losses).toBe(0);
    await until(async () => (await stage.pending()) === 0, 'catching up');
  }
  await stage.expectEqual();
  // The generations that were live before are kept in sync as well: an alias may go back to one at any time.
  const kept = await listFollowed(stage.pool, ['companies']);
  const old = kept.find(({ indexName }) => !indexName.endsWith('-write') && kept[0]?.indexName !== indexName);
  expect(old).toBeDefined();
  const { client, prefix } = stage.indices;
  const limits = { timeoutMs: 60_000, retries: 1, pauseMs: 100 };
  const from = kept
    .filter(({ kind }) => kind === 'companies')
    .map(({ indexName }) => indexName)
    .slice(0, 1);
  await swapAlias({ client, limits }, `${prefix}companies`, { from, to: old?.indexName ?? '' });
  await stage.expectEqual(['companies']);
});
