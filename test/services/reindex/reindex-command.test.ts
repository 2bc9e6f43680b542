import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { withCommandLimits } from '../../../dev/lib/limits.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { jsonLines } from '../../support/commands.ts';
import { forFile } from '../../support/for-file.ts';
import { type BusyProxy, startBusyProxy } from '../../support/proxies/busy.ts';
import { companyCount, setReindexStage } from '../../support/stages/reindex.ts';
import { until } from '../../support/until.ts';

// `entity-search reindex` as people and programs run it.

const stage = await forFile(setReindexStage());

test('without arguments all four kinds go live, with a JSON line each on stdout, progress on stderr, and exit code 0', async () => {
  const { code, out, err } = await entitySearch(['reindex'], stage.env);
  expect(code).toBe(0);
  expect(jsonLines(out).map(({ kind, state, rows, documents }) => [kind, state, rows, documents])).toEqual([
    ['companies', 'live', companyCount, companyCount],
    ['people', 'live', 40, 40],
    ['investors', 'live', 30, 30],
    ['events', 'live', 0, 0],
  ]);
  expect(jsonLines(out)[0]).toMatchObject({
    generation: (await stage.live('companies'))[0],
    dead_letters: 0,
    bytes: expect.any(Number),
    seconds: expect.any(Number),
    rows_per_second: expect.any(Number),
  });
  const states = jsonLines(err).filter(({ kind, event }) => kind === 'companies' && event === 'progress');
  expect([...new Set(states.map(({ phase }) => phase))]).toEqual([
    'planned',
    'created',
    'loading',
    'catching-up',
    'verifying',
    'ready',
    'live',
  ]);
  expect(states.at(-1)).toMatchObject({ done: companyCount, total: companyCount });
});

test('an unknown kind is a usage error, a rejected document fails the reindex, and the default limit is 0', async () => {
  expect((await entitySearch(['reindex', 'planets'], stage.env)).code).toBe(64);
  await stage.pool.query(`update investors set slug = repeat('x', 40000) where id = 7`);
  const refused = await entitySearch(['reindex', 'investors'], stage.env);
  expect(refused.code).toBe(3);
  expect(refused.err).toContain('Elasticsearch rejected 1 of 30 documents, and 0 are allowed');
  expect(jsonLines(refused.out)).toEqual([expect.objectContaining({ state: 'failed', dead_letters: 1 })]);
  expect((await entitySearch(['reindex', 'investors', '--allow-dead-letters', '1'], stage.env)).code).toBe(0);
});

test('--allow-dead-letters raises the limits that stop a load', async () => {
  await stage.pool.query(`update people set slug = repeat('x', 40000) || id where id between 11 and 13`);
  const strict = withCommandLimits(stage.env, { deadLetters: { inARow: 3 } });
  const stopped = await entitySearch(['reindex', 'people'], strict);
  expect(stopped).toMatchObject({ code: 3, err: expect.stringContaining('3 documents in a row') });
  expect((await entitySearch(['reindex', 'people', '--allow-dead-letters', '4'], strict)).code).toBe(0);
});

test('an unreachable cluster is reported in one sentence, with exit code 1', async () => {
  const away = { ...stage.env, ELASTICSEARCH_URL: 'http://127.0.0.1:9' };
  const { code, err } = await entitySearch(['reindex', 'events'], away);
  expect(code).toBe(1);
  expect(err).toContain('events: Elasticsearch could not');
});

describe('a process that is ended during a load', () => {
  let proxy: BusyProxy;
  let live: readonly string[];

  beforeAll(async () => {
    // Takes no documents: the load is under way until something ends it.
    proxy = await startBusyProxy(stage.indices.url, { requests: 1, items: 0, maxBodyBytes: 1e9 }, 1);
    live = await stage.live('companies');
  });

  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
  });

  async function startLoading(): Promise<ChildProcess> {
    const child = spawn(process.execPath, ['cli/main.ts', 'reindex', 'companies'], {
      env: { PATH: process.env.PATH, ...stage.env, ELASTICSEARCH_URL: proxy.url },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    for await (const line of createInterface({ input: child.stderr })) {
      if (line.includes('"phase":"loading"')) break;
    }
    child.stderr.resume();
    return child;
  }

  /** Counts the connections of commands to the database, other than the test's own. */
  const otherConnections = () =>
    readValue<number>(
      stage.pool,
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and application_name like 'entity-search%'`,
    );

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('by %s leaves an index for --abort to remove, and exits with %i', async (signal, code) => {
    const child = await startLoading();
    child.kill(signal);
    expect(await once(child, 'close')).toEqual([code, null]);
    expect((await stage.generations('companies')).at(-1)).toMatchObject({ state: 'loading', ended: false });
    expect((await entitySearch(['reindex', 'companies', '--abort'], stage.env)).code).toBe(0);
    expect((await stage.generations('companies')).at(-1)).toMatchObject({ state: 'aborted', ended: true });
    expect((await stage.indices.list()).filter((name) => name.includes('companies'))).toEqual(live);
    expect(await stage.live('companies')).toEqual(live);
  });

  test('by SIGKILL leaves a partial index, which the next reindex removes', async () => {
    const child = await startLoading();
    child.kill('SIGKILL');
    await once(child, 'close');
    // Until Postgres notices that they are closed, one of them holds the lock that the next reindex takes.
    await until(async () => (await otherConnections()) === 0, 'the end of its connections');
    expect((await stage.generations('companies')).at(-1)).toMatchObject({ state: 'loading', ended: false });
    expect(await stage.live('companies')).toEqual(live);
    const { code, err } = await entitySearch(
      ['reindex', 'companies'],
      withCommandLimits({ ...stage.env, GENERATIONS_KEPT: '0' }, { retireAfterMs: 0 }),
    );
    expect([code, err]).toEqual([0, expect.stringContaining('which an earlier run left behind (loading)')]);
    const stored = await stage.generations('companies');
    expect(stored.at(-2)).toMatchObject({ state: 'failed', ended: true });
    expect((await stage.indices.list()).filter((name) => name.includes('companies'))).toEqual(
      await stage.live('companies'),
    );
  });
});
