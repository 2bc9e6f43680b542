import { kindNames } from '../../../src/kinds/kind.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import { selectBodies } from '../../../src/kinds/sql.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { forFile } from '../../support/for-file.ts';
import { companyCount, setReindexStage } from '../../support/stages/reindex.ts';

// A reindex without faults. Each test leaves a live generation of companies behind.

const stage = await forFile(setReindexStage());

async function storedDocuments(index: string): Promise<ReadonlyMap<string, unknown>> {
  const found = await stage.indices.client.search({ index, size: 5_000, version: true });
  return new Map(found.hits.hits.map((hit) => [hit._id ?? '', hit._source]));
}

test('every row of every kind becomes a document under the alias of its kind', async () => {
  const reports = await stage.run({ kinds: kindNames });
  expect(reports.map(({ kind, reindex }) => [kind, reindex.state, reindex.counts.rows, reindex.documents])).toEqual([
    ['companies', 'live', companyCount, companyCount],
    ['people', 'live', 40, 40],
    ['investors', 'live', 30, 30],
    ['events', 'live', 0, 0],
  ]);
  for (const kind of kindNames) {
    const { rows } = await stage.pool.query<{ id: number; body: string }>(
      selectBodies(kinds[kind].sql, 'document', ''),
    );
    const stored = await storedDocuments(`${stage.indices.prefix}${kind}`);
    expect(stored).toEqual(new Map(rows.map(({ id, body }) => [String(id), JSON.parse(body)])));
  }
});

test('the index serves with its own settings, and its database row has its history', async () => {
  const [live] = await stage.live('companies');
  expect(await stage.generations('companies')).toEqual([
    expect.objectContaining({
      index_name: live,
      state: 'live',
      rows_read: companyCount,
      last_error: null,
      has_position: true,
      ended: false,
    }),
  ]);
  const settings = await stage.indices.client.indices.getSettings({ index: live ?? '' });
  const index = settings[live ?? '']?.settings?.index;
  expect(index?.refresh_interval).toBe('500ms');
  expect(index?.number_of_replicas).toBe('0');
});

test('the index serves from one segment, whatever number the load left', async () => {
  const [live] = await stage.live('companies');
  const { indices } = await stage.indices.client.indices.segments({ index: live ?? '' });
  const segments = Object.values(indices[live ?? '']?.shards ?? {}).flatMap((copies) =>
    [copies].flat().flatMap((copy) => Object.values(copy.segments).filter(({ search }) => search)),
  );
  expect(segments.map(({ num_docs: documents }) => documents)).toEqual([companyCount]);
});

test('documents have the version of their load, and a later load has a higher one', async () => {
  const drawn = () => readValue<number>(stage.pool, 'select last_value as v from search_versions');
  const before = await drawn();
  await stage.run();
  const found = await stage.indices.client.search({
    index: `${stage.indices.prefix}companies`,
    size: companyCount,
    version: true,
    _source: false,
    sort: [{ id: 'asc' }],
  });
  const versions = found.hits.hits.map((hit) => hit._version ?? 0);
  expect(Math.min(...versions)).toBeGreaterThan(before);
  expect(Math.max(...versions)).toBeLessThanOrEqual(await drawn());
});

test('searches never fail or return nothing while a new generation is built and swapped in', async () => {
  const alias = `${stage.indices.prefix}companies`;
  const counts: number[] = [];
  let done = false;
  const searching = (async () => {
    while (!done) {
      const found = await stage.indices.client.search({ index: alias, size: 0, track_total_hits: true });
      counts.push(Number(typeof found.hits.total === 'object' ? found.hits.total.value : found.hits.total));
    }
  })();
  const before = await stage.live('companies');
  for (let round = 1; round <= 2; round += 1) await stage.run();
  done = true;
  await searching;
  const after = await stage.live('companies');
  expect(after).toHaveLength(1);
  expect(after).not.toEqual(before);
  expect(new Set(counts)).toEqual(new Set([companyCount]));
  expect(counts.length).toBeGreaterThan(20);
});

test('one previous live generation is kept, and older ones are removed', async () => {
  const stored = await stage.generations('companies');
  expect(stored.map(({ state, ended }) => [state, ended]).slice(-3)).toEqual([
    ['retired', true],
    ['retired', false],
    ['live', false],
  ]);
  const kept = stored.filter(({ ended }) => !ended).map(({ index_name }) => index_name);
  const present = (await stage.indices.list()).filter((name) => name.includes('companies'));
  expect([...present]).toEqual([...kept].sort());
});

test('a deleted live index does not count as the kept generation', async () => {
  const [live] = await stage.live('companies');
  await stage.indices.client.indices.delete({ index: live ?? '' });
  await stage.run();
  const open = (await stage.generations('companies')).filter(({ ended }) => !ended);
  expect(open.map(({ state }) => state)).toEqual(['retired', 'live']);
  expect(open[0]?.index_name).not.toBe(live);
  const { rows } = await stage.pool.query(
    `select position is not null as followed from search_generations where index_name = $1`,
    [open[0]?.index_name],
  );
  expect(rows).toEqual([{ followed: true }]);
});

test('the generation number of an unknown index is not reused', async () => {
  const { client, prefix } = stage.indices;
  await client.indices.create({ index: `${prefix}events-0a0b0c0d-700`, settings: { number_of_replicas: 0 } });
  const [report] = await stage.run({ kinds: ['events'] });
  expect(report?.generation).toMatch(/-701$/);
});
