import { entitySearch } from '../../../dev/lib/command-line.ts';
import { takeLock } from '../../../indexer/generations/locks.ts';
import { forFile } from '../../support/for-file.ts';
import { companyCount, setReindexStage } from '../../support/stages/reindex.ts';

// The output of `entity-search plan` and `status`, before and after changes.

const stage = await forFile(setReindexStage());

async function run(...args: readonly string[]) {
  const { code, out, err } = await entitySearch(args, stage.env);
  return { code, err, lines: out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])) };
}

test('without an index, a reindex is needed', async () => {
  const { code, lines } = await run('plan', 'companies');
  expect(code).toBe(0);
  expect(lines).toEqual([expect.objectContaining({ live: null, needed: true, rows: companyCount, changes: [] })]);
  expect((await run('status', 'companies')).lines).toEqual([
    [expect.objectContaining({ kind: 'companies', rows: companyCount, generations: [], builder: null })],
  ]);
});

test('after a reindex, no other is needed', async () => {
  await run('reindex');
  const [live] = await stage.live('companies');
  const { lines } = await run('plan', 'companies');
  expect(lines).toEqual([expect.objectContaining({ live, needed: false, changes: [] })]);
});

test('a generation with another mapping is reported, field by field', async () => {
  await stage.pool.query(
    `update search_generations set hash = 'before',
       definition = jsonb_set(definition #- '{mappings,properties,slug}', '{mappings,properties,gone}', '{"type":"long"}'),
       document_sql = replace(document_sql, 'c.tagline', 'upper(c.tagline)')
     where kind = 'companies'`,
  );
  const [plan] = (await run('plan', 'companies')).lines;
  expect(plan).toMatchObject({
    needed: true,
    reason: 'Changed: mappings, sql.',
    changes: ['mappings.properties.gone', 'mappings.properties.slug', 'sql'],
  });
});

test('another number of shards is reported and built', async () => {
  await run('reindex', 'people');
  const sharded = { ...stage.env, ELASTICSEARCH_SHARDS: '3' };
  const { out } = await entitySearch(['plan', 'people'], sharded);
  expect(JSON.parse(out)).toMatchObject({
    needed: true,
    reason: 'Changed: settings.',
    changes: ['settings.number_of_shards'],
  });
  expect((await entitySearch(['reindex', 'people'], sharded)).code).toBe(0);
  const [live = ''] = await stage.live('people');
  const settings = await stage.indices.client.indices.getSettings({ index: live, flat_settings: true });
  expect(Object.values(settings)).toEqual([{ settings: expect.objectContaining({ 'index.number_of_shards': '3' }) }]);
  expect(JSON.parse((await entitySearch(['plan', 'people'], sharded)).out)).toMatchObject({ needed: false });
});

test('status shows generations, lag, dead letters and the lock holder', async () => {
  await stage.pool.query(`update companies set tagline = 'new' where id = 1`);
  const taken = await takeLock(stage.pool, 'companies', 'entity-search reindex, elsewhere:7');
  if (!('held' in taken)) throw new Error('The lock was not free.');
  await using _ = taken.held;
  const [[status]] = (await run('status', 'companies')).lines;
  expect(status).toMatchObject({
    rows: companyCount,
    builder: { applicationName: 'entity-search reindex, elsewhere:7' },
  });
  expect(status.generations).toEqual([
    expect.objectContaining({
      number: 1,
      state: 'live',
      searched: true,
      documents: companyCount,
      pending: 1,
      lagSeconds: expect.any(Number),
      deadLetters: 0,
      reader: null,
      halted: null,
      lastError: null,
    }),
  ]);
  expect(status.generations[0].bytes).toBeGreaterThan(10_000);
});

test('status names the row that has no document, and the reason', async () => {
  await stage.pool.query(
    `insert into search_dead_letters (generation_id, id, reason)
     select id, 17, 'founded_date: can not be written' from search_generations where kind = 'companies' and state = 'live'`,
  );
  const [[status]] = (await run('status', 'companies')).lines;
  expect(status.generations).toEqual([
    expect.objectContaining({ deadLetters: 1, latestLetter: 'row 17: founded_date: can not be written' }),
  ]);
});
