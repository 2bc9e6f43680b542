import { entitySearch } from '../../../dev/lib/command-line.ts';
import { withCommandLimits } from '../../../dev/lib/limits.ts';
import { forFile } from '../../support/for-file.ts';
import { setReindexStage } from '../../support/stages/reindex.ts';

// `entity-search rollback`: one step back, to a generation that is still correct.

const stage = await forFile(setReindexStage());
const env = withCommandLimits(stage.env, { verify: { waitMs: 200 } });

const run = (...args: readonly string[]) => entitySearch(args, env);

test('without a previous generation, rollback is refused', async () => {
  const none = await run('rollback', 'companies');
  expect([none.code, none.err]).toEqual([3, expect.stringContaining('There is no index of companies')]);
  await run('reindex', 'companies');
  const first = await run('rollback', 'companies');
  expect([first.code, first.err]).toEqual([3, expect.stringContaining('No earlier generation of companies is kept')]);
});

test('rollback to a generation in sync is one step, and repeating it swaps back', async () => {
  const [before] = await stage.live('companies');
  await run('reindex', 'companies');
  const [after] = await stage.live('companies');
  await stage.pool.query(`update companies set name = 'Later' where id = 5`);
  expect((await run('sync', '--once')).code).toBe(0);

  const { code, out } = await run('rollback', 'companies');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ kind: 'companies', from: after, to: before, other_shape: false });
  expect(await stage.live('companies')).toEqual([before]);
  const stored = await stage.generations('companies');
  expect(stored.map(({ index_name, state }) => [index_name, state])).toEqual([
    [before, 'live'],
    [after, 'retired'],
  ]);
  const found = await stage.indices.client.get<{ name: string }>({ index: before ?? '', id: '5' });
  expect(found._source?.name).toBe('Later');
  expect((await run('rollback', 'companies')).code).toBe(0);
  expect(await stage.live('companies')).toEqual([after]);
});

test('a generation with pending changes is refused, and the alias stays', async () => {
  const live = await stage.live('companies');
  await stage.pool.query(`update companies set name = 'Not there yet' where id in (6, 7)`);
  const { code, err } = await run('rollback', 'companies');
  expect([code, err]).toEqual([3, expect.stringContaining('has not been kept in sync: 2 changes are pending')]);
  expect(await stage.live('companies')).toEqual(live);
});

test('a generation that differs from the tables is refused, even with the same number of documents', async () => {
  expect((await run('sync', '--once')).code).toBe(0);
  const live = await stage.live('companies');
  const kept = (await stage.generations('companies')).find(({ state }) => state === 'retired');
  const index = kept?.index_name ?? '';
  await stage.indices.client.delete({ index, id: '9' });
  await stage.indices.client.index({ index, id: '9000000', document: { id: 9_000_000 }, refresh: true });
  const { code, err } = await run('rollback', 'companies');
  expect([code, err]).toEqual([
    3,
    expect.stringContaining(
      'differs from the tables in 2 documents. Run: entity-search repair companies --generation 1',
    ),
  ]);
  expect(await stage.live('companies')).toEqual(live);
  expect((await run('repair', 'companies', '--generation', '1')).code).toBe(0);
  expect((await run('rollback', 'companies')).code).toBe(0);
});

test('an unavailable generation number is refused with the available ones', async () => {
  const { code, err } = await run('rollback', 'companies', '--generation', '44');
  expect([code, err]).toEqual([3, expect.stringContaining('Generation 44 of companies is not kept. Kept: 2.')]);
});
