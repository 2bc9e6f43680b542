import pg from 'pg';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { listRelations, roleName, type ServiceRole, serviceRoles } from '../../../src/schema/rights.ts';
import { readServerVersion } from '../../../src/schema/server-version.ts';
import { addRoles, asRole } from '../../support/engines/service-roles.ts';
import { forFile } from '../../support/for-file.ts';
import { expectWholeSale } from '../../support/payments/whole-sale.ts';
import { startDenyingProxy } from '../../support/proxies/denying.ts';
import { buildIndices, envOf, setInstallation } from '../../support/stages/installation.ts';
import { setPaidStage } from '../../support/stages/paid.ts';

// Each process with its own role: the real program can do its work, and Postgres refuses everything else (42501).

const installation = await forFile(setInstallation());
const { folder, run } = installation;

/** The SQLSTATE of a statement, or null if it succeeded; it is rolled back. */
async function outcome(url: string, sql: string): Promise<string | null> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('begin');
    await client.query(sql);
    return null;
  } catch (error) {
    return error instanceof pg.DatabaseError ? (error.code ?? '') : String(error);
  } finally {
    await client.end();
  }
}

test('writer: can import, with triggers, temporary tables, pruning and statistics', async () => {
  await run('writer', 'import', folder);
  await run('writer', 'import', folder, '--strict', '--prune');
  const { major, rows } = await withClient(installation.ownerUrl, async (client) => ({
    ...(await readServerVersion(client)),
    ...(await client.query(
      `select (select count(*)::int from search_changes) > 100 as logged,
              (select count(*)::int from company_investors where investor_id is not null) > 0 as adopted,
              (select reltuples::int from pg_class where oid = 'companies'::regclass) as estimated`,
    )),
  }));
  // Before version 17 only the owner may create statistics, and autovacuum has not come by yet.
  expect(rows).toEqual([{ logged: true, adopted: true, estimated: major >= 17 ? 60 : -1 }]);
});

test('indexer: can plan, reindex, sync, verify and show status; managed.test.ts has the rest', async () => {
  await buildIndices(installation);
  const status = await run('indexer', 'status');
  expect(status).toMatchObject([{ kind: 'companies', rows: 60 }, {}, {}, {}]);
});

test('indexer: notices a database that went back in time, and raises the versions', async () => {
  const owner = new pg.Client({ connectionString: installation.ownerUrl });
  await owner.connect();
  await owner.query(`update search_generations set source_identity = 'another' where kind = 'events'`);
  const env = envOf(installation, 'indexer');
  const { rows: before } = await owner.query('select last_value from search_versions');
  const { code, err } = await entitySearch(['sync', '--once'], env);
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('compared, repaired, following again') });
  const { rows: after } = await owner.query('select last_value from search_versions');
  expect(Number(after[0]?.last_value)).toBeGreaterThan(Number(before[0]?.last_value) + 1_000);
  await run('indexer', 'repair', 'events');
  await owner.end();
});

test('admin: can list plans and payments and acknowledge a finding; managed.test.ts has accounts and keys', async () => {
  await run('admin', 'plans', 'list');
  await run('admin', 'payments', 'list');
  await withClient(installation.ownerUrl, (client) =>
    client.query(
      `insert into x402_audit_findings (kind, network, asset, pay_to, tx_hash, block, payer, amount)
       values ('transfer_without_row', 'eip155:84532', '0x', '0x', '0x', 1, '0x', 1)`,
    ),
  );
  await run('admin', 'payments', 'audit', '--acknowledge', '1', '--note', 'known');
});

test('api: can sell, replay, observe and audit a search with the same role and only listed requests', async () => {
  await using stage = await setPaidStage();
  await addRoles(stage.stage.databaseUrl);
  const { databaseUrl, elasticsearchUrl, indexPrefix } = stage.stage;
  await using proxy = await startDenyingProxy(elasticsearchUrl, 'reader', indexPrefix);
  await using api = await stage.startApi({ DATABASE_URL: asRole(databaseUrl, 'api'), ELASTICSEARCH_URL: proxy.url });
  await expectWholeSale(stage, api);
  expect([proxy.denied, proxy.used.size > 0]).toEqual([[], true]);
});

const entities = ['companies', 'people', 'investors', 'events', 'roles', 'company_investors'];
const forbidden: Readonly<Record<ServiceRole, readonly string[]>> = {
  api: [
    ...entities.flatMap((table) => [
      `delete from ${table}`,
      `update ${table} set ${table === 'roles' || table === 'company_investors' ? 'position = 1' : `name = 'x'`}`,
      `truncate ${table}`,
    ]),
    `insert into companies (id, name, slug) values (99, 'X', 'x')`,
    'select from search_changes',
    `update api_keys set hash = sha256('x')`,
    'update api_keys set account_id = 1',
    'delete from api_keys',
    `insert into accounts (name, plan, role) values ('X', 'starter', 'operator')`,
    `insert into accounts (name, plan, active) values ('X', 'starter', true)`,
    `update accounts set role = 'operator'`,
    `update accounts set name = 'x'`,
    'delete from accounts',
    'update plans set calls_per_minute = null',
    `update api_key_audit set actor = 'nobody'`,
    'delete from api_key_audit',
    `update account_events set actor = 'nobody'`,
    'delete from account_events',
    "insert into account_invitations (account_id, hash, created_by, expires_at) values (1, sha256('x'), 'x', now())",
    `update search_generations set state = 'live'`,
    'delete from search_dead_letters',
    'delete from search_verifications',
    'delete from x402_recipients',
    'delete from x402_audit_findings',
    'create temp table t (a int)',
  ],
  indexer: [
    ...entities.flatMap((table) => [`delete from ${table}`, `truncate ${table}`]),
    `update companies set name = 'x'`,
    ...['api_keys', 'api_key_audit', 'accounts', 'plans', 'account_months', 'x402_payments', 'x402_recipients'].map(
      (table) => `select from ${table}`,
    ),
    `update search_changes set what = 'all'`,
    `insert into source_entities (kind, key) values ('people', '{1}')`,
    'truncate search_changes',
    'delete from search_changes',
    'drop table search_changes_1',
    `insert into search_changes_1 (kind, id, what) values ('people', 1, 'row')`,
    'select from search_changes_1',
    'create temp table t (a int)',
  ],
  writer: [
    ...['api_keys', 'accounts', 'plans', 'x402_payments', 'x402_recipients'].map((table) => `select from ${table}`),
    ...['search_changes', 'search_generations'].map((table) => `select from ${table}`),
    `select nextval('search_versions')`,
    'alter table companies disable trigger log_insert',
    'set session_replication_role = replica',
  ],
  admin: [
    'select from companies',
    'select from search_generations',
    'delete from api_keys',
    'delete from api_key_audit',
    `update api_key_audit set actor = 'nobody'`,
    `update x402_payments set status = 'settled'`,
    'update x402_recipients set next_block = 0',
    'update x402_audit_findings set resolved_at = now()',
    'delete from x402_audit_findings',
  ],
};
const forbiddenToAll = [
  'create table t (a int)',
  'create schema s',
  'alter table companies add column x int',
  'drop table companies',
  'create index on companies (name)',
  'create trigger t before insert on companies for each row execute function touch_updated_at()',
  'create function f() returns int language sql return 1',
  'insert into schema_migrations (name, run_on) values (1, now())',
  'create role r',
  'set role entity_search',
  `copy companies to program 'cat'`,
];

test.each(serviceRoles)('%s: may do nothing else', async (role) => {
  const statements = [...forbidden[role], ...forbiddenToAll];
  const outcomes: Record<string, string | null> = {};
  for (const sql of statements) {
    const code = await outcome(installation.urlOf(role), sql);
    if (code !== '42501') outcomes[sql] = code;
  }
  expect(outcomes).toEqual({});
});

test('only the superuser, the owner and these roles can connect, and each role is only a login', async () => {
  const client = new pg.Client({ connectionString: installation.superuserUrl });
  await client.connect();
  const { rows } = await client.query(
    `select rolname from pg_roles where rolname = any($1)
       and (rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls
            or exists (select from pg_auth_members m where m.member = pg_roles.oid))`,
    [['entity_search', ...serviceRoles.map(roleName)]],
  );
  const { rows: open } = await client.query(
    `select has_database_privilege('public', current_database(), 'connect') as yes`,
  );
  await client.end();
  expect([rows, open]).toEqual([[], [{ yes: false }]]);
});

test('every table, view and sequence has explicit rights; a new one is closed to all roles until then', async () => {
  const client = new pg.Client({ connectionString: installation.ownerUrl });
  await client.connect();
  const { rows } = await client.query<{ relname: string }>(
    `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm', 'S', 'p')
       and not exists (select from pg_depend d where d.objid = pg_class.oid and d.deptype = 'i' and relkind = 'S')
     order by relname`,
  );
  expect(rows.map(({ relname }) => relname)).toEqual(listRelations());
  await client.query('create table later (secret text)');
  for (const role of serviceRoles) {
    expect(await outcome(installation.urlOf(role), 'select from later')).toBe('42501');
  }
  await client.query('drop table later');
  await client.end();
});

test("functions with their owner's rights are called by triggers, the owner or the resolver, and use only closed schemas", async () => {
  const { rows } = await withClient(installation.ownerUrl, (client) =>
    client.query<{ proname: string; proconfig: string[]; callers: string[] }>(
      `select proname, proconfig, array(
                select rolname::text from pg_roles
                where prorettype <> 'trigger'::regtype and rolname like 'entity\\_search\\_%'
                  and has_function_privilege(rolname, functions.oid, 'execute')
              ) as callers
       from (select * from pg_proc where pronamespace = 'public'::regnamespace and prosecdef) as functions`,
    ),
  );
  expect(rows.length).toBeGreaterThan(5);
  const resolving = ['entity_search_affected', 'entity_search_assign', 'entity_search_keys'];
  for (const { proname, proconfig, callers } of rows) {
    const settings = proconfig.filter((setting) => setting.startsWith('search_path='));
    const paths = settings.map((setting) => setting.replace('=pg_catalog,', '=public,'));
    const expected = resolving.includes(proname) ? ['entity_search_indexer'] : [];
    expect({ proname, paths, callers }).toEqual({ proname, paths: ['search_path=public, pg_temp'], callers: expected });
  }
});

test('another migration revokes manual grants', async () => {
  await withClient(installation.ownerUrl, (client) => client.query('grant delete on companies to entity_search_api'));
  const { code, err } = await entitySearch(['migrate'], { DATABASE_URL: installation.ownerUrl });
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('Rights are set for entity_search_api') });
  expect(await outcome(installation.urlOf('api'), 'delete from companies')).toBe('42501');
  expect(await outcome(installation.urlOf('api'), 'select from companies')).toBeNull();
});
