import { setTimeout as delay } from 'node:timers/promises';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { withCommandLimits } from '../../../dev/lib/limits.ts';
import { listFollowed } from '../../../indexer/change-log/positions.ts';
import { advanceMarker } from '../../../indexer/change-log/write-marker.ts';
import { markerIndexName } from '../../../src/kinds/index-names.ts';
import type { KindName } from '../../../src/kinds/kind.ts';
import { forFile } from '../../support/for-file.ts';
import { startMending } from '../../support/stages/running-sync.ts';
import { setSyncStage } from '../../support/stages/sync.ts';
import { until } from '../../support/until.ts';

// The write marker under writers that it must distinguish, and repairs that share connections with comparisons.

const stage = await forFile(setSyncStage(300, { kinds: ['companies', 'people', 'investors'] }));

interface Marked {
  readonly index_name: string;
  readonly write_marker: number;
  readonly marker_id: string;
}
const liveRow = (kind: KindName) => stage.liveRow<Marked>(kind, 'index_name, write_marker, marker_id');

test('a concurrent sync of an earlier state of the database is noticed', async () => {
  await using sync = startMending(stage);
  const applied = async () =>
    (await stage.pool.query(`select pending from search_lag where kind = 'people'`)).rows[0]?.pending === 0;
  await stage.pool.query(`update people set overview = 'one' where id = 3`);
  await until(async () => (await applied()) && (await liveRow('people')).write_marker > 0, 'the first round');
  // The old primary's sync continues: it counts, and writes what was never committed here.
  const { index_name: index, write_marker: marker, marker_id: id } = await liveRow('people');
  const { client } = stage.indices;
  const markers = markerIndexName(index, 'people');
  // Another field would mean that another program writes there.
  await expect(client.index({ index: markers, document: { other: 1 } })).rejects.toThrow('strict_dynamic_mapping');
  await client.index({
    index: markers,
    id,
    version: marker + 50,
    version_type: 'external_gte',
    document: { marker: marker + 50, generation: index },
  });
  const { _source: document = {}, _version: version = 0 } = await client.get<object>({ index, id: '8' });
  await client.index({
    index,
    id: '8',
    version: version + 1,
    version_type: 'external',
    document: { ...document, name: 'Of the other timeline', hash: '0'.repeat(16) },
    refresh: true,
  });
  for (let n = 0; n < 5; n += 1) {
    await stage.pool.query(`update people set overview = $1 where id = 3`, [`n ${n}`]);
    await until(applied, 'a round');
    await delay(300);
  }
  await until(async () => sync.mended.some(({ kind }) => kind === 'people'), 'the repair');
  await stage.expectEqual(['people']);
});

test('sync repairs several windows at once', async () => {
  await stage.halt('companies');
  await stage.pool.query(`update companies set overview = 'waits' where id % 50 = 25`);
  const { code, err } = await entitySearch(
    ['sync', '--once'],
    withCommandLimits(stage.env, {
      sync: { repairedSharePercent: 100 },
      verify: { windowsAtOnce: 32, windowRows: 50, suspectsAtOnce: 1, differencesAtMost: 1 },
    }),
  );
  expect([code, err]).toEqual([0, expect.anything()]);
});

test('repair counts the write marker', async () => {
  await entitySearch(['sync', '--once'], stage.env);
  const { index_name: index, write_marker: marker } = await liveRow('investors');
  await stage.indices.client.delete({ index, id: '3', refresh: true });
  expect((await entitySearch(['repair', 'investors'], stage.env)).code).toBe(0);
  expect((await liveRow('investors')).write_marker).toBeGreaterThan(marker);
});

test('a missing index of markers is recreated, and a long round counts the marker for each chunk', async () => {
  const { index_name: index, write_marker: marker } = await liveRow('companies');
  await stage.indices.client.indices.delete({ index: markerIndexName(index, 'companies') });
  const [live] = await listFollowed(stage.pool, ['companies']);
  expect(live && (await advanceMarker(stage.syncDeps(), live))).toBe(false);
  await stage.pool.query(`update companies set overview = 'a' where id <= 20`);
  for (let n = 0; n < 6; n += 1) await stage.pool.query(`update companies set overview = 'b' where id = $1`, [n + 100]);
  await stage.round('companies', { limits: { chunkSize: 1, stepMs: 0 } });
  expect((await liveRow('companies')).write_marker).toBeGreaterThan(marker + 4);
});
