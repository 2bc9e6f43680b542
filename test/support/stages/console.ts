import pg from 'pg';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { type AccountClient, accountClient } from '../../../dev/lib/account-client.ts';
import { type Changes, withApiLimits } from '../../../dev/lib/limits.ts';
import type { Config } from '../../../src/config/api.ts';
import { type ConnectedApi, startConnectedApi } from '../api/connected.ts';
import { type OpenedPage, openBrowser, type PageOptions, type TestBrowser } from '../browser/browser.ts';
import { succeed } from '../commands.ts';
import type { World } from '../engines/worlds.ts';
import { openContents } from './api.ts';

export interface SignedInPage extends OpenedPage {
  readonly client: AccountClient;
  readonly account: PrivateKeyAccount;
  readonly accountId: number;
}

/** Entities in indices that other files share, the API, and a browser. */
export interface ConsoleStage extends AsyncDisposable {
  readonly pool: pg.Pool;
  readonly browser: TestBrowser;
  readonly api: ConnectedApi;
  /** Such as `http://localhost:1234`, because passkeys need a domain. */
  readonly origin: string;
  open(path: string, options?: PageOptions): Promise<OpenedPage>;
  /** Opens a page of a new account, signed in without the pages. */
  openSignedIn(path: string, options?: PageOptions & { readonly key?: `0x${string}` }): Promise<SignedInPage>;
  /** Runs `entity-search` and returns its output. Throws if it fails. */
  run(...args: readonly string[]): Promise<string>;
}

/** Tests send more requests than people do, all from one address. */
const patient: Changes<Config> = { console: { attempts: { perMinute: 1_000_000, newAccountsPerHour: 1_000_000 } } };

type Variables = Readonly<Record<string, string>>;

/**
 * @param more variables in addition to the usual ones
 * @param opening the entities; by default one company
 */
export async function setConsoleStage(more: Variables = {}, opening = openContents()): Promise<ConsoleStage> {
  await using resources = new AsyncDisposableStack();
  const { env }: World = resources.use(await opening);
  const stage = await serve(resources, { ...env, ...more });
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
  const api = resources.use(await startConnectedApi(withApiLimits(env, patient)));
  const browser = resources.use(openBrowser());
  const origin = api.url.replace('127.0.0.1', 'localhost');
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
