import type pg from 'pg';
import { type Browser, newBrowser } from '../../account/browser.ts';
import { startConnectedApi } from '../../api/connected.ts';
import { asRole } from '../../engines/service-roles.ts';
import { setAccountStage } from './account.ts';

/** A signed-in person at a browser. */
export interface Member extends Browser {
  readonly accountId: number;
  readonly sessionId: number;
}

/**
 * A new database and the connected API in this process, with the rights of its role. Unlike in `setAccountStage`, keys,
 * quotas and counts are real. Elasticsearch is down.
 */
export interface ConnectedAccountStage extends AsyncDisposable {
  readonly url: string;
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  /** Signs in to an account of this name, which is created if it is missing. */
  signIn(name: string, about?: { readonly plan?: string; readonly role?: 'operator' }): Promise<Member>;
  /** Requests any path without a session. */
  ask(path: string, init?: RequestInit): Promise<Response>;
}

export async function setConnectedAccountStage(): Promise<ConnectedAccountStage> {
  await using resources = new AsyncDisposableStack();
  const stage = resources.use(await setAccountStage());
  const engines = { DATABASE_URL: asRole(stage.databaseUrl, 'api'), ELASTICSEARCH_URL: 'http://127.0.0.1:1' };
  const api = resources.use(await startConnectedApi(engines));
  const accounts = new Map<string, Promise<number>>();
  const owned = resources.move();
  return {
    url: api.url,
    databaseUrl: stage.databaseUrl,
    pool: stage.pool,
    ask: (path, init) => fetch(`${api.url}${path}`, init),
    async signIn(name, about = {}) {
      const account = accounts.get(name) ?? stage.createAccount({ name, ...about });
      accounts.set(name, account);
      const accountId = await account;
      const { session, cookie } = await stage.signIn(accountId);
      return { ...newBrowser(api.url, cookie), accountId, sessionId: session.sessionId };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
