import { entitySearch } from '../../../dev/lib/command-line.ts';
import { SAMPLE_DEFAULTS, writeSample } from '../../../dev/sample/generate.ts';
import { importFolder } from '../../../indexer/import/import-folder.ts';
import { defaultLimits } from '../../../indexer/limits.ts';
import { databaseConfig } from '../../../src/config/indexer.ts';
import { kindNames } from '../../../src/kinds/kind.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import { entityTables, relationTables } from '../../../src/schema/tables.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { forFile } from '../../support/for-file.ts';
import { setImportStage } from '../../support/stages/import.ts';

const stage = await forFile(setImportStage());
await writeSample(stage.folder, SAMPLE_DEFAULTS);

/** Every table's rows and the length of the change log. */
async function fingerprint(): Promise<unknown> {
  const tables = [...entityTables, ...relationTables];
  const parts = tables.map((table) => `(select array_agg(t.xmin::text || t::text order by t::text) from ${table} t)`);
  return stage.rows(`select md5(row(${parts.join(', ')})::text), (select count(*) from search_changes) as logged`);
}

test('the whole sample is imported, and importing again writes no row and no log entry', async () => {
  const first = await stage.import();
  expect([first.code, first.err.match(/^\w+\.ndjson:/m)]).toEqual([0, null]);
  for (const kind of kindNames) {
    expect(await stage.value(`select count(*)::int from ${kind}`)).toBe(SAMPLE_DEFAULTS.counts[kind]);
  }
  const before = await fingerprint();
  for (const flags of [[], ['--strict', '--prune']]) {
    const again = await stage.import(flags);
    expect(again.code).toBe(0);
    for (const counts of JSON.parse(again.out)) {
      expect(counts).toMatchObject({ inserted: 0, updated: 0, pruned: 0, bad: 0, unchanged: counts.read });
    }
    expect(await fingerprint()).toEqual(before);
  }
});

test('every imported row is a valid record of its kind', async () => {
  for (const kind of kindNames) {
    const { from, record } = kinds[kind].sql;
    const rows = await stage.rows(`select (${record})::text as record from ${from}`);
    expect(rows).toHaveLength(SAMPLE_DEFAULTS.counts[kind]);
    for (const row of rows) kinds[kind].record.parse(JSON.parse(String(row.record)));
  }
});

test('a stopped import keeps whole batches, reports its result, and is completed by the next one', async () => {
  await using database = await createTestDatabase();
  const env = { DATABASE_URL: database.url };
  const stopping = new AbortController();
  const report = await importFolder(
    databaseConfig(env),
    {
      directory: stage.folder,
      strict: false,
      prune: false,
      limits: { ...defaultLimits.import, batchRows: 50 },
    },
    {
      onNote: () => undefined,
      onFileStart: () => undefined,
      onProgress: (counts) => {
        if (counts.inserted > 0) stopping.abort();
      },
      onBadLine: () => undefined,
      onFileEnd: () => undefined,
    },
    stopping.signal,
  );
  expect(report.interrupted).toBe(true);
  const inserted = report.kinds[0]?.inserted ?? 0;
  expect(inserted % 50).toBe(0);
  const next = await entitySearch(['import', stage.folder], env);
  expect(JSON.parse(next.out)[0]).toMatchObject({ unchanged: inserted, inserted: 1_000 - inserted });
});

test('an import that is stopped before it begins ends with the exit code of Ctrl-C', async () => {
  const run = await entitySearch(['import', stage.folder], { DATABASE_URL: stage.databaseUrl }, AbortSignal.abort());
  expect([run.code, run.err]).toEqual([130, expect.stringContaining('Interrupted')]);
});
