import { randomUUID } from 'node:crypto';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { migrate, SchemaNewerError, SchemaOlderError } from '../../../src/schema/migrate.ts';
import { listMigrations } from '../../../src/schema/migrations.ts';
import { dropDatabase } from '../../support/engines/database.ts';
import { requiredEnv } from '../../support/jest/required-env.ts';

const name = `migrate_${randomUUID().replaceAll('-', '')}`;
const server = requiredEnv('TEST_DATABASE_URL');
const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
const names = listMigrations().map((migration) => migration.name);

async function query(address: string, text: string): Promise<readonly Record<string, unknown>[]> {
  return (await withClient(address, (client) => client.query(text))).rows;
}

beforeAll(() => query(server, `create database ${name}`));
afterAll(() => dropDatabase(name));

test('for a database without tables, commands name the one to run', async () => {
  const run = await entitySearch(['plans'], { DATABASE_URL: url });
  expect([run.code, run.err]).toEqual([1, expect.stringContaining('Run: entity-search migrate')]);
});

test('of three concurrent migrations, one applies everything, and the others and any later one do nothing', async () => {
  const said: string[] = [];
  const runs = await Promise.all([1, 2, 3].map(() => migrate(url, (line) => said.push(line))));
  expect(runs.map((applied) => applied.length).sort()).toEqual([0, 0, names.length]);
  // Another test may have created roles of the service on this server: then their rights are reported, too.
  expect(said.filter((line) => line.startsWith('Applied'))).toEqual(names.map((migration) => `Applied ${migration}.`));
  const run = await entitySearch(['migrate'], { DATABASE_URL: url });
  expect([run.code, run.out]).toEqual([0, '{"applied":[]}\n']);
});

test('a database migrated by a newer version is refused', async () => {
  await query(url, `insert into schema_migrations (name, run_on) values ('999-future', now())`);
  await expect(migrate(url, () => undefined)).rejects.toThrow(SchemaNewerError);
  await query(url, `delete from schema_migrations where name = '999-future'`);
});

test('a database from before version 1.0.0 is refused in one sentence with the next step', async () => {
  await query(url, `update schema_migrations set name = '001-entities' where name = '000-baseline'`);
  await expect(migrate(url, () => undefined)).rejects.toThrow(SchemaOlderError);
  const run = await entitySearch(['migrate'], { DATABASE_URL: url });
  expect([run.code, run.err]).toEqual([1, expect.stringContaining('Create an empty database')]);
  await query(url, `update schema_migrations set name = '000-baseline' where name = '001-entities'`);
});

test('errors for a missing address, a wrong one and an unreachable server name the next step', async () => {
  const unset = await entitySearch(['migrate'], {});
  expect([unset.code, unset.err]).toEqual([64, expect.stringMatching(/DATABASE_URL: is not set; give the address/)]);
  const wrong = await entitySearch(['migrate'], { DATABASE_URL: 'mysql://x' });
  expect([wrong.code, wrong.err]).toEqual([64, expect.stringMatching(/DATABASE_URL: must be an address such as/)]);
  const down = await entitySearch(['migrate'], { DATABASE_URL: 'postgres://x@127.0.0.1:1/x' });
  expect([down.code, down.err]).toEqual([1, expect.stringMatching(/Nothing answers at the address/)]);
  const missing = await entitySearch(['migrate'], { DATABASE_URL: `${url}_not` });
  expect([missing.code, missing.err]).toEqual([1, expect.stringMatching(/does not exist/)]);
});
