import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { prepareCluster } from '../../../dev/engines/postgres/cluster.ts';
import { type PostgresServer, startServer } from '../../../dev/engines/postgres/server.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { openState } from '../../../dev/lib/state.ts';
import { writeSample } from '../../../dev/sample/generate.ts';
import { roleName, type ServiceRole, serviceRoles } from '../../../src/schema/rights.ts';
import { createTestIndices } from '../../support/engines/indices.ts';
import { type Certificates, makeCertificates } from '../../support/proxies/tls.ts';
import { buildIndices, envOf, maintainIndices, runAs, serveAccounts } from '../../support/stages/installation.ts';

// A server as providers rent it out: no superuser, only encrypted connections, few of
// them, and text in the order of a language.

const folder = mkdtempSync(join(tmpdir(), 'entity-search-managed-'));
const neverAborted = new AbortController().signal;
const counts = { companies: 60, people: 40, investors: 20, events: 20 };
const password = 'test-password';
// At the very most: an API process with two connections a pool takes 6, sync 18, a reindex 12; superusers keep 3.
const connectionsMax = 40;

let certificates: Certificates;
let release: () => void;
let server: PostgresServer;
let connections: ReturnType<typeof watchConnections>;

const urlOf = (user: string, parameters = `?sslmode=verify-full&sslrootcert=${certificates.caFile}`): string => {
  const url = new URL(server.url('entity_search'));
  return `postgres://${user}:${password}@127.0.0.1:${url.port}/entity_search${parameters}`;
};
const installation = { urlOf: (role: ServiceRole): string => urlOf(roleName(role)), indices: createTestIndices() };

/** Counts the open connections other than the test's own. */
function watchConnections(url: string) {
  let most = 0;
  let stopped = false;
  const watching = withClient(url, async (client) => {
    while (!stopped) {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
         where backend_type = 'client backend' and usename <> 'postgres'`,
      );
      most = Math.max(most, rows[0]?.count ?? 0);
      await delay(20);
    }
  });
  return {
    most: () => most,
    stop: async () => {
      stopped = true;
      await watching;
    },
  };
}

beforeAll(async () => {
  certificates = makeCertificates('IP:127.0.0.1');
  const state = openState(join(folder, 'state'));
  release = state.release;
  const cluster = await prepareCluster(state, { sync: false });
  const { uid, gid } = statSync(cluster.dataDir);
  for (const [from, name] of [
    [certificates.keyFile, 'server.key'],
    [certificates.certFile, 'server.crt'],
  ] as const) {
    const file = join(cluster.dataDir, name);
    copyFileSync(from, file);
    chownSync(file, uid, gid);
    chmodSync(file, 0o600);
  }
  // A provider's customers never connect as `postgres`: only the test does.
  const rules = ['host all postgres 127.0.0.1/32 scram-sha-256', 'hostssl all all 127.0.0.1/32 scram-sha-256', ''];
  writeFileSync(join(cluster.dataDir, 'pg_hba.conf'), rules.join('\n'));
  const settings = { ssl: 'on', max_connections: String(connectionsMax), max_wal_senders: '0', wal_level: 'minimal' };
  server = await startServer(cluster, cluster.dataDir, settings);
  await withClient(server.url('postgres'), async (client) => {
    // A provider's "administrator" may create roles and databases.
    await client.query(`create role master login createdb createrole password '${password}'`);
    await client.query(`create database entity_search owner master template template0
                        locale_provider icu icu_locale 'en-US' locale 'C'`);
  });
  await withClient(urlOf('master'), async (client) => {
    for (const role of serviceRoles) {
      await client.query(`create role ${roleName(role)} login password '${password}'`);
    }
    await client.query('revoke all on database entity_search from public');
  });
  connections = watchConnections(server.url('postgres'));
  await writeSample(folder, { seed: 4, counts }, neverAborted);
});

afterAll(async () => {
  await connections.stop();
  await installation.indices[Symbol.asyncDispose]();
  await server.stop();
  release();
  certificates[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

test('the administrator is not a superuser, cannot disable triggers, and sorts naturally', async () => {
  await withClient(urlOf('master'), async (client) => {
    const { rows } = await client.query(
      `select rolsuper, rolreplication, (select ssl from pg_stat_ssl where pid = pg_backend_pid()),
              'a' < 'B' as "sortsAsPeopleDo"
       from pg_roles where rolname = current_user`,
    );
    expect(rows).toEqual([{ rolsuper: false, rolreplication: false, ssl: true, sortsAsPeopleDo: true }]);
    await expect(client.query('set session_replication_role = replica')).rejects.toMatchObject({ code: '42501' });
  });
});

test('an unencrypted address is refused with the address to use', async () => {
  const { code, err } = await entitySearch(['migrate'], { DATABASE_URL: urlOf('master', '') });
  expect([code, err]).toEqual([1, expect.stringContaining('add ?sslmode=verify-full to DATABASE_URL')]);
});

test('a certificate of an unknown authority is refused with how to configure one', async () => {
  const { code, err } = await entitySearch(['migrate'], { DATABASE_URL: urlOf('master', '?sslmode=verify-full') });
  expect([code, err]).toEqual([1, expect.stringContaining('&sslrootcert=/path/ca.pem')]);
});

test('the administrator migrates, and each role works within its rights', async () => {
  const { code, err } = await entitySearch(['migrate'], { DATABASE_URL: urlOf('master') });
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('Rights are set for entity_search_api') });
  await runAs(installation, 'writer', 'import', folder);
  await buildIndices(installation);
});

test('forty connections are enough for the API, sync and a reindex in parallel', async () => {
  const stop = new AbortController();
  const sync = entitySearch(['sync'], envOf(installation, 'indexer'), stop.signal);
  try {
    await Promise.all([serveAccounts(installation, { POSTGRES_POOL_SIZE: '2' }), maintainIndices(installation)]);
  } finally {
    stop.abort();
  }
  expect((await sync).code).toBe(0);
  expect(connections.most()).toBeGreaterThan(5);
  // Far below what they may take.
  expect(connections.most()).toBeLessThanOrEqual(20);
});

test('doctor finds no problem with Postgres', async () => {
  const env = { ...envOf(installation, 'indexer'), DATABASE_URL: urlOf('master'), POSTGRES_POOL_SIZE: '2' };
  const { out } = await entitySearch(['doctor', '--json'], env);
  const findings: { readonly check: string; readonly level: string; readonly found: string }[] = JSON.parse(out);
  const wrong = findings.filter(({ check, level }) => check.startsWith('postgres ') && level !== 'ok');
  expect(wrong).toEqual([]);
});
