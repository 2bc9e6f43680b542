import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { type AccountClient, accountClient } from '../../../dev/lib/account-client.ts';
import { type Changes, withApiLimits } from '../../../dev/lib/limits.ts';
import { writeSample } from '../../../dev/sample/generate.ts';
import type { Config } from '../../../src/config/api.ts';
import { type ApiProcess, startApiProcess } from '../api/process.ts';
import { type OpenedPage, openBrowser, type PageOptions, type TestBrowser } from '../browser/browser.ts';
import { succeed } from '../commands.ts';
import { createTestDatabase } from '../engines/database.ts';
import { createTestIndices } from '../engines/indices.ts';
import { setStage } from './api.ts';

/** A page with a signed-in browser. */
export interface SignedInPage extends OpenedPage {
  readonly client: AccountClient;
  readonly account: PrivateKeyAccount;
  readonly accountId: number;
}

/** A part of the fictional sample, imported and indexed; the API as a separate process; and a browser. */
export interface ConsoleStage extends AsyncDisposable {
  readonly pool: pg.Pool;
  readonly browser: TestBrowser;
  readonly api: ApiProcess;
  /** Such as `http://localhost:1234`, because passkeys need a domain. */
  readonly origin: string;
  /** Opens a page of a new visitor. */
  open(path: string, options?: PageOptions): Promise<OpenedPage>;
  /** Opens a page of a new account, signed in without the pages. */
  openSignedIn(path: string, options?: PageOptions & { readonly key?: `0x${string}` }): Promise<SignedInPage>;
  /** Runs `entity-search` and returns its output. Throws if it fails. */
  run(...args: readonly string[]): Promise<string>;
}

/** Related entities are neighbours, so a part of the sample is complete. */
const counts = { companies: 200, people: 120, investors: 40, events: 60 };

/** Tests send more requests than people do, all from one address. */
const patient: Changes<Config> = { console: { attempts: { perMinute: 1_000_000, newAccountsPerHour: 1_000_000 } } };

type Variables = Readonly<Record<string, string>>;

/** @param env in addition to the usual variables */
export async function setConsoleStage(env: Variables = {}): Promise<ConsoleStage> {
  await using resources = new AsyncDisposableStack();
  const database = resources.use(await createTestDatabase());
  const indices = resources.use(createTestIndices());
  const engines = { DATABASE_URL: database.url, ELASTICSEARCH_URL: indices.url, INDEX_PREFIX: indices.prefix };
  await importSample(engines);
  await indices.client.indices.refresh({ index: `${indices.prefix}*` });
  const stage = await serve(resources, { ...engines, ...env });
  const owned = resources.move();
  return { ...stage, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The same with one company instead of the sample, which is quicker, for tests that are not about search. */
export async function setSmallConsoleStage(env: Variables = {}): Promise<ConsoleStage> {
  await using resources = new AsyncDisposableStack();
  const { databaseUrl, elasticsearchUrl, indexPrefix } = resources.use(await setStage());
  const engines = { DATABASE_URL: databaseUrl, ELASTICSEARCH_URL: elasticsearchUrl, INDEX_PREFIX: indexPrefix };
  const stage = await serve(resources, { ...engines, ...env });
  const owned = resources.move();
  return { ...stage, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Starts the API with pages and a browser, on filled engines. */
export async function serve(
  resources: AsyncDisposableStack,
  given: Variables,
): Promise<Omit<ConsoleStage, typeof Symbol.asyncDispose>> {
  const env = { SIGN_UP: 'open', SIGN_UP_PLAN: 'scale', VISITOR_SEARCHES_PER_MINUTE: '100000', ...given };
  const pool = resources.adopt(new pg.Pool({ connectionString: given.DATABASE_URL, max: 2 }), (opened) => opened.end());
  const api = resources.use(startApiProcess(withApiLimits(env, patient)));
  const browser = resources.use(await openBrowser());
  const origin = (await api.url).replace('127.0.0.1', 'localhost');
  const open: ConsoleStage['open'] = async (path, options) => {
    const opened = await browser.open(options);
    await opened.page.goto(`${origin}${path}`);
    return opened;
  };
  return {
    pool,
    browser,
    api,
    origin,
    open,
    run: async (...args) => (await succeed(env, ...args)).out,
    async openSignedIn(path, { key = generatePrivateKey(), ...options } = {}) {
      const client = accountClient(origin);
      const account = privateKeyToAccount(key);
      const answer = await client.signIn(account);
      const { data } = answer.body as { readonly data: { readonly account: { readonly id: number } } };
      const opened = await browser.open(options);
      const cookies = Array.from(client.cookies, ([name, value]) => ({ name, value, url: origin }));
      await opened.page.context().addCookies(cookies);
      await opened.page.goto(`${origin}${path}`);
      return { ...opened, client, account, accountId: data.account.id };
    },
  };
}

async function importSample(engines: Variables): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'entity-search-sample-'));
  try {
    await writeSample(folder, { seed: 1, counts });
    await succeed(engines, 'import', folder);
    await succeed(engines, 'reindex');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
