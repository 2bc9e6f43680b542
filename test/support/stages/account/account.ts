import type pg from 'pg';
import { merged } from '../../../../dev/lib/limits.ts';
import type { Session } from '../../../../src/account/ports.ts';
import { hashToken, newToken } from '../../../../src/account/tokens.ts';
import { type ConsoleConfig, readConsoleConfig } from '../../../../src/config/console.ts';
import type { AccountData } from '../../../../src/connect-account.ts';
import { connectAccount } from '../../../../src/connect-account.ts';
import { beginSession, lockAccount } from '../../../../src/postgres/account/sessions.ts';
import { accountDatabase } from '../../../../src/postgres/account/transaction.ts';
import { readValue } from '../../../../src/postgres/statements.ts';
import { type Browser, newBrowser } from '../../account/browser.ts';
import { type Api, type Behaviour, startApi } from '../../api/in-process.ts';
import { createTestDatabase } from '../../engines/database.ts';
import { testPool } from '../../engines/pool.ts';
import { addRoles, asRole } from '../../engines/service-roles.ts';

/** The API in this process, on a stage's database. */
export interface AccountApi extends Api {
  readonly account: AccountData;
  /** The same address with a domain name, which passkeys need. */
  readonly origin: string;
  /**
   * @param session an existing one
   * @param at the address of the pages; `url` by default
   */
  browser(session?: SignedIn, at?: string): Browser;
}

/** A session, and its browser's cookie over http. */
export interface SignedIn {
  readonly session: Session;
  readonly cookie: string;
}

export interface NewAccount {
  readonly name: string;
  readonly plan?: string;
  readonly role?: 'member' | 'operator';
  readonly active?: boolean;
  /** In upper or lower case. */
  readonly wallets?: readonly string[];
}

/** A new database with the account page, which has the rights of the API's role. */
export interface AccountStage extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  /** @param env settings, such as SIGN_UP */
  startApi(env?: Readonly<Record<string, string>>, behaviour?: Behaviour): Promise<AccountApi>;
  /** Returns its id. */
  createAccount(account: NewAccount): Promise<number>;
  /** Begins a session, like signing in. */
  signIn(accountId: number): Promise<SignedIn>;
  events(accountId: number): Promise<readonly string[]>;
}

export async function setAccountStage(): Promise<AccountStage> {
  await using resources = new AsyncDisposableStack();
  const database = resources.use(await createTestDatabase());
  await addRoles(database.url);
  const open = (url: string): pg.Pool => resources.adopt(testPool(url, 8), (opened) => opened.end());
  const pool = open(database.url);
  const apiPool = open(asRole(database.url, 'api'));
  const owned = resources.move();
  return {
    databaseUrl: database.url,
    pool,
    async startApi(env = {}, behaviour = {}) {
      const config = merged(consoleOf(env), behaviour.limits?.console ?? {});
      const account = connectAccount(config, apiPool);
      const api = await startApi({ account, ...behaviour, env: { ...behaviour.env, ...env } });
      const browser = (session?: SignedIn, at = api.url) => newBrowser(at, session?.cookie);
      return Object.assign(api, { account, origin: `http://localhost:${api.port}`, browser });
    },
    createAccount: (account) => createAccount(pool, account),
    signIn: (accountId) => signIn(pool, accountId),
    async events(accountId) {
      const { rows } = await pool.query<{ line: string }>(
        `select actor || ': ' || action as line from account_events where account_id = $1 order by id`,
        [accountId],
      );
      return rows.map(({ line }) => line);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function consoleOf(env: Readonly<Record<string, string>>): ConsoleConfig {
  const config = readConsoleConfig(env);
  if (config === null) throw new Error('the console is off');
  return config;
}

async function createAccount(pool: pg.Pool, account: NewAccount): Promise<number> {
  const { name, plan = 'starter', role = 'member', active = true, wallets = [] } = account;
  const id = await readValue<number>(
    pool,
    'insert into accounts (name, plan, role, active) values ($1, $2, $3, $4) returning id',
    [name, plan, role, active],
  );
  for (const address of wallets) {
    await pool.query('insert into account_wallets (account_id, address) values ($1, lower($2))', [id, address]);
  }
  return id;
}

/** Begins a session, like signing in, in any database with the account. */
export async function signIn(pool: pg.Pool, accountId: number): Promise<SignedIn> {
  const token = newToken();
  const session = await accountDatabase(pool, 5_000).change(async (database) => {
    await lockAccount(database, accountId);
    const credential = { kind: 'wallet', id: 0 } as const;
    const by = { accountId, method: 'wallet', credential, actorName: 'test' } as const;
    const draft = { hash: hashToken(token), replaces: null, ip: '127.0.0.1', userAgent: 'tests' };
    return beginSession(database, consoleOf({}).sessions, by, draft);
  });
  return { session, cookie: `entity_search_session=${token}` };
}
