import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { withCommandLimits } from '../../../dev/lib/limits.ts';
import { type SlowBulkProxy, startSlowBulkProxy } from '../../support/proxies/slow-bulk.ts';
import { manyCompanies, type ReindexStage, setReindexStage } from '../../support/stages/reindex.ts';
import { until } from '../../support/until.ts';

// One load by several workers: processes that join it, and threads.

const load = { partRows: 200, partsAtMost: 10_000, beatMs: 200, leaseMs: 5_000, joinWaitMs: 30_000 };
const smallBatches = { batchBytes: 32_768, bytesPerRequest: 49_152 };
const requests = 4;
/** Programs take a while to start on a busy machine. */
const patienceMs = 60_000;
/** Ids far from the others: one range divided evenly would have all rows in its first part. */
const farRows = 200;
const allRows = manyCompanies + farRows;

let stage: ReindexStage;
let proxy: SlowBulkProxy;
let env: Readonly<Record<string, string>>;
const children: ChildProcess[] = [];

beforeAll(async () => {
  stage = await setReindexStage(manyCompanies);
  await stage.pool.query(
    `insert into companies (id, name, slug) select 10000000000 + n * n, 'Far ' || n, 'far-' || n
     from generate_series(1, $1::bigint) as n`,
    [farRows],
  );
  proxy = await startSlowBulkProxy(stage.indices.url, 150);
  env = withCommandLimits(
    { ...stage.env, ELASTICSEARCH_URL: proxy.url, GENERATIONS_KEPT: '0', GENERATION_RETIRE_AFTER: '0' },
    { load, reindex: smallBatches },
  );
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
}

function start(...args: readonly string[]): Running {
  const child = spawn(process.execPath, ['dev/lib/limited-cli.ts', 'reindex', 'companies', ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  if (child.stdout === null || child.stderr === null) throw new Error('a child was started without pipes');
  const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
    ([[code], out, err]) => ({ code, out, err }),
  );
  return { child, ended };
}

/** Workers that have claimed a part, by the process that they run in. */
async function claimants(): Promise<readonly string[]> {
  const { rows } = await stage.pool.query<{ name: string }>(
    `select distinct w.name from search_load_workers w join search_load_parts p on p.worker_id = w.id order by 1`,
  );
  return rows.map(({ name }) => name);
}

const hasClaimed = async ({ child }: Running): Promise<boolean> =>
  (await claimants()).some((name) => name.endsWith(`:${child.pid}`));

const doneParts = async (): Promise<number> =>
  (await stage.pool.query<{ n: number }>('select count(*)::int as n from search_load_parts where done')).rows[0]?.n ??
  0;

async function expectEqual(): Promise<void> {
  const { code, out } = await entitySearch(['verify', 'companies', '--deep', '--json'], stage.env);
  expect([code, JSON.parse(out)]).toMatchObject([0, { equal: true }]);
}

test('a worker that is killed and one that hangs lose their parts to the others, and the index is equal', async () => {
  proxy.delayMs = 1_000;
  const [killed, hung] = [start('--join'), start('--join', '--json')];
  const leader = start('--json');
  await until(async () => (await hasClaimed(killed)) && (await hasClaimed(hung)), 'claims of both', patienceMs);
  killed.child.kill('SIGKILL');
  hung.child.kill('SIGSTOP');
  proxy.delayMs = 100;
  // What they had read is not what the tables say any more.
  await stage.pool.query(`update companies set name = name || ' (renamed)' where id % 3 = 0`);
  await stage.pool.query('delete from companies where id % 100 = 7 and id < 10000000000');
  const rows = allRows - manyCompanies / 100;
  const { code, out, err } = await leader.ended;
  expect([code, err]).toEqual([0, expect.not.stringContaining('interrupted')]);
  expect(JSON.parse(out)).toMatchObject({ state: 'live', documents: rows });
  // It wakes up when all is over, with batches that it had not sent.
  hung.child.kill('SIGCONT');
  const woken = await hung.ended;
  // Time limits of what it was waiting for may have passed meanwhile: then it says so, and ends.
  expect([woken.code, woken.out]).toEqual(
    woken.code === 0 ? [0, expect.stringContaining('"kind":"companies"')] : [1, ''],
  );
  await expectEqual();
  expect(proxy.mostAtOnce).toBeLessThanOrEqual(requests);
}, 120_000);

test('a leader that is killed is followed by one with other workers, which loads only what is left', async () => {
  proxy.delayMs = 1_000;
  const first = start('--workers', '3');
  await until(
    async () => (await doneParts()) >= 2 && (await claimants()).length === 3,
    'parts done by three workers',
    patienceMs,
  );
  first.child.kill('SIGKILL');
  await first.ended;
  const done = await doneParts();
  proxy.delayMs = 0;
  const { code, out, err } = await entitySearch(['reindex', 'companies', '--resume', '--workers', '2'], env);
  expect([code, err]).toEqual([0, expect.stringMatching(/Going on with .* \(loading, after \d{3,} rows\)/)]);
  expect(JSON.parse(out)).toMatchObject({ state: 'live' });
  expect(done).toBeGreaterThanOrEqual(2);
  await expectEqual();
}, 120_000);

test('a leader that hangs loses its parts, too, and goes on with those who help when it wakes up', async () => {
  proxy.delayMs = 1_000;
  const leader = start('--json');
  await until(async () => await hasClaimed(leader), 'the claim of the leader', patienceMs);
  const helper = start('--join');
  await until(async () => await hasClaimed(helper), 'the claim of the helper', patienceMs);
  leader.child.kill('SIGSTOP');
  await until(async () => (await claimants()).length === 0, 'the end of all claims', patienceMs);
  proxy.delayMs = 100;
  leader.child.kill('SIGCONT');
  const { code, out } = await leader.ended;
  expect([code, JSON.parse(out)]).toMatchObject([0, { state: 'live' }]);
  expect((await helper.ended).code).toBe(0);
  await expectEqual();
}, 120_000);

test('SIGTERM of the leader stops its threads, too, and they leave nothing claimed', async () => {
  proxy.delayMs = 1_000;
  const runs = await stage.pool.query<{ last: number }>('select max(id) as last from search_load_runs');
  const before = runs.rows[0]?.last ?? 0;
  const leader = start('--workers', '3');
  await until(async () => (await claimants()).length === 3, 'claims of three workers', patienceMs);
  leader.child.kill('SIGTERM');
  expect((await leader.ended).err).toContain('entity-search reindex --resume companies');
  expect(await claimants()).toEqual([]);
  const { rows } = await stage.pool.query('select from search_load_workers where run_id > $1', [before]);
  expect(rows).toEqual([]);
  proxy.delayMs = 0;
  expect((await entitySearch(['reindex', 'companies', '--abort'], env)).code).toBe(0);
}, 120_000);

test('whoever would send something else, or to somewhere else, is refused', async () => {
  proxy.delayMs = 1_000;
  const leader = start();
  await until(async () => (await claimants()).length === 1, 'the claim of the leader', patienceMs);
  const join = (more: Readonly<Record<string, string>>) =>
    entitySearch(['reindex', 'companies', '--join'], { ...env, ...more });
  const refusals = await Promise.all([join({ ELASTICSEARCH_SHARDS: '2' }), join({ INDEX_PREFIX: 'elsewhere-' })]);
  expect(refusals.map(({ code }) => code)).toEqual([3, 3]);
  expect(refusals.map(({ err }) => err)).toEqual([
    expect.stringContaining('Set EMBEDDINGS and ELASTICSEARCH_SHARDS as they are'),
    expect.stringContaining('has another prefix than INDEX_PREFIX here (elsewhere-)'),
  ]);
  await stage.pool.query(`update search_load_runs set release = '0.0.1 with 3 migrations'`);
  const older = await join({});
  expect([older.code, older.err]).toEqual([3, expect.stringContaining('is loaded by release 0.0.1 with 3 migrations')]);
  proxy.delayMs = 0;
  expect((await leader.ended).code).toBe(0);
  const nobody = await entitySearch(
    ['reindex', 'companies', '--join'],
    withCommandLimits(env, { load: { joinWaitMs: 10 } }),
  );
  expect([nobody.code, nobody.err]).toEqual([3, expect.stringContaining('Start it: entity-search reindex companies')]);
}, 120_000);

test('more workers than requests are wrong usage', async () => {
  const { code, err } = await entitySearch(['reindex', 'companies', '--workers', '5'], env);
  expect([code, err]).toEqual([64, expect.stringContaining('more than REINDEX_REQUESTS (4)')]);
});
