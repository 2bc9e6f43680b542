import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type LockSession, openLockSession, takeReaderLock } from '../../../indexer/generations/locks.ts';
import { swapAlias } from '../../../src/elasticsearch/admin.ts';
import type { KindName } from '../../../src/kinds/kind.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { forFile } from '../../support/for-file.ts';
import { type LateProxy, startLateProxy } from '../../support/proxies/late.ts';
import { setSyncStage } from '../../support/stages/sync.ts';
import { until } from '../../support/until.ts';

// A process that is stopped in the middle of its work and continues after another one has taken its locks.

const stage = await forFile(setSyncStage(60, { kinds: ['companies', 'people', 'investors'] }));
const pending = () =>
  readValue<number>(stage.pool, `select sum(pending)::int as pending from search_lag where kind = 'companies'`);

/** Starts a command of its own process, whose log lines can be counted by message. */
function start(args: readonly string[], url = stage.indices.url) {
  const child = spawn(process.execPath, ['cli/main.ts', ...args], {
    env: { PATH: process.env.PATH, ...stage.env, ELASTICSEARCH_URL: url },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const log: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => void log.push(line));
  const closed = once(child, 'close');
  return {
    child,
    log,
    closed,
    count: (message: string) => log.filter((line) => line.includes(`"msg":"${message}"`)).length,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

describe('After the lease of holders that were stopped at the same time', () => {
  const name = 'a reader that is never followed';
  let session: LockSession;
  const stopAtSwap = async (kind: KindName) => {
    const proxy = await forFile(startLateProxy(stage.indices.url));
    for (let requests = 0; requests < 2; requests += 1) proxy.holdNext('/_aliases');
    const stopped = await forFile(start(['reindex', kind], proxy.url));
    await until(() => proxy.held > 0, 'the request that swaps the alias');
    stopped.child.kill('SIGSTOP');
    return { proxy, stopped };
  };
  let reindexes: Record<'investors' | 'people', Awaited<ReturnType<typeof stopAtSwap>>>;
  let first: ReturnType<typeof start>;
  let second: ReturnType<typeof start>;
  let proxy: LateProxy;

  beforeAll(async () => {
    proxy = await forFile(startLateProxy(stage.indices.url));
    first = await forFile(start(['sync', 'companies'], proxy.url));
    await until(() => first.count('following') === 1, 'following');
    second = await forFile(start(['sync', 'companies']));
    await until(() => second.count('standing by') === 1, 'standing by');
    for (let requests = 0; requests < 3; requests += 1) proxy.holdNext();
    await stage.pool.query(`update companies set overview = 'first' where id <= 50`);
    await until(() => proxy.held > 0, 'a request of the first follower');
    first.child.kill('SIGSTOP');
    await stage.pool.query(`update companies set overview = 'second' where id <= 20`);
    await stage.pool.query('delete from companies where id between 21 and 25');
    reindexes = { investors: await stopAtSwap('investors'), people: await stopAtSwap('people') };
    session = await forFile(openLockSession(stage.pool, 'sync, held', 'the locks of the readers'));
    expect(await session.take({ space: 'reader', name })).toBe(true);
    const other = await takeReaderLock(stage.pool, name, 'sync, other');
    expect(other).toMatchObject({ holder: { applicationName: 'sync, held' } });
    // Blocks the event loop for longer than the lease, as a process that is stopped.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 16_000);
  });

  test('Postgres has freed the locks of a silent session, and the holder notices without a timer', async () => {
    expect(session.lost.aborted).toBe(true);
    const taken = await takeReaderLock(stage.pool, name, 'sync, other');
    expect('held' in taken).toBe(true);
    if ('held' in taken) await taken.held[Symbol.asyncDispose]();
  });

  test('a standby has replaced a follower, whose late writes do not last', async () => {
    await until(() => second.count('following') === 1, 'taking over');
    await until(async () => (await pending()) === 0, 'catching up');
    await stage.expectEqual(['companies']);

    first.child.kill('SIGCONT');
    await until(() => first.count('standing by') === 1, 'standing by after it continued');
    await proxy.release(2);
    await stage.expectEqual(['companies']);
    await stage.pool.query(`update companies set overview = 'third' where id <= 20`);
    await until(async () => (await pending()) === 0, 'applying later changes');
    await stage.expectEqual(['companies']);
    expect([second.count('following'), second.count('not following any more')]).toEqual([1, 0]);
    first.child.kill();
    second.child.kill();
    await Promise.all([first.closed, second.closed]);
  });

  test.each([
    ['resume', 'investors'],
    ['anew', 'people'],
  ] as const)(
    'a reindex that continues after another one finished, with mode %s, does not swap the alias',
    async (mode, kind) => {
      const { proxy, stopped } = reindexes[kind];
      await until(async () => {
        const [report] = await stage.run({ kinds: [kind], mode });
        return report?.reindex.state === 'live' && !report.reindex.refused;
      }, 'another reindex');
      const live = await stage.live(kind);
      stopped.child.kill('SIGCONT');
      expect(await stopped.closed).toEqual([1, null]);
      await proxy.release();
      expect(await stage.live(kind)).toEqual(live);
      const states = await stage.generations(kind);
      expect(states.filter(({ state }) => state === 'live').map(({ index_name }) => index_name)).toEqual(live);
      await stage.expectEqual([kind]);
    },
    300_000,
  );
});

test('an alias is swapped only if it still names the expected indices', async () => {
  const { client, prefix } = stage.indices;
  const cluster = { client, limits: { timeoutMs: 60_000, retries: 0, pauseMs: 100 } };
  const alias = `${prefix}swapped`;
  const [one, two, three] = [`${alias}-1`, `${alias}-2`, `${alias}-3`] as const;
  for (const index of [one, two, three]) await client.indices.create({ index });
  const named = async () => Object.keys(await client.indices.getAlias({ name: alias }));
  await swapAlias(cluster, alias, { from: [], to: one });
  await expect(swapAlias(cluster, alias, { from: [], to: two })).rejects.toThrow('more than one write index');
  expect(await named()).toEqual([one]);
  await swapAlias(cluster, alias, { from: [one], to: two });
  await expect(swapAlias(cluster, alias, { from: [one], to: three })).rejects.toThrow(`aliases [${alias}] missing`);
  expect(await named()).toEqual([two]);
});
