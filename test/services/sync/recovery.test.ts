import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { withCommandLimits } from '../../../dev/lib/limits.ts';
import { startConnectedApi } from '../../support/api/connected.ts';
import { json } from '../../support/api/in-process.ts';
import { jsonLines, succeed } from '../../support/commands.ts';
import { forFile } from '../../support/for-file.ts';
import { requiredEnv } from '../../support/jest/required-env.ts';
import { setReindexStage } from '../../support/stages/reindex.ts';

// The procedures of docs/runbook.md that should not be tried first in an emergency: a changed mapping
// under searches, a database that comes back from a backup, a cluster that lost everything.

const stage = await forFile(setReindexStage(60));
const env = withCommandLimits(stage.env, { verify: { waitMs: 500 }, sync: { keepMs: 1_000 } });
const run = async (...args: readonly string[]) => (await succeed(env, ...args)).out;
await run('accounts', 'create', 'Example', '--plan', 'scale');
await stage.pool.query('update plans set calls_per_minute = null');
const key = JSON.parse(await run('keys', 'create', '--account', 'Example', '--name', 'first')).key;
await run('reindex');

async function search(url: string, query: string): Promise<{ status: number; ids: readonly number[] }> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/api/v1/search?type=companies&query=${encodeURIComponent(query)}`, { headers });
  const body = await json<{ readonly data?: { readonly results: readonly { readonly id: number }[] } }>(response);
  const results = body.data?.results ?? [];
  return { status: response.status, ids: results.map(({ id }) => id) };
}

/** Searches with short pauses until it is stopped, and keeps every answer that is not the one that was right before. */
async function searchOn(url: string) {
  const wrong: unknown[] = [];
  let searches = 0;
  let going = true;
  const running = (async () => {
    while (going) {
      const { status, ids } = await search(url, 'Company 17');
      searches += 1;
      if (status !== 200 || ids[0] !== 17) wrong.push({ status, ids });
      await delay(20);
    }
  })();
  return async () => {
    going = false;
    await running;
    return { wrong, searches };
  };
}

test('a changed mapping: plan, reindex, verify, rollback and forward again, with correct searches throughout', async () => {
  const [old = ''] = await stage.live('companies');
  // The state that an earlier version left: one more field, and another hash.
  await stage.indices.client.indices.putMapping({ index: old, properties: { legacy_note: { type: 'keyword' } } });
  await stage.pool.query(
    `update search_generations set hash = '0a0a0a0a',
       definition = jsonb_set(definition, '{mappings,properties,legacy_note}', '{"type":"keyword"}') where index_name = $1`,
    [old],
  );
  await using api = await startConnectedApi(stage.env);
  const stop = await searchOn(api.url);

  const plans = jsonLines(await run('plan'));
  expect(plans.filter(({ needed }) => needed)).toMatchObject([{ kind: 'companies', reason: 'Changed: mappings.' }]);
  await run('reindex', 'companies');
  const [changed = ''] = await stage.live('companies');
  expect(changed).not.toBe(old);
  await run('verify', 'companies', '--deep');
  expect(jsonLines(await run('plan', 'companies'))).toMatchObject([{ needed: false }]);

  await stage.pool.query(`update companies set tagline = 'written after the swap' where id = 17`);
  await run('sync', '--once');
  expect(JSON.parse(await run('rollback', 'companies'))).toMatchObject({ from: changed, to: old, other_shape: true });
  expect(await stage.live('companies')).toEqual([old]);
  await run('rollback', 'companies');
  expect(await stage.live('companies')).toEqual([changed]);

  const { wrong, searches } = await stop();
  expect(wrong).toEqual([]);
  expect(searches).toBeGreaterThan(10);
});

/** The server's part of a backup: databases are copied and renamed while they have no connections. */
async function onServer(...statements: readonly string[]): Promise<void> {
  await withClient(requiredEnv('TEST_DATABASE_URL'), async (client) => {
    for (const statement of statements) {
      const name = new URL(stage.databaseUrl).pathname.slice(1);
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname like $1', [`${name}%`]);
      await client.query(statement.replaceAll('DB', name));
    }
  });
}

test('a database restored from a backup: sync compares, repairs and continues by itself', async () => {
  await run('sync', '--once');
  await onServer('create database DB_backup template DB');
  // Rows that the indices have and the backup lacks.
  await stage.pool.query(`update companies set name = 'Renamed after the backup' where id = 5`);
  await stage.pool.query('delete from companies where id = 6');
  await stage.pool.query(`insert into companies (id, name, slug) values (999999, 'Made after the backup', 'after')`);
  await run('sync', '--once');
  await onServer(
    'alter database DB rename to DB_lost',
    'alter database DB_backup rename to DB',
    'drop database DB_lost',
  );

  const { code, err } = await entitySearch(['sync', '--once'], env);
  expect([code, err]).toEqual([0, expect.stringContaining('compared, repaired, following again')]);
  await run('verify', '--deep');
  // The generation that is kept for a rollback, too.
  const kinds: readonly { readonly generations: readonly { number: number; halted: string | null }[] }[] = JSON.parse(
    await run('status', 'companies'),
  );
  const kept = kinds.flatMap(({ generations }) => generations);
  expect(kept.length).toBeGreaterThan(1);
  for (const { number, halted } of kept) {
    expect(halted).toBeNull();
    await run('verify', 'companies', '--generation', String(number));
  }

  // From here on, everything works as usual: writes are followed, with versions above all earlier ones.
  await stage.pool.query(`update companies set name = 'Written after the restore' where id in (5, 6)`);
  await run('sync', '--once');
  await run('verify', '--deep');
  const [index = ''] = await stage.live('companies');
  const found = await stage.indices.client.get<{ name: string }>({ index, id: '5' });
  expect(found._source?.name).toBe('Written after the restore');
});

test('a cluster that lost all data: searches fail clearly, one reindex rebuilds all, and following continues', async () => {
  await using api = await startConnectedApi(stage.env);
  expect((await search(api.url, 'Company 17')).ids[0]).toBe(17);
  // An empty cluster has no index and no alias. It has nothing else of ours.
  const names = await stage.indices.list();
  await stage.indices.client.indices.delete({ index: [...names] });

  expect((await search(api.url, 'Company 17')).status).toBeGreaterThanOrEqual(500);
  const doctor = await entitySearch(['doctor', '--json'], env);
  expect(doctor.out).toContain('"todo":"Run: entity-search reindex companies"');
  await run('reindex');
  await run('verify', '--deep');
  expect((await search(api.url, 'Company 17')).ids[0]).toBe(17);
  await stage.pool.query(`update companies set name = 'Written after the loss' where id = 18`);
  await run('sync', '--once');
  await run('verify');
});
