import { setTimeout as delay } from 'node:timers/promises';
import { endHalt, haltForeignGenerations } from '../../../indexer/change-log/halts.ts';
import { pruneChanges, pruneLock } from '../../../indexer/change-log/prune.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { forFile } from '../../support/for-file.ts';
import { startLateProxy } from '../../support/proxies/late.ts';
import { setSyncStage } from '../../support/stages/sync.ts';

// Late requests, removed entries and a database that goes back must not leave an older state over a newer one.

let number = 5_000;

const stage = await forFile(setSyncStage(60));

async function isThere(id: number): Promise<boolean> {
  return stage.indices.client.exists({ index: `${stage.indices.prefix}companies`, id: String(id) });
}

describe('a late bulk request', () => {
  test('changes nothing that was written since, even if reordered and repeated', async () => {
    await using proxy = await startLateProxy(stage.indices.url);
    await stage.pool.query(`update companies set overview = 'first' where id in (1, 2, 3)`);
    proxy.holdNext();
    await expect(stage.round('companies', { url: proxy.url })).rejects.toThrow('accepted no documents');
    await stage.pool.query(`update companies set overview = 'second' where id = 1`);
    proxy.holdNext();
    await expect(stage.round('companies', { url: proxy.url })).rejects.toThrow('accepted no documents');
    await stage.pool.query(`update companies set overview = 'third' where id = 1`);
    await stage.pool.query('delete from companies where id = 2');
    await stage.round('companies');
    expect(proxy.held).toBe(2);
    const answers = await proxy.release(2);
    expect(answers.join()).toContain('version_conflict_engine_exception');
    expect(await isThere(2)).toBe(false);
    await stage.expectEqual(['companies']);
  });

  test('is repaired by rewinding if the index forgot its deletions', async () => {
    await using proxy = await startLateProxy(stage.indices.url);
    await stage.pool.query(`update companies set overview = 'late' where id = 4`);
    proxy.holdNext();
    await expect(stage.round('companies', { url: proxy.url })).rejects.toThrow('accepted no documents');
    await stage.pool.query('delete from companies where id = 4');
    await stage.round('companies');
    await stage.round('companies');
    const [index] = await stage.live('companies');
    // Like a restart: the shard starts again from disk.
    await stage.indices.client.indices.close({ index: index ?? '' });
    await stage.indices.client.indices.open({ index: index ?? '', wait_for_active_shards: 1 });
    await proxy.release();
    expect(await isThere(4)).toBe(true);
    expect((await stage.round('companies')).rewound).toBe(true);
    expect((await stage.round('companies')).changes).toBeGreaterThan(0);
    expect(await isThere(4)).toBe(false);
    await stage.expectEqual(['companies']);
  });

  test('does not recreate a removed index', async () => {
    await using proxy = await startLateProxy(stage.indices.url);
    const [before] = await stage.live('people');
    await stage.pool.query(`update people set overview = 'late' where id = 1`);
    proxy.holdNext();
    await expect(stage.round('people', { url: proxy.url })).rejects.toThrow('accepted no documents');
    await stage.run({ kinds: ['people'], env: { GENERATIONS_KEPT: '0' } });
    expect(await stage.indices.list()).not.toContain(before);
    const answers = await proxy.release();
    expect(answers.join()).toContain('index_not_found_exception');
    expect(await stage.indices.list()).not.toContain(before);
    await stage.round('people');
    await stage.expectEqual(['people']);
  });
});

describe('pruning', () => {
  const entries = async (): Promise<number> =>
    (await stage.pool.query<{ count: number }>('select count(*) as count from search_changes')).rows[0]?.count ?? 0;
  const never = new AbortController().signal;

  test('keeps entries that may be applied again, and then removes all', async () => {
    await stage.pool.query(`update companies set overview = 'kept' where id = 10`);
    await stage.roundOfAll();
    await pruneChanges(stage.pool, never);
    expect(await entries()).toBeGreaterThan(0);
    await stage.pool.query(`update search_generations set ended_at = now() where state = 'retired'`);
    // The settled position moves up when twice the longest life of a request has passed.
    for (let turn = 0; turn < 3; turn += 1) {
      await stage.pool.query(`update search_generations set position_at = 'epoch'`);
      for (const kind of ['companies', 'people', 'investors', 'events'] as const) {
        await stage.round(kind, { limits: { keepMs: 1 } });
      }
      await delay(5);
    }
    await pruneChanges(stage.pool, never);
    expect(await entries()).toBe(0);
  });

  test('waits while a new generation takes its first position, and keeps what it needs', async () => {
    const planning = await stage.pool.connect();
    await planning.query('begin');
    await planning.query(`select pg_advisory_xact_lock_shared(${pruneLock})`);
    let pruned = false;
    const pruning = pruneChanges(stage.pool, never).then(() => {
      pruned = true;
    });
    number += 1;
    const { rows } = await planning.query<{ id: number }>(
      `insert into search_generations (kind, number, index_name, hash, definition, document_sql, position)
       values ('events', $1, $2, '0a0b0c0d', '{}', 'select 1', pg_current_snapshot()) returning id`,
      [number, `${stage.indices.prefix}events-0a0b0c0d-${number}`],
    );
    await stage.pool.query(`insert into events (id, name, slug) values (${number}, 'E', 'e-${number}')`);
    await stage.roundOfAll();
    await stage.round('events', { limits: { keepMs: 1 } });
    expect(pruned).toBe(false);
    await planning.query('commit');
    planning.release();
    await pruning;
    expect(await entries()).toBe(1);
    await stage.pool.query(`update search_generations set state = 'failed', ended_at = now() where id = $1`, [
      rows[0]?.id,
    ]);
  });
});

describe('a database that goes back in time', () => {
  const versions = () => readValue<number>(stage.pool, 'select last_value as v from search_versions');

  async function endHalts(): Promise<void> {
    const { rows } = await stage.pool.query<{ id: number; position: string }>(
      'select id, position::text as position from search_generations where halted is not null',
    );
    for (const { id, position } of rows) expect(await endHalt(stage.pool, { id }, { position }, 0)).toBe(true);
  }

  test('is noticed by its identity: reading stops, and versions start a new epoch', async () => {
    const before = await versions();
    await stage.pool.query(`update search_generations set source_identity = 'another/1/1' where kind = 'companies'`);
    await expect(stage.round('companies')).rejects.toThrow('the database is another than before');
    await expect(stage.round('companies')).rejects.toThrow('entity-search repair');
    expect(await versions()).toBeGreaterThan(before);
    expect(await haltForeignGenerations(stage.pool)).toEqual([]);
    await endHalts();
    await stage.pool.query(`update companies set overview = 'on again' where id = 20`);
    await stage.round('companies');
    await stage.expectEqual(['companies']);
  });

  test('is noticed by a position in the future', async () => {
    await stage.pool.query(
      `update search_generations set position = '9000000000:9000000000:' where kind = 'investors' and state = 'live'`,
    );
    await expect(stage.round('investors')).rejects.toThrow('gone back to an earlier state');
    await endHalts();
  });

  test('is noticed by versions that it never drew, after its files were restored', async () => {
    await stage.pool.query(`update companies set overview = 'lost' where id = 30`);
    await stage.round('companies');
    const drawn = await versions();
    await stage.pool.query(`select setval('search_versions', $1::bigint)`, [drawn - 1_000_000]);
    await stage.pool.query(`update companies set overview = 'after the restore' where id = 30`);
    await expect(stage.round('companies')).rejects.toThrow('versions that this database has not drawn');
    expect(await versions()).toBeGreaterThan(drawn);
    // The same as a repair; then the reader continues, and is not refused as too old.
    await endHalts();
    await stage.pool.query(`update companies set overview = 'repaired' where id = 30`);
    await stage.round('companies');
    await stage.expectEqual(['companies']);
  });
});

describe('a document that Elasticsearch rejects', () => {
  const letters = async (): Promise<readonly number[]> =>
    (await stage.pool.query<{ id: number }>('select id from search_dead_letters order by id')).rows.map(({ id }) => id);

  test('is stored as a dead letter, which is removed once the row is accepted, and the others continue', async () => {
    await stage.pool.query(`update companies set slug = repeat('x', 40000) where id = 40`);
    await stage.pool.query(`update companies set overview = 'good' where id = 41`);
    expect(await stage.round('companies')).toMatchObject({ changes: 2, documents: 1, deadLetters: 1 });
    expect(await letters()).toEqual([40]);
    await stage.pool.query(`update companies set slug = 'short' where id = 40`);
    await stage.round('companies');
    expect(await letters()).toEqual([]);
    await stage.expectEqual(['companies']);
  });
});
