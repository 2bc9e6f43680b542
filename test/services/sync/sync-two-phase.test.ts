import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../../dev/engines/postgres/postgres.ts';
import type { RunningEngine } from '../../../dev/engines/restart-on-exit.ts';
import { openState, type State } from '../../../dev/lib/state.ts';
import { pruneChanges } from '../../../indexer/change-log/prune.ts';
import { type SyncStage, setSyncStage } from '../../support/stages/sync.ts';

// Writers that use two-phase commit: to a reader a prepared transaction is one that is still open. The server is of our
// own, because most are set up without prepared transactions.

let folder: string;
let state: State;
let server: RunningEngine;
let stage: SyncStage;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'entity-search-two-phase-'));
  state = openState(folder);
  server = await startPostgres(state, { fsync: false });
  process.env.TEST_DATABASE_URL = server.url;
  stage = await setSyncStage(60, { kinds: ['companies', 'people', 'investors'] });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function prepare(name: string, sql: string): Promise<void> {
  const writer = await stage.pool.connect();
  try {
    await writer.query('begin');
    await writer.query(sql);
    await writer.query(`prepare transaction '${name}'`);
  } finally {
    writer.release(true);
  }
}

test('a prepared transaction that another session commits rounds later is not lost', async () => {
  await prepare('first', `update companies set name = 'Prepared', slug = 'prepared' where id = 3`);
  await stage.pool.query(`update companies set overview = 'meanwhile' where id = 4`);
  expect((await stage.round('companies')).changes).toBe(1);
  expect((await stage.round('people')).changes).toBe(0);
  // Neither other writers, nor pruning, nor another round passes over it.
  await stage.pool.query(`update companies set overview = 'later' where id = 5`);
  for (let turn = 0; turn < 3; turn += 1) {
    await stage.pool.query(`update search_generations set position_at = 'epoch', between_at = 'epoch'`);
    await stage.roundOfAll();
  }
  await pruneChanges(stage.pool, new AbortController().signal);
  await stage.pool.query(`commit prepared 'first'`);
  const { rows } = await stage.pool.query(`select kind, pending from search_lag where pending > 0 order by kind`);
  expect(rows).toEqual([
    { kind: 'companies', pending: 1 },
    { kind: 'investors', pending: 1 },
    { kind: 'people', pending: 1 },
  ]);
  await stage.roundOfAll();
  await stage.expectEqual();
});

test('a prepared transaction that is rolled back has no effect', async () => {
  await prepare('second', `delete from companies where id = 6`);
  await stage.roundOfAll();
  await stage.pool.query(`rollback prepared 'second'`);
  expect((await stage.round('companies')).changes).toBe(0);
  await stage.expectEqual(['companies']);
});
