import { setTimeout as delay } from 'node:timers/promises';
import { reindexConfig, syncConfig } from '../../../indexer/config.ts';
import { generationById } from '../../../indexer/generations/stored-generation.ts';
import { rewriteDocuments } from '../../../indexer/write/rewrite-documents.ts';
import { createWriteContext } from '../../../indexer/write/write-context.ts';
import type { KindName } from '../../../src/kinds/kind.ts';
import { forFile } from '../../support/for-file.ts';
import { forward, replyWith, startEngineProxy } from '../../support/proxies/elasticsearch.ts';
import { startSync } from '../../support/stages/running-sync.ts';
import { setSyncStage } from '../../support/stages/sync.ts';
import { patienceMs, until } from '../../support/until.ts';

// An index that accepts no documents: no document is at fault, so none becomes a dead letter, the position stays, and
// everything arrives when the index accepts documents again. Other indices continue meanwhile.

const stage = await forFile(setSyncStage());

async function count(sql: string): Promise<number> {
  return (await stage.pool.query<{ n: number }>(`select count(*)::int as n from ${sql}`)).rows[0]?.n ?? 0;
}

const noted = async (kind: KindName) =>
  (await stage.liveRow<{ readonly last_error: string | null }>(kind, 'last_error')).last_error;

const pendingOf = (kind: KindName) => count(`search_lag where pending > 0 and kind = '${kind}'`);

const indexOf = async (kind: KindName): Promise<string> => (await stage.live(kind))[0] ?? '';

test('sync waits for a closed index, reports it, makes no dead letters, and catches up once it is open', async () => {
  const index = await indexOf('companies');
  await using _sync = startSync(stage.syncDeps({}, { longestPauseMs: 200 }));
  await until(async () => (await noted('companies')) === null, 'following');
  await stage.indices.client.indices.close({ index });
  // Before any write.
  await until(async () => (await noted('companies')) !== null, 'noting');
  expect(await noted('companies')).toContain(`it is closed (open it with POST /${index}/_open)`);
  await stage.pool.query(`update companies set overview = 'while closed' where id <= 100`);
  await stage.pool.query('delete from companies where id = 101');
  await stage.pool.query(`update people set overview = 'goes on' where id = 1`);
  await until(async () => (await pendingOf('people')) === 0, 'going on elsewhere');
  expect(await pendingOf('companies')).toBe(1);
  await stage.indices.client.indices.open({ index });
  await until(async () => (await pendingOf('companies')) === 0, 'arriving');
  await until(async () => (await noted('companies')) === null, 'taking the note away');
  expect(await count('search_dead_letters')).toBe(0);
  await stage.expectEqual();
});

test('writing some documents to a closed index fails with the reason and makes no dead letters', async () => {
  const index = await indexOf('companies');
  const config = { ...reindexConfig({}), bulk: { ...reindexConfig({}).bulk, giveUpAfterMs: 0 } };
  const { id } = await stage.liveRow('companies');
  const generation = await generationById(stage.pool, id);
  const write = () =>
    rewriteDocuments(createWriteContext(stage.pool, stage.indices.client, config), generation, [200, 201, 9_999], {
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
  await stage.indices.client.indices.close({ index });
  await expect(write()).rejects.toThrow(`${index} is closed. Open it: POST /${index}/_open`);
  expect(await count('search_dead_letters')).toBe(0);
  await stage.indices.client.indices.open({ index, wait_for_active_shards: 1 });
  expect(await write()).toEqual({ written: 2, deleted: 1, superseded: 0, deadLetters: 0 });
});

test('a blocked index with many changes leaves others their share of memory, and is reported with the reason', async () => {
  const index = await indexOf('companies');
  const small = { batchBytes: 8_192, bytesInFlight: 65_536 };
  await using _sync = startSync(
    stage.syncDeps({}, { ...small, bulk: { ...syncConfig({}).bulk, giveUpAfterMs: 3_000 } }),
  );
  await until(async () => (await pendingOf('companies')) === 0, 'following');
  await stage.indices.client.indices.putSettings({ index, settings: { 'blocks.write': true } });
  await stage.pool.query(`update companies set overview = 'while blocked'`);
  await delay(1_000);
  await stage.pool.query(`update people set overview = 'beside it' where id <= 40`);
  await until(async () => (await pendingOf('people')) === 0, 'going on elsewhere');
  await until(async () => ((await noted('companies')) ?? '').includes('is blocked'), 'noting');
  expect(await noted('companies')).toContain('index.blocks.write');
  await stage.indices.client.indices.putSettings({ index, settings: { 'blocks.write': null } });
  await until(async () => (await pendingOf('companies')) === 0, 'arriving');
  expect(await count('search_dead_letters')).toBe(0);
  await stage.expectEqual();
});

test('a load into a closed index is interrupted with the reason, and resumed', async () => {
  const bulk = { requestTimeoutMs: patienceMs, firstPauseMs: 10, longestPauseMs: 100, giveUpAfterMs: 500 };
  let closed: Promise<unknown> | undefined;
  await using proxy = await startEngineProxy(async (request, response) => {
    // Documents wait until the index is closed, so that the load can't end before.
    if (request.path.includes('/_bulk')) await closed;
    await replyWith(response, await forward(stage.indices.url, request));
  });
  const [interrupted] = await stage.run({
    url: proxy.url,
    config: { batchBytes: 2_048, bytesInFlight: 4_096, bulk },
    observer: {
      onProgress: () => {
        closed ??= stage
          .generations('companies')
          .then((all) => stage.indices.client.indices.close({ index: all.at(-1)?.index_name ?? '' }));
      },
    },
  });
  await closed;
  expect(interrupted?.reindex).toMatchObject({ state: 'loading', interrupted: true, counts: { deadLetters: 0 } });
  expect(interrupted?.reindex.error).toContain('is closed. Open it: POST /');
  await stage.indices.client.indices.open({ index: interrupted?.generation ?? '', wait_for_active_shards: 1 });
  const [resumed] = await stage.run({ mode: 'resume' });
  expect(resumed?.reindex).toMatchObject({ state: 'live', counts: { deadLetters: 0 } });
});
