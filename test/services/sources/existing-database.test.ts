import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import type { Finding } from '../../support/doctor.ts';
import { createTestIndices } from '../../support/engines/indices.ts';
import { createRolesDatabase } from '../../support/engines/service-roles.ts';
import { forFile } from '../../support/for-file.ts';
import { runScript } from '../../support/sources/run-script.ts';
import { envOf, runAs } from '../../support/stages/installation.ts';

// Follows docs/existing-database.md with a role that owns none of the tables and is not a superuser.

const database = await forFile(createRolesDatabase());
const indices = await forFile(createTestIndices());

const page = readFileSync(new URL('../../../docs/existing-database.md', import.meta.url), 'utf8');
/** The blocks of the walk through: language, who, text. */
const blocks = [
  ...page.slice(0, page.indexOf('## Rules for views')).matchAll(/^```(\w+) ?(\w*)\n([\s\S]*?)^```$/gm),
].map(([, language = '', who = '', text = '']) => ({ language, who, text }));

const env = () => ({ ...envOf({ ...database, indices }, 'indexer'), DATABASE_URL: database.ownerUrl });
const scripts = new Map<string, string>();

/** Runs a line of the page as a shell would. */
async function runLine(line: string): Promise<void> {
  const [program, ...words] = [...line.replace(/^npx /, '').matchAll(/"[^"]*"|\S+/g)].map(([word]) =>
    word.replaceAll('"', ''),
  );
  if (program === 'psql') {
    const files = words.filter((_, at) => words[at - 1] === '-f').map((name) => scripts.get(name) ?? '');
    await withClient(database.ownerUrl, async (client) => {
      for (const file of files) await runScript(client, file);
    });
    return;
  }
  const to = words.indexOf('>');
  const args = to < 0 ? words : words.slice(0, to);
  const { code, out, err } = await entitySearch(args, env());
  // Only doctor's findings about the tables are checked below: there is no account and no index yet.
  if (args[0] !== 'doctor') expect({ line, code, err: code === 0 ? '' : err }).toEqual({ line, code: 0, err: '' });
  if (to >= 0) scripts.set(words[to + 1] ?? '', out);
}

async function sourceFindings(): Promise<readonly Finding[]> {
  const { out } = await entitySearch(['doctor', '--json'], env());
  const findings: readonly Finding[] = JSON.parse(out);
  return findings.filter(({ check }) => check === 'shown tables');
}

const asAdministrator = <Result>(work: (client: pg.Client) => Promise<Result>) =>
  withClient(database.superuserUrl, work);

test('following the page creates indices that follow the tables', async () => {
  expect(blocks.map(({ language }) => language)).toEqual(['sql', 'sql', 'sh']);
  for (const { language, who, text } of blocks) {
    if (language === 'sql') {
      await asAdministrator((client) => client.query(text));
      if (who === 'example') await asAdministrator(fillExample);
    } else {
      for (const line of text.replaceAll('\\\n', '').trim().split('\n')) await runLine(line.replaceAll(/ +/g, ' '));
    }
  }
  const [company] = await search('Amber Works');
  expect(company).toMatchObject({
    name: 'Amber Works',
    tags: ['dex', 'wallet'],
    country: 'Switzerland',
    overview: 'Nice',
  });
});

async function fillExample(client: pg.Client): Promise<void> {
  await client.query(`
    insert into crm.country values ('CH', 'Switzerland'), ('DE', 'Germany');
    insert into crm.org (legal_name, handle, profile, country_code)
    select 'Org ' || i, 'org-' || i, jsonb_build_object('claim', 'claim ' || i), case when i % 2 = 0 then 'CH' else 'DE' end
    from generate_series(1, 200) as i;
    insert into crm.org (legal_name, country_code) values ('Amber Works', 'CH');
    insert into crm.org_tag select id, tag from crm.org, unnest(array['wallet', 'dex']) as tag where legal_name = 'Amber Works';
    insert into crm.comment (subject_type, subject_id, body) select 'org', id::text, 'Nice' from crm.org where legal_name = 'Amber Works';
    insert into crm.comment (subject_type, subject_id, body) values ('page', 'about us', 'Dull');
    insert into crm.person (full_name) select 'Person ' || i from generate_series(1, 50) as i;
    insert into crm.job (person_id, org_id, title)
    select p.id, o.id, 'Engineer' from crm.person p, crm.org o where o.legal_name = 'Amber Works';`);
}

interface Found {
  readonly name: string;
  readonly tags?: readonly string[];
  readonly overview?: string | null;
  readonly country?: string | null;
  readonly roles?: readonly { readonly organisation: string | null }[];
}

/** Documents of both kinds by their exact name, as Elasticsearch has them. */
async function search(name: string): Promise<readonly Found[]> {
  const index = `${indices.prefix}companies,${indices.prefix}people`;
  await indices.client.indices.refresh({ index });
  const { hits } = await indices.client.search<Found & { location_json?: { country: string | null } | null }>({
    index,
    size: 100,
    query: { term: { 'name.sort': name } },
  });
  return hits.hits.flatMap(({ _source }) =>
    _source?.name === name ? [{ ..._source, country: _source.location_json?.country ?? null }] : [],
  );
}

const sync = () => runAs({ ...database, indices }, 'indexer', 'sync', '--once');
const verify = () => runAs({ ...database, indices }, 'indexer', 'verify', '--deep');

test.each([
  ['a new row', `insert into crm.org (legal_name) values ('Brass Gate')`, 'Brass Gate', 1],
  ['a row whose name people will show', `update crm.org set deleted_at = null where handle = 'org-9'`, 'Org 9', 1],
  ['a row that is marked as deleted', `update crm.org set deleted_at = now() where handle = 'org-7'`, 'Org 7', 0],
  ['a comment', `update crm.comment set body = 'Nicer'`, 'Amber Works', 1],
  ['a row of a child', `insert into crm.org_tag select id, 'zk' from crm.org where handle = 'org-3'`, 'Org 3', 1],
  [
    'a name that people show',
    `update crm.org set legal_name = 'Amber Mill' where legal_name = 'Amber Works'`,
    'Amber Mill',
    1,
  ],
  ['a lookup', `update crm.country set name = 'Helvetia' where code = 'CH'`, 'Amber Mill', 1],
  ['a deletion with dependent rows', `delete from crm.org where legal_name = 'Amber Mill'`, 'Amber Mill', 0],
  ['a key that changes', `update crm.org set id = gen_random_uuid() where handle = 'org-5'`, 'Org 5', 1],
  ['a table that is emptied', 'truncate crm.person cascade', 'Person 1', 0],
])('%s reaches the indices', async (_, sql, name, count) => {
  await asAdministrator((client) => client.query(sql));
  await sync();
  expect(await search(name)).toHaveLength(count);
});

test('after changes of every sort, verify finds no difference', verify);

test.each([
  ['a page', 'select id from companies where id > 1 order by id limit 100'],
  ['some by id', 'select * from companies where id = any(array[1, 2]::bigint[])'],
  ['rows by owner', 'select * from roles where person_id = 1 order by position'],
  [
    'rows by the other end',
    'select distinct person_id from roles where company_id = 1 and person_id > 1 order by person_id limit 100',
  ],
])('%s is looked up through indices, without a sequential scan', async (_, sql) => {
  const plan = await asAdministrator(async (client) => {
    // Used only if there is no other plan.
    await client.query('set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${sql}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(plan).toContain('Index Cond: (');
  expect(plan).not.toContain('Seq Scan');
});

test('updates of columns that no view reads, and updates without changes, are not logged', async () => {
  const noted = await asAdministrator(async (client) => {
    const { rows: before } = await client.query('select coalesce(max(seq), 0) as seq from search_changes');
    await client.query(`update crm.org set last_seen = now() where handle in ('org-3', 'org-11')`);
    await client.query(`update crm.org set legal_name = legal_name where handle = 'org-3'`);
    const { rows } = await client.query('select kind, id, what from search_changes where seq > $1', [before[0]?.seq]);
    return rows;
  });
  expect(noted).toEqual([]);
});

test('doctor names tables without triggers, and no others', async () => {
  expect(await sourceFindings()).toMatchObject([{ level: 'ok' }]);
  await asAdministrator((client) => client.query('alter table crm.org_tag disable trigger entity_search_delete'));
  expect(await sourceFindings()).toMatchObject([
    { level: 'fail', found: expect.stringContaining('The triggers that note changes of crm.org_tag are missing') },
  ]);
  await asAdministrator((client) => client.query('alter table crm.org_tag enable trigger entity_search_delete'));
});

test('outdated triggers of a changed view are reported, and the view is read again by migrate', async () => {
  await asAdministrator(async (client) => {
    const { rows } = await client.query<{ text: string }>(
      `select pg_get_viewdef('search_source.companies'::regclass) as text`,
    );
    const text = rows[0]?.text.replace('o.changed AS updated_at', 'coalesce(o.last_seen, o.changed) AS updated_at');
    await client.query(`create or replace view search_source.companies as ${text}`);
  });
  expect(await sourceFindings()).toMatchObject([
    { level: 'warn', todo: 'Run: entity-search migrate' },
    { level: 'fail', found: expect.stringContaining('The triggers that note changes of crm.org are missing') },
  ]);
  await runLine('entity-search migrate');
  await runLine('entity-search triggers > triggers.sql');
  await runLine('psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f triggers.sql');
  expect(await sourceFindings()).toMatchObject([{ level: 'ok' }]);
  await sync();
  await verify();
});

test('an import is refused with what to do instead', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'entity-search-import-'));
  writeFileSync(join(folder, 'companies.ndjson'), '{"id":1,"name":"One","slug":"one"}\n');
  const { code, err } = await entitySearch(['import', folder], { ...env(), DATABASE_URL: database.urlOf('writer') });
  rmSync(folder, { recursive: true });
  expect(code).toBe(3);
  expect(err).toContain('Views of the schema search_source replace companies, people and roles');
});

test('the output of --drop removes the triggers', async () => {
  const { out } = await entitySearch(['triggers', '--drop'], env());
  await asAdministrator((client) => runScript(client, out));
  const { code, err } = await entitySearch(['triggers', '--drop'], env());
  expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining('There are no triggers of entity-search.') });
  // Writers do not notice that they are gone.
  await asAdministrator((client) => client.query(`insert into crm.org (legal_name) values ('Unnoted')`));
  const failed = (await sourceFindings()).filter(({ level }) => level === 'fail');
  const tables = failed.map(({ found }) => found.split(' ')[6]);
  expect(tables.toSorted()).toEqual(['crm.comment', 'crm.country', 'crm.job', 'crm.org', 'crm.org_tag', 'crm.person']);
});
