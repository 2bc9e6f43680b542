import { entitySearch } from '../../../dev/lib/command-line.ts';
import { withCommandLimits } from '../../../dev/lib/limits.ts';
import { forFile } from '../../support/for-file.ts';
import { forward, reply, replyWith, startEngineProxy } from '../../support/proxies/elasticsearch.ts';
import { setReindexStage } from '../../support/stages/reindex.ts';

// An index names the database and the release that built it, so that no alias of another installation is taken.

const stage = await forFile(setReindexStage());

const run = (...args: readonly string[]) =>
  entitySearch(args, withCommandLimits(stage.env, { verify: { waitMs: 200 } }));

async function originOf(index: string): Promise<Record<string, unknown>> {
  const found = await stage.indices.client.indices.getMapping({ index });
  return found[index]?.mappings._meta?.origin ?? {};
}

async function writeOrigin(index: string, meta: Record<string, object>): Promise<void> {
  await stage.indices.client.indices.putMapping({ index, _meta: meta });
}

test("a new index stores its database's id and its release, which are not part of its hash", async () => {
  expect((await run('reindex', 'companies')).code).toBe(0);
  const [live = ''] = await stage.live('companies');
  const { rows } = await stage.pool.query('select id::text as owner from search_owner');
  expect(await originOf(live)).toMatchObject({
    ...rows[0],
    version: expect.any(String),
    migrations: expect.any(Number),
  });
  expect(JSON.parse((await run('plan', 'companies')).out)).toMatchObject({ needed: false });
});

test("commands that write refuse another database's index until it is taken over", async () => {
  await stage.pool.query('update search_owner set id = gen_random_uuid()');
  const live = await stage.live('companies');
  for (const args of [
    ['reindex', 'companies'],
    ['sync', 'companies'],
    ['sync', '--once', 'companies'],
    ['rollback', 'companies'],
    ['rollback', 'companies', '--generation', '1'],
    ['repair', 'companies'],
    ['reindex', 'companies', '--abort'],
    ['dead-letters', 'retry', 'companies'],
  ]) {
    const { code, err } = await run(...args);
    expect([args, code, err]).toEqual([args, 3, expect.stringMatching(/built from another database .*--take-over/)]);
  }
  expect(await stage.live('companies')).toEqual(live);
  expect(await stage.indices.list()).toEqual(live);
  expect((await run('reindex', 'companies', '--take-over')).code).toBe(0);
  expect((await run('sync', '--once', 'companies')).code).toBe(0);
  expect((await run('reindex', 'companies')).code).toBe(0);
});

test('an index without a stored database is not replaced until it is taken over', async () => {
  const [live = ''] = await stage.live('companies');
  await writeOrigin(live, {});
  const { code, err } = await run('reindex', 'companies');
  expect([code, err]).toEqual([3, expect.stringContaining('was not built from this database')]);
  expect((await run('reindex', 'companies', '--take-over')).code).toBe(0);
});

test("an older release replaces a newer release's index only with an option", async () => {
  const [live = ''] = await stage.live('companies');
  const origin = await originOf(live);
  await writeOrigin(live, { origin: { ...origin, migrations: 999 } });
  const { code, err } = await run('reindex', 'companies');
  expect([code, err]).toEqual([3, expect.stringMatching(/built by a newer release .*--take-over/)]);
  expect(await stage.live('companies')).toEqual([live]);
  await writeOrigin(live, { origin: { ...origin, version: '99.0.0' } });
  expect((await run('reindex', 'companies')).code).toBe(3);
  expect((await run('reindex', 'companies', '--take-over')).code).toBe(0);
  expect(await stage.live('companies')).not.toEqual([live]);
});

test('an owner that Elasticsearch does not show is not assumed to be this database', async () => {
  const { url, close } = await startEngineProxy(async (request, response) => {
    if (request.path.startsWith('/_alias/')) return reply(response, 403, '{"error":"denied"}');
    return replyWith(response, await forward(stage.indices.url, request));
  });
  const [live = ''] = await stage.live('companies');
  await stage.pool.query(`update companies set name = 'Not sent' where id = 3`);
  const { code, err } = await entitySearch(['sync', '--once', 'companies'], { ...stage.env, ELASTICSEARCH_URL: url });
  await close();
  expect([code, err]).toEqual([1, expect.stringContaining('could not read the alias')]);
  const found = await stage.indices.client.get<{ name: string }>({ index: live, id: '3' });
  expect(found._source?.name).toBe('Company 3');
  expect((await run('sync', '--once', 'companies')).code).toBe(0);
});

test('rollback takes an alias from another database only if an option allows it', async () => {
  const [foreign = ''] = await stage.live('companies');
  const kept = (await stage.generations('companies')).findLastIndex(({ state }) => state === 'retired') + 1;
  await stage.pool.query(`update search_generations set state = 'aborted', ended_at = now() where index_name = $1`, [
    foreign,
  ]);
  await writeOrigin(foreign, { origin: { owner: 'another', migrations: 1, version: '1.0.0' } });
  const [status] = JSON.parse((await run('status', 'companies', '--json')).out);
  const command = `rollback companies --generation ${kept}`;
  expect(status.problem).toMatch(/if another database uses it; or take it over\. Run: /);
  expect(status.problem).toContain(`entity-search ${command} --take-over`);
  const { code, err } = await run(...command.split(' '));
  expect([code, err]).toEqual([3, expect.stringContaining('built from another database (another)')]);
  expect(await stage.live('companies')).toEqual([foreign]);
  expect((await run(...command.split(' '), '--take-over')).code).toBe(0);
  expect(await stage.live('companies')).not.toEqual([foreign]);
});

test('an index that another database created under the name of a build is neither loaded nor deleted', async () => {
  expect((await run('reindex', 'companies', '--take-over')).code).toBe(0);
  const stop = new AbortController();
  await stage.run({ signal: stop.signal, observer: { onState: () => stop.abort() } });
  const planned = (await stage.generations('companies')).at(-1);
  const index = planned?.index_name ?? '';
  expect(planned?.state).toBe('planned');
  const origin = { owner: 'another', migrations: 1, version: '1.0.0' };
  await stage.indices.client.indices.create({ index, mappings: { _meta: { origin } } });
  const { code, err } = await run('reindex', 'companies', '--resume');
  expect([code, err]).toEqual([1, expect.stringContaining('built from another database (another)')]);
  expect(await stage.indices.list()).toContain(index);
  expect((await stage.generations('companies')).at(-1)).toMatchObject({ state: 'failed', ended: true });
  expect((await stage.indices.client.count({ index })).count).toBe(0);
  expect((await run('reindex', 'companies')).code).toBe(0);
});
