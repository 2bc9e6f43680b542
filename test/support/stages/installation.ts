import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { withApiLimits } from '../../../dev/lib/limits.ts';
import { writeSample } from '../../../dev/sample/generate.ts';
import type { ServiceRole } from '../../../src/schema/rights.ts';
import { newBrowser } from '../account/browser.ts';
import { newWallet, signInWith } from '../account/wallets.ts';
import { startConnectedApi } from '../api/connected.ts';
import { succeed } from '../commands.ts';
import { createTestIndices, type TestIndices } from '../engines/indices.ts';
import { createRolesDatabase } from '../engines/service-roles.ts';
import { until } from '../until.ts';

/** A migrated database with the service's roles, and a part of the cluster. */
export interface Installation {
  urlOf(role: ServiceRole): string;
  readonly indices: TestIndices;
}

/** A new installation, with the files of a small sample. */
interface InstallationStage extends Installation, AsyncDisposable {
  /** The address for the owner, which migrates. */
  readonly ownerUrl: string;
  /** The address for the server's superuser. */
  readonly superuserUrl: string;
  readonly folder: string;
  /** Runs a command as a role. It must succeed. */
  run(role: ServiceRole, ...args: readonly string[]): ReturnType<typeof runAs>;
}

const installationCounts = { companies: 60, people: 40, investors: 20, events: 20 };

export async function setInstallation(): Promise<InstallationStage> {
  await using resources = new AsyncDisposableStack();
  const made = mkdtempSync(join(tmpdir(), 'entity-search-installation-'));
  const folder = resources.adopt(made, (path) => rmSync(path, { recursive: true }));
  await writeSample(folder, { seed: 4, counts: installationCounts });
  const { ownerUrl, superuserUrl, urlOf } = resources.use(await createRolesDatabase());
  const installation = { urlOf, indices: resources.use(createTestIndices()) };
  const owned = resources.move();
  return {
    ...{ ...installation, ownerUrl, superuserUrl, folder },
    run: (role, ...args) => runAs(installation, role, ...args),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The environment of a process with a role. */
export function envOf({ urlOf, indices }: Installation, role: ServiceRole): Readonly<Record<string, string>> {
  return { DATABASE_URL: urlOf(role), ELASTICSEARCH_URL: indices.url, INDEX_PREFIX: indices.prefix };
}

/** Runs a command as a role. It must succeed. Returns the last line of JSON from its output. */
export async function runAs(installation: Installation, role: ServiceRole, ...args: readonly string[]) {
  const { out } = await succeed(envOf(installation, role), ...args);
  return JSON.parse(out.trim().split('\n').at(-1) || 'null');
}

/** Builds the indices of all kinds, follows changes, and compares. */
export async function buildIndices(installation: Installation): Promise<void> {
  const run = (...args: readonly string[]) => runAs(installation, 'indexer', ...args);
  await run('plan');
  await run('reindex');
  await run('sync', '--once');
  await run('verify', '--deep');
}

/** Repairs the indices, rebuilds one and rolls back to the earlier one. */
export async function maintainIndices(installation: Installation): Promise<void> {
  const run = (...args: readonly string[]) => runAs(installation, 'indexer', ...args);
  await run('repair');
  await run('reindex', 'companies');
  await run('rollback', 'companies');
  await run('dead-letters', 'list');
}

/**
 * Creates an account and a key with the command line, and sends each sort of call to an API. Then signs in as a
 * person, creates a key and uses it. The log must have no warnings.
 * @param env for the API, such as another address of the database
 */
export async function serveAccounts(
  installation: Installation,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const admin = (...args: readonly string[]) => runAs(installation, 'admin', ...args);
  await admin('accounts', 'create', 'Example', '--plan', 'starter');
  const { key } = await admin('keys', 'create', '--account', 'Example', '--name', 'first');
  const settings = { ...envOf(installation, 'api'), SIGN_UP: 'open', ...env };
  await using api = await startConnectedApi(withApiLimits(settings, { limits: { flushMs: 10 } }));
  const { url } = api;
  const complaints = () => api.log.filter(({ level }) => level === 'warn' || level === 'error');
  const failed = await callAll(url, key);
  expect({ failed, complaints: complaints() }).toEqual({ failed: [], complaints: [] });
  const seen = async () => (await admin('keys', 'list'))[0];
  await until(async () => (await seen())?.last_used_at !== null, 'noting the use');
  await admin('keys', 'revoke', String((await seen())?.id));
  await useAccount(url.replace('127.0.0.1', 'localhost'));
  expect(complaints()).toEqual([]);
}

const searched = z.object({
  data: z.object({ results: z.array(z.object({ id: z.number() })).min(1) }),
});

async function searchIds(url: string, headers: Readonly<Record<string, string>>): Promise<readonly number[]> {
  const answer = await fetch(`${url}/api/v1/search?type=companies&query=a`, { headers });
  return searched.parse(await answer.json()).data.results.map(({ id }) => id);
}

/** Returns the status and the beginning of each failed answer. */
async function callAll(url: string, key: string): Promise<readonly (readonly [number, string])[]> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const ids = await searchIds(url, headers);
  const body = JSON.stringify({ operation: 'get', entity_type: 'companies', identifiers: ids });
  const answers = await Promise.all([
    fetch(`${url}/api/v1/bulk`, { method: 'POST', headers, body }),
    fetch(`${url}/api/v1/companies/${ids[0]}`, { headers }),
    fetch(`${url}/api/v1/companies/${ids[0]}/similar`, { headers }),
    fetch(`${url}/api/v1/usage`, { headers }),
    fetch(`${url}/api/health?detailed=true`),
  ]);
  const told = answers.map(async (answer) => [answer.status, (await answer.text()).slice(0, 300)] as const);
  return (await Promise.all(told)).filter(([status]) => status !== 200);
}

async function useAccount(origin: string): Promise<void> {
  const browser = newBrowser(origin);
  const signedIn = await signInWith(browser, newWallet());
  expect({ status: signedIn.status, error: signedIn.error }).toEqual({ status: 200, error: undefined });
  const made = await browser.post('keys', { name: 'mine', environment: 'live' });
  expect({ status: made.status, error: made.error }).toEqual({ status: 201, error: undefined });
  const headers = { authorization: `Bearer ${made.data.key}` };
  expect((await fetch(`${origin}/api/v1/search?type=all&query=a`, { headers })).status).toBe(200);
  const used = async () => JSON.stringify((await browser.get('usage')).data);
  await until(async () => (await used()).includes('search'), 'counting the call');
  expect((await browser.get('security')).status).toBe(200);
  expect((await browser.post('sign-out')).status).toBe(200);
}
