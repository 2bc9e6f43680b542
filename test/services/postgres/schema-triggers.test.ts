import { writeFileSync } from 'node:fs';
import pg from 'pg';
import { type KindName, kindNames } from '../../../src/kinds/kind.ts';
import { dependencies, relations } from '../../../src/kinds/relations.ts';
import { migrate } from '../../../src/schema/migrate.ts';
import { expectedTriggers, listLostTriggers, readTriggers } from '../../../src/schema/triggers.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { closedAfterFile, forFile } from '../../support/for-file.ts';

// src/schema/triggers.json is the output of the migrations; a trigger that differs from it was changed by hand.

const database = await forFile(createTestDatabase());
const pool = await closedAfterFile(new pg.Pool({ connectionString: database.url, max: 2 }), (opened) => opened.end());

test('triggers.json is what the migrations create; WRITE_TRIGGERS=1 writes it', async () => {
  const there = await readTriggers(pool);
  if (process.env.WRITE_TRIGGERS === '1') {
    const file = new URL('../../../src/schema/triggers.json', import.meta.url);
    writeFileSync(file, `${JSON.stringify(there, null, 2)}\n`);
  }
  expect(expectedTriggers()).toEqual(there);
  expect(Object.keys(there)).toHaveLength(kindNames.length + relations.length + 1);
  expect(Object.keys(there.companies ?? {})).toEqual(expect.arrayContaining(['log_insert', 'log_truncate']));
});

test('changes of entities are logged for documents of other kinds that show them, as the kinds declare', async () => {
  const { rows } = await pool.query<{ reader: KindName; kind: KindName; concerns: boolean }>(
    `select reader, kind, reader = kind or reader = any(search_readers(kind)) as concerns
     from unnest($1::text[]) as reader cross join unnest($1::text[]) as kind`,
    [kindNames],
  );
  expect(rows).toHaveLength(kindNames.length ** 2);
  expect(rows).toEqual(
    rows.map(({ reader, kind }) => ({
      reader,
      kind,
      concerns: reader === kind || dependencies(reader, kind).length > 0,
    })),
  );
});

test('every table with a check on kinds allows each kind', async () => {
  const { rows } = await pool.query<{ name: string; definition: string }>(
    `select conrelid::regclass::text as name, pg_get_constraintdef(oid) as definition from pg_constraint
     where contype = 'c' and coninhcount = 0 and pg_get_constraintdef(oid) ~ ('kind = ANY.*' || $1)`,
    [kindNames[0]],
  );
  expect(rows.length).toBeGreaterThan(0);
  for (const kind of kindNames) {
    expect(rows.filter(({ definition }) => !definition.includes(`'${kind}'`)).map(({ name }) => name)).toEqual([]);
  }
});

test.each([
  ['drop trigger log_update on companies', 'companies'],
  ['alter table roles disable trigger log_insert', 'roles'],
  ['alter table events enable trigger log_delete', 'events'],
])('%s is reported, and migrate repairs it', async (statement, table) => {
  await pool.query(statement);
  expect(await listLostTriggers(pool)).toMatchObject([{ table }]);
  const said: string[] = [];
  await migrate(database.url, (line) => said.push(line));
  expect(said).toContainEqual(expect.stringContaining(`triggers of ${table} were restored`));
  expect(await listLostTriggers(pool)).toEqual([]);
});
