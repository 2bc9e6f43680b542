import type pg from 'pg';
import { pino } from 'pino';
import { readConfig } from '../../../../src/config/api.ts';
import { connect } from '../../../../src/connect.ts';
import { createRegistry } from '../../../../src/metrics/registry.ts';
import { type Browser, newBrowser } from '../../account/browser.ts';
import { realClock } from '../../api/in-process.ts';
import { serveChecked } from '../../api/serve.ts';
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
  /** Stops the API. */
  close(): Promise<void>;
}

export async function setConnectedAccountStage(): Promise<ConnectedAccountStage> {
  await using resources = new AsyncDisposableStack();
  const stage = resources.use(await setAccountStage());
  const api = await startConnected(asRole(stage.databaseUrl, 'api'));
  resources.defer(api.close);
  const accounts = new Map<string, Promise<number>>();
  const owned = resources.move();
  return {
    url: api.url,
    databaseUrl: stage.databaseUrl,
    pool: stage.pool,
    ask: (path, init) => fetch(`${api.url}${path}`, init),
    close: api.close,
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

async function startConnected(databaseUrl: string) {
  const config = readConfig({ DATABASE_URL: databaseUrl, ELASTICSEARCH_URL: 'http://127.0.0.1:1' });
  const connected = connect(config, realClock, pino({ level: 'silent' }), createRegistry(), null);
  const { url, close: closeServer } = await serveChecked(connected.deps);
  let closed: Promise<void> | undefined;
  const close = () => closeServer().finally(() => connected.close());
  return { url, close: () => (closed ??= close()) };
}
