import { entitySearch } from '../../../dev/lib/command-line.ts';
import { withCommandLimits } from '../../../dev/lib/limits.ts';
import { readIndexHistory, readIndexIdentity } from '../../../indexer/change-log/index-identity.ts';
import type { KindName } from '../../../src/kinds/kind.ts';
import { succeed } from '../../support/commands.ts';
import { createTestClient } from '../../support/engines/indices.ts';
import { forFile } from '../../support/for-file.ts';
import { startMending } from '../../support/stages/running-sync.ts';
import { setSyncStage } from '../../support/stages/sync.ts';
import { until } from '../../support/until.ts';

// A generation halts, and continues by itself within bounds, or with a person's help beyond them.

const stage = await forFile(setSyncStage(300));
const env = withCommandLimits(stage.env, { verify: { waitMs: 1_000 } });

interface State {
  readonly id: number;
  readonly halted: string | null;
  readonly lastError: string | null;
  readonly pending: number;
}

async function stateOf(kind: KindName): Promise<State> {
  const { rows } = await stage.pool.query<State>(
    `select g.id, g.halted, g.last_error as "lastError", lag.pending
     from search_generations g join search_lag lag on lag.generation_id = g.id where g.kind = $1 and g.state = 'live'`,
    [kind],
  );
  const [state] = rows;
  if (state === undefined) throw new Error(`no live generation of ${kind}`);
  return state;
}

async function liveIndex(kind: KindName): Promise<string> {
  const [index = ''] = await stage.live(kind);
  return index;
}

test('after a failover under load, repair ends the halt even with changes pending', async () => {
  await stage.pool.query(`update search_generations set source_identity = 'another/1/1' where kind = 'companies'`);
  await expect(stage.round('companies')).rejects.toThrow('another than before');
  await stage.indices.client.delete({ index: await liveIndex('companies'), id: '90', refresh: true });
  await stage.pool.query(`update companies set overview = 'written after the halt' where id <= 30`);
  const repaired = await entitySearch(['repair', 'companies'], env);
  // Pending changes are for sync: the exit code shows that not all could be judged, and the halt is over.
  expect([repaired.code, JSON.parse(repaired.out)]).toEqual([
    4,
    expect.objectContaining({ differed: 1, missing: 0, unjudged: 30 }),
  ]);
  expect(await stateOf('companies')).toMatchObject({ halted: null });
  await succeed(env, 'sync', '--once');
  await stage.expectEqual(['companies']);
  // A second comparison waits until no request from before the halt can arrive.
  expect((await stage.round('companies')).compareDue).toBe(false);
  await stage.pool.query(
    `update search_generations set halt_ended_at = now() - interval '11 minutes' where kind = 'companies'`,
  );
  expect((await stage.round('companies')).compareDue).toBe(true);
});

test('under constant writes, sync compares and repairs all kinds by itself, and continues', async () => {
  const companies = await liveIndex('companies');
  await stage.indices.client.delete({ index: companies, id: '290', refresh: true });
  await stage.indices.client.index({ index: companies, id: '700001', document: { id: 700_001, name: 'Never was' } });
  await stage.pool.query(`update search_generations set source_identity = 'another/1/1'`);
  let writing = true;
  const writer = (async () => {
    for (let n = 1; writing; n += 1) {
      await stage.pool.query(`update companies set overview = 'round ' || $1 where id = 1 + $1 % 280`, [n]);
    }
  })();
  try {
    await using sync = startMending(stage);
    await until(async () => sync.mended.length >= 4, 'four repairs');
    // The two documents, and what was written between the last round and the halt.
    expect(sync.mended.find(({ kind }) => kind === 'companies')?.differed).toBeGreaterThanOrEqual(2);
    writing = false;
    await writer;
    await until(async () => (await stateOf('companies')).pending === 0, 'catching up');
  } finally {
    writing = false;
    await writer;
  }
  expect(await stateOf('companies')).toMatchObject({ halted: null, lastError: null });
  await stage.expectEqual();
});

test('beyond the share that sync may repair, it waits for a manual repair, and then continues', async () => {
  const operations = Array.from({ length: 160 }, (_, n) => ({ delete: { _id: String(101 + n) } }));
  await stage.indices.client.bulk({ index: await liveIndex('companies'), operations, refresh: true });
  await stage.halt('companies');
  await using _sync = startMending(stage, withCommandLimits({}, { sync: { repairedSharePercent: 40 } }));
  await until(async () => (await stateOf('companies')).lastError !== null, 'the note');
  const { lastError, halted } = await stateOf('companies');
  expect(lastError).toMatch(/More than 120 documents .* entity-search repair companies --generation 1/);
  expect(halted).toContain('the test says so');
  // Other kinds are followed, and nothing was written to this one.
  await stage.pool.query(`update people set overview = 'meanwhile' where id = 3`);
  await until(async () => (await stateOf('people')).pending === 0, 'people');
  expect((await stage.indices.client.count({ index: await liveIndex('companies') })).count).toBe(140);
  await succeed(env, 'repair', 'companies', '--generation', '1');
  await stage.pool.query(`update companies set overview = 'again' where id = 5`);
  await until(async () => (await stateOf('companies')).pending === 0, 'following again');
  expect(await stateOf('companies')).toMatchObject({ halted: null, lastError: null });
  await stage.expectEqual(['companies', 'people']);
});

test('an index restored to an earlier state under its name is halted, repaired and followed', async () => {
  const { client } = stage.indices;
  const index = await liveIndex('investors');
  await stage.round('investors');
  await client.indices.addBlock({ index, block: 'write' });
  const backup = `${index}-backup`;
  await client.indices.clone({ index, target: backup });
  await client.indices.putSettings({ index, settings: { 'index.blocks.write': null } });
  await stage.pool.query(`update investors set overview = 'after the backup' where id <= 5`);
  await stage.pool.query('delete from investors where id = 6');
  await stage.round('investors');
  const alias = { [`${stage.indices.prefix}investors`]: {}, [`${index}-write`]: { is_write_index: true } };
  await client.indices.delete({ index });
  await client.indices.clone({ index: backup, target: index, aliases: alias });
  await client.indices.putSettings({ index, settings: { 'index.blocks.write': null } });
  await client.indices.delete({ index: backup });
  await expect(stage.round('investors')).rejects.toThrow('restored from a snapshot');
  {
    await using sync = startMending(stage);
    await until(async () => sync.mended.length > 0, 'the repair');
    expect(sync.mended).toEqual([{ kind: 'investors', differed: 6 }]);
  }
  await stage.expectEqual(['investors']);
});

test('an index that does not exist is gone, and one of an Elasticsearch that does not answer is unknown', async () => {
  const limits = { timeoutMs: 30_000, retries: 0, pauseMs: 0 };
  const index = `${stage.indices.prefix}missing`;
  const away = createTestClient('http://127.0.0.1:1');
  for (const read of [readIndexIdentity, readIndexHistory]) {
    expect(await read({ client: stage.indices.client, limits }, index)).toEqual({ kind: 'gone' });
    expect(await read({ client: away, limits }, index)).toMatchObject({ kind: 'unknown' });
  }
  await away.close();
});

test('a database restored from files is noticed, even if writers continued since', async () => {
  await stage.pool.query(`update events set overview = 'x'`);
  await stage.pool.query(
    `insert into events (id, name, slug) select n, 'E ' || n, 'e-' || n from generate_series(1, 9) n`,
  );
  await stage.round('events');
  // The state of before that: the row is there in the tables, and its deletion was the last thing that the index knew.
  await stage.pool.query('delete from events where id = 4');
  const before = await stage.pool.query(
    `select position::text, write_marker from search_generations where kind = 'events'`,
  );
  await stage.round('events');
  await stage.pool.query(`alter table events disable trigger log_insert`);
  await stage.pool.query(`insert into events (id, name, slug) values (4, 'E 4', 'e-4')`);
  await stage.pool.query(`alter table events enable always trigger log_insert`);
  await stage.pool.query(
    `update search_generations set position = pg_current_snapshot(), write_marker = $1 where kind = 'events'`,
    [before.rows[0]?.write_marker],
  );
  await expect(stage.round('events')).rejects.toThrow('does not know of the last writes');
  await succeed(env, 'sync', '--once');
  await stage.expectEqual(['events']);
});

test('a late request from before a halt is repaired once no more such requests can arrive', async () => {
  let differed = 0;
  // On a busy machine, the second comparison may come before the late request: then both are done again, further apart.
  for (let keepMs = 1_000; differed === 0; keepMs *= 4) differed = await repairLate(keepMs);
  expect(differed).toBe(1);
  await stage.expectEqual(['people']);
});

/** Returns the number of differences that the second comparison found. */
async function repairLate(keepMs: number): Promise<number> {
  await stage.halt('people');
  await using sync = startMending(stage, withCommandLimits({}, { sync: { keepMs } }));
  const repairs = () => sync.mended.filter(({ kind }) => kind === 'people');
  await until(async () => repairs().length > 0, 'the first repair');
  const index = await liveIndex('people');
  const { _version: version = 0, _source: document } = await stage.indices.client.get<object>({ index, id: '8' });
  await stage.indices.client.index({
    index,
    id: '8',
    version: version + 1,
    version_type: 'external',
    document: { ...document, name: 'Of the other timeline', hash: '0'.repeat(16) },
    refresh: true,
  });
  await until(async () => repairs().length > 1, 'the second comparison');
  return repairs()[1]?.differed ?? 0;
}

test('a document without a row is reported even if all rows are pending', async () => {
  await stage.halt('people');
  const index = await liveIndex('people');
  await stage.indices.client.index({
    index,
    id: '700002',
    document: { id: 700_002, name: 'Never was' },
    refresh: true,
  });
  await stage.pool.query('begin isolation level repeatable read; truncate event_people; commit');
  const verified = await entitySearch(['verify', 'people'], env);
  expect([verified.code, JSON.parse(verified.out)]).toEqual([2, expect.objectContaining({ extra: 1 })]);
  expect((await stateOf('people')).halted).not.toBeNull();
  await succeed(env, 'sync', '--once');
  await stage.expectEqual(['people']);
});
