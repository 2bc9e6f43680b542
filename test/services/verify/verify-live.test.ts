import { setTimeout as delay } from 'node:timers/promises';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { withCommandLimits } from '../../../dev/lib/limits.ts';
import { forFile } from '../../support/for-file.ts';
import { companyCount, setReindexStage } from '../../support/stages/reindex.ts';

// Verify and repair while writers write and sync follows them: pending changes are not differences, and real
// differences are found nevertheless.

const stage = await forFile(setReindexStage());
const env = withCommandLimits(stage.env, { verify: { windowRows: 100 }, sync: { roundPauseMs: 500 } });
const stopSync = new AbortController();
const stopWriters = new AbortController();
await entitySearch(['reindex'], env);
const syncing = entitySearch(['sync'], env, stopSync.signal);
const writing = write();

await forFile({
  async [Symbol.asyncDispose]() {
    stopWriters.abort();
    await Promise.allSettled([writing]);
    stopSync.abort();
    await syncing;
  },
});

/** Updates, renames, deletions and new rows, some in each round of sync, by two writers. Returns their number. */
async function write(): Promise<number> {
  let written = 0;
  const statements = [
    `update companies set tagline = 'now ' || clock_timestamp() where id = $1`,
    `update companies set name = 'Name at ' || clock_timestamp() where id = $1 % 40 + 1`,
    'delete from companies where id = 300 + $1 % 100',
    `insert into companies (id, name, slug) values (10000 + $1, 'New', 'new-' || $1) on conflict (id) do nothing`,
    `update investors set overview = 'now ' || clock_timestamp() where id = $1 % 30 + 1`,
  ];
  const writer = async (): Promise<void> => {
    while (!stopWriters.signal.aborted) {
      written += 1;
      // The tampered documents' rows are left alone.
      const id = 51 + ((written * 7_919) % (companyCount - 100));
      await stage.pool.query(statements[written % statements.length] ?? '', [id]);
      await delay(10);
    }
  };
  await Promise.all([writer(), writer()]);
  return written;
}

test('pending documents are never reported, in any number of comparisons', async () => {
  for (let round = 1; round <= 2; round += 1) {
    const { code, out } = await entitySearch(['verify'], env);
    expect([code, out]).toEqual([0, expect.stringContaining('"equal":true')]);
  }
});

test('a real difference among them is found and repaired', async () => {
  const [index = ''] = await stage.live('companies');
  await stage.indices.client.delete({ index, id: '45', refresh: true });
  await stage.indices.client.index({ index, id: '900001', document: { id: 900_001, name: 'Ghost' }, refresh: true });
  // Writers rename ids up to 40 and change those above 50: both stay wrong until they are repaired.
  const found = await entitySearch(['verify', 'companies'], env);
  expect(found.code).toBe(2);
  expect(JSON.parse(found.out)).toMatchObject({
    missing: 1,
    extra: 1,
    stale: 0,
    samples: { missing: ['45'], extra: ['900001'] },
  });
  expect((await entitySearch(['repair', 'companies'], env)).code).toBe(0);
});

test('when the writers stop, all documents are completely equal', async () => {
  stopWriters.abort();
  expect(await writing).toBeGreaterThan(100);
  expect((await entitySearch(['verify', '--deep'], env)).code).toBe(0);
});
