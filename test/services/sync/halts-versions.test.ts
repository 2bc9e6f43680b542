import { entitySearch } from '../../../dev/lib/command-line.ts';
import { haltAllGenerations, haltBehindMarker } from '../../../indexer/change-log/halts.ts';
import { markerIndexName } from '../../../src/kinds/index-names.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { forFile } from '../../support/for-file.ts';
import { setSyncStage } from '../../support/stages/sync.ts';

// Versions that a lost state of the database has drawn, and versions that no state here could draw.

const stage = await forFile(setSyncStage(60, { kinds: ['companies', 'investors'] }));

test('a generation is not halted if a new epoch of removals fails to begin, and the next check tries again', async () => {
  const [index = ''] = await stage.live('companies');
  const halted = async () =>
    (await stage.pool.query('select from search_generations where halted is not null')).rowCount;
  const { id } = await stage.liveRow('companies');
  await stage.pool.query('alter function search_begin_epoch(text) rename to search_begin_epoch_away');
  try {
    await expect(haltAllGenerations(stage.pool, index, 1)).rejects.toThrow('search_begin_epoch');
    await expect(haltBehindMarker(stage.pool, id)).rejects.toThrow('search_begin_epoch');
    expect(await halted()).toBe(0);
  } finally {
    await stage.pool.query('alter function search_begin_epoch_away(text) rename to search_begin_epoch');
  }
});

// The lost state of the database drew versions above those that a clock set back leads to. The documents are
// equal, so the halt ends; then a change of one of them is refused as older, and taken for superseded.
test('versions from a lost state hide no later change, whatever the clock shows', async () => {
  await stage.pool.query(`create or replace function search_raise_epoch() returns bigint language sql
    return setval('search_versions', (select last_value from search_versions) + 1)`);
  const [index = ''] = await stage.live('companies');
  const { client } = stage.indices;
  await stage.round('companies');
  const row = await stage.liveRow<{ readonly marker_id: string; readonly last: number }>(
    'companies',
    'marker_id, (select last_value from search_versions) as last',
  );
  const { _source: document = {} } = await client.get<object>({ index, id: '1' });
  await client.index({ index, id: '1', version: row.last + 40, version_type: 'external', document, refresh: true });
  const markers = markerIndexName(index, 'companies');
  await stage.pool.query(`update companies set overview = 'x' where id = 60`);
  await stage.round('companies');
  await client.update({ index: markers, id: row.marker_id, doc: { drawn: row.last + 40 } });
  await stage.halt('companies');
  expect((await entitySearch(['repair', 'companies'], stage.env)).code).toBe(0);
  await stage.pool.query(`update companies set overview = 'changed' where id between 1 and 50`);
  await stage.round('companies', { limits: { chunkSize: 1, stepMs: 60_000 } }).catch(String);
  await entitySearch(['sync', '--once'], stage.env);
  await stage.expectEqual(['companies']);
});

test('a deletion from a lost state that the index remembers is repaired immediately', async () => {
  await entitySearch(['sync', '--once'], stage.env);
  const [index = ''] = await stage.live('investors');
  const last = await readValue<number>(stage.pool, 'select last_value from search_versions');
  await stage.indices.client.delete({
    index,
    id: '7',
    version: last + 2 ** 45,
    version_type: 'external',
    refresh: true,
  });
  await stage.halt('investors');
  const once = await entitySearch(['sync', '--once'], stage.env);
  expect([once.code, once.code === 0 ? '' : once.err.slice(-1500)]).toEqual([0, '']);
  await stage.expectEqual(['investors']);
});
