import { withClient } from '../../../dev/engines/postgres/client.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { writeSample } from '../../../dev/sample/generate.ts';
import { type KindName, kindNames, mapKinds } from '../../../src/kinds/kind.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import { selectBodies } from '../../../src/kinds/sql.ts';
import { forFile } from '../../support/for-file.ts';
import { realData, testOnRealData } from '../../support/real-data.ts';
import { setImportStage } from '../../support/stages/import.ts';

// The SQL that builds records and documents must match the schemas, for every row.

const stage = await forFile(setImportStage());

async function bodies(databaseUrl: string, kind: KindName, body: 'record' | 'document'): Promise<readonly unknown[]> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query<{ body: string }>(selectBodies(kinds[kind].sql, body, '')),
  );
  return rows.map((row): unknown => JSON.parse(row.body));
}

/** Parses every record and document of a database. Returns their number for each kind. */
async function parseAll(databaseUrl: string): Promise<Readonly<Record<KindName, number>>> {
  const counts: Record<KindName, number> = { ...mapKinds(() => 0) };
  for (const kind of kindNames) {
    for (const record of await bodies(databaseUrl, kind, 'record')) kinds[kind].record.parse(record);
    const documents = await bodies(databaseUrl, kind, 'document');
    for (const document of documents) kinds[kind].document.parse(document);
    counts[kind] = documents.length;
  }
  return counts;
}

test('every document of the sample is valid for its kind, and every field is filled in some', async () => {
  const counts = { companies: 200, people: 120, investors: 40, events: 60 };
  await writeSample(stage.folder, { seed: 1, counts });
  expect((await stage.import(['--strict'])).code).toBe(0);
  expect(await parseAll(stage.databaseUrl)).toEqual(counts);
  for (const kind of kindNames) {
    const documents = await bodies(stage.databaseUrl, kind, 'document');
    const neverFilled = Object.keys(kinds[kind].document.shape).filter((field) => !documents.some(fills(field)));
    expect([kind, neverFilled]).toEqual([kind, []]);
  }
});

function fills(field: string): (document: unknown) => boolean {
  return (document) => {
    if (typeof document !== 'object' || document === null) return false;
    const value: unknown = Object.entries(document).find(([key]) => key === field)?.[1];
    return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
  };
}

test('a line of each kind with only required fields becomes a valid document', async () => {
  await using bare = await setImportStage();
  const line = { id: 1, name: 'Ünïcode "quoted" \\ 名前 🦩', slug: 'bare' };
  bare.files(Object.fromEntries(kindNames.map((kind) => [`${kind}.ndjson`, [line]])));
  expect((await bare.import(['--strict'])).code).toBe(0);
  expect(await parseAll(bare.databaseUrl)).toEqual({ companies: 1, people: 1, investors: 1, events: 1 });
});

testOnRealData('documents of real data')(
  'the real data is imported whole, once, and every document of it is valid for its kind',
  async () => {
    await using real = await setImportStage();
    const read = async (): Promise<readonly { read: number; inserted: number; updated: number }[]> => {
      const imported = await entitySearch(['import', realData], { DATABASE_URL: real.databaseUrl });
      expect(imported.code).toBe(0);
      return JSON.parse(imported.out);
    };
    await read();
    const counts = { companies: 4504, people: 3099, investors: 1067, events: 739 };
    expect(await parseAll(real.databaseUrl)).toEqual(counts);
    expect((await read()).map(({ inserted, updated }) => inserted + updated)).toEqual([0, 0, 0, 0]);
  },
);
