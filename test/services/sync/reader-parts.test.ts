import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { readPartCount, setPartCount } from '../../../indexer/change-log/divide.ts';
import { listFollowed } from '../../../indexer/change-log/positions.ts';
import { pruneChanges } from '../../../indexer/change-log/prune.ts';
import { GenerationReader, type Round } from '../../../indexer/change-log/reader.ts';
import { currentSnapshot, findPending, readReaderStatus } from '../../../indexer/change-log/reader-status.ts';
import { findReaders } from '../../../indexer/generations/locks.ts';
import { fairShare } from '../../../indexer/sync/held-parts.ts';
import type { KindName } from '../../../src/kinds/kind.ts';
import { manyCompanies } from '../../support/stages/reindex.ts';
import { type SyncStage, setSyncStage } from '../../support/stages/sync.ts';
import { until } from '../../support/until.ts';

// One index followed by several readers, each some parts of it.

let stage: SyncStage;
const never = new AbortController().signal;

beforeAll(async () => {
  stage = await setSyncStage(manyCompanies);
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

async function liveId(kind: KindName): Promise<number> {
  const [live] = await stage.live(kind);
  const followed = (await listFollowed(stage.pool, [kind])).find(({ indexName }) => indexName === live);
  if (followed === undefined) throw new Error(`no live generation of ${kind}`);
  return followed.id;
}

/** A round of a reader of these parts, whose writes no copy that moved may have lost. */
async function roundOf(kind: KindName, ...held: readonly number[]): Promise<Round> {
  const of = await readPartCount(stage.pool);
  const reader = new GenerationReader(stage.syncDeps(), await liveId(kind), () => ({ of, held }));
  const round = await reader.round(never);
  return round.rewound ? reader.round(never) : round;
}

async function pending(): Promise<number> {
  const { rows } = await stage.pool.query<{ n: number }>('select coalesce(sum(pending), 0)::int as n from search_lag');
  return rows[0]?.n ?? 0;
}

test('each part has a position of its own, and who waits for the index waits for all of them', async () => {
  await stage.roundOfAll();
  await setPartCount(stage.pool, 2);
  const id = await liveId('companies');
  await stage.pool.query(`update companies set overview = 'in two parts' where id between 1 and 200`);
  const snapshot = await currentSnapshot(stage.pool);
  const suspects = new Set(Array.from({ length: 200 }, (_, at) => at + 1));
  expect(await readReaderStatus(stage.pool, id, snapshot)).toMatchObject({ pending: 200 });
  const first = await roundOf('companies', 0);
  expect(first.changes).toBeGreaterThan(50);
  expect(first.changes).toBeLessThan(150);
  // The other part's are waited for, keep the log, and explain what differs.
  expect(await readReaderStatus(stage.pool, id, snapshot)).toMatchObject({ pending: 200 - first.changes });
  expect((await findPending(stage.pool, id, 'companies', suspects)).ids.size).toBe(200 - first.changes);
  expect(await pruneChanges(stage.pool, never)).toBe(0);
  expect((await roundOf('companies', 1)).changes).toBe(200 - first.changes);
  expect(await readReaderStatus(stage.pool, id, snapshot)).toMatchObject({ pending: 0 });
  await stage.expectEqual(['companies']);
});

test('documents of all parts follow a renamed company, a truncation and a division in the middle', async () => {
  await setPartCount(stage.pool, 3);
  await stage.pool.query(`update companies set name = 'Renamed ' || id, slug = 'renamed-' || id where id <= 60`);
  await roundOf('people', 0, 2);
  // Part 1 has nothing of that yet; divided anew, everybody begins where it stood.
  await setPartCount(stage.pool, 2);
  await stage.pool.query('truncate events cascade');
  for (const part of [1, 0]) for (const kind of ['people', 'events', 'companies'] as const) await roundOf(kind, part);
  await stage.expectEqual();
  // What concerns the whole kind, each part does for its own documents.
  await stage.pool.query(`insert into search_changes (kind, id, what) values ('people', null, 'all')`);
  const { documents } = await roundOf('people', 0);
  const { rows } = await stage.pool.query<{ count: number }>('select count(*) as count from people');
  const other = await roundOf('people', 1);
  expect(documents + other.documents).toBe(rows[0]?.count);
  await setPartCount(stage.pool, 1);
  await stage.roundOfAll();
  expect(await pending()).toBe(0);
});

test('a share is fair where nobody could be given less without another having more', () => {
  expect([fairShare(1, 2), fairShare(4, 1), fairShare(4, 2), fairShare(4, 3), fairShare(2, 5)]).toEqual([
    1, 4, 2, 2, 1,
  ]);
});

const main = join(import.meta.dirname, '..', '..', '..', 'cli', 'main.ts');

function startSync(parts: number): ChildProcess {
  return spawn(process.execPath, [main, 'sync'], {
    env: { ...process.env, ...stage.env, SYNC_PARTS: `${parts}`, METRICS_PORT: '' },
    stdio: 'ignore',
  });
}

/** How many parts of the searched companies each process follows; 0: parts that nobody does. */
async function shares(of: number): Promise<readonly number[]> {
  const [live = ''] = await stage.live('companies');
  const readers = await findReaders(stage.pool, live, of);
  const pids = [...new Set(readers.map((reader) => reader?.pid))];
  return pids.map((pid) => (pid === undefined ? 0 : readers.filter((reader) => reader?.pid === pid).length)).sort();
}

/** Writes to all parts without a pause, until it is stopped; answers how often. */
function startWriter() {
  let going = true;
  let written = 0;
  const running = (async () => {
    while (going) {
      written += 1;
      const first = (written * 37) % manyCompanies;
      await stage.pool.query('update companies set overview = $1, name = $1 || id where id between $2 and $2 + 40', [
        `written ${written} `,
        first,
      ]);
      if (written % 10 === 0) await stage.pool.query('delete from companies where id = $1', [first]);
      await delay(5);
    }
  })();
  return async (): Promise<number> => {
    going = false;
    await running;
    return written;
  };
}

test('processes share the parts under load; one is killed, another number is chosen, and nothing is lost', async () => {
  const children = [startSync(4)];
  try {
    await until(async () => (await shares(4)).join() === '4', 'one following all');
    const stopWriter = startWriter();
    children.push(startSync(4));
    await until(async () => (await shares(4)).join() === '2,2', 'sharing');
    const status = await entitySearch(['status', 'companies', '--json'], stage.env);
    expect(JSON.parse(status.out)[0].generations[0].parts).toEqual(
      [0, 1, 2, 3].map((part) => expect.objectContaining({ part, reader: expect.anything() })),
    );
    const gone = once(children[0] as ChildProcess, 'exit');
    children[0]?.kill('SIGKILL');
    await gone;
    await until(async () => (await shares(4)).join() === '4', 'taking over');
    children.push(startSync(3));
    await until(async () => (await shares(3)).join() === '1,2', 'another number');
    expect(await stopWriter()).toBeGreaterThan(20);
    await until(async () => (await pending()) === 0, 'catching up');
  } finally {
    for (const child of children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
  }
  await stage.expectEqual();
  expect((await entitySearch(['verify'], stage.env)).code).toBe(0);
  await setPartCount(stage.pool, 1);
}, 120_000);
