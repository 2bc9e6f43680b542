import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { markDemoOwned, refuseForeignData } from '../../../dev/demo/guard.ts';
import { choosePort } from '../../../dev/lib/ports.ts';
import { forFile } from '../../support/for-file.ts';
import { companyCount, setReindexStage } from '../../support/stages/reindex.ts';

// The demo never writes to an installation with data.

const stage = await forFile(setReindexStage());
const places = {
  databaseUrl: stage.databaseUrl,
  elasticsearchUrl: stage.indices.url,
  indexPrefix: stage.indices.prefix,
  given: { database: true, elasticsearch: true },
};

test('npm run demo refuses a database with entities that it did not create, and leaves them unchanged', async () => {
  const state = await mkdtemp(join(tmpdir(), 'demo-guard-'));
  const child = spawn(process.execPath, ['dev/demo/main.ts'], {
    env: { ...process.env, ...stage.env, STATE: state, PORT: String(await choosePort(undefined)) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect([code, said]).toEqual([
    3,
    expect.stringMatching(/is not empty, and the demo did not make it\. .*--into-existing/),
  ]);
  const { rows } = await stage.pool.query(`select count(*)::int as count from companies where name like 'Company %'`);
  expect(rows).toEqual([{ count: companyCount }]);
  await rm(state, { recursive: true, force: true });
});

test('a database that the demo created, or an empty one, is accepted', async () => {
  await markDemoOwned(stage.databaseUrl);
  await refuseForeignData(places);
  await stage.pool.query(`comment on table schema_migrations is null`);
  await expect(refuseForeignData(places)).rejects.toThrow('is not empty');
  await refuseForeignData({ ...places, given: { database: false, elasticsearch: true } });
  await stage.pool.query('truncate companies, people, investors, events cascade');
  await refuseForeignData(places);
});

test('a database with tables of another program is refused', async () => {
  await stage.pool.query('create schema other; create table other.things (id integer)');
  await stage.pool.query('alter table schema_migrations rename to not_ours');
  await expect(refuseForeignData(places)).rejects.toThrow('is not empty');
  await stage.pool.query('alter table not_ours rename to schema_migrations; drop schema other cascade');
});

test("indices with the demo's names but of another database are refused", async () => {
  await stage.run({ kinds: ['companies'] });
  await refuseForeignData(places);
  await stage.indices.client.indices.create({ index: `${stage.indices.prefix}people-0123abcd-7` });
  await expect(refuseForeignData(places)).rejects.toThrow(/people-0123abcd-7, which the demo did not create/);
  await refuseForeignData({ ...places, given: { database: true, elasticsearch: false } });
});
